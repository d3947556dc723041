/** Rows of cells as text, for commands: columns as wide as their longest cell, no spaces at the end of a line. No cell can make a row. */
export function textTable(table: readonly (readonly string[])[]): string {
  const rows = table.map((row) => row.map((cell) => cell.replaceAll(/[\t\r\n]/g, ' ')));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}
