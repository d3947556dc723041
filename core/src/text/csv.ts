import type { ReportRow } from '../surface/report.ts';

/** What spreadsheets take for the beginning of a formula (OWASP), some of them also in full width. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;
/** What RFC 4180 quotes, and what separates cells in some sheets: what follows must not become a cell of its own. */
const quoted = /[",\r\n;\t]/;

/**
 * A cell as RFC 4180 writes it. A text that a spreadsheet would run as a formula begins with an apostrophe; a negative number
 * is no formula.
 */
export function csvCell(cell: ReportRow[number]): string {
  if (typeof cell !== 'string') return String(cell);
  const text = formula.test(cell) ? `'${cell}` : cell;
  return quoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows of CSV (RFC 4180), each with its line end: nothing for no rows. */
export const csvLines = (rows: readonly ReportRow[]): string =>
  rows.map((row) => `${row.map(csvCell).join()}\r\n`).join('');
