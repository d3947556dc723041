import type { ColumnUnit, Occurrence, ScipDocument } from './scip-format.ts';

/** The occurrences of a document whose text is a name. */
export function occurrencesOf(name: string, { unit, occurrences }: ScipDocument, text: string): Occurrence[] {
  const lines = text.split(/\r\n|\n|\r/);
  return occurrences.filter(({ line, start, end }) => {
    const written = lines[line];
    return written !== undefined && bare(slice(written, { start, end, unit })) === name;
  });
}

/** Whether what stands behind an occurrence opens the arguments of a call. */
export function calledIn({ unit }: ScipDocument, text: string): (occurrence: Occurrence) => boolean {
  const lines = text.split(/\r\n|\n|\r/);
  return ({ line, end }) => /^\s*\(/.test(slice(lines[line] ?? '', { start: end, end: Infinity, unit }));
}

function slice(line: string, { start, end, unit }: { start: number; end: number; unit: ColumnUnit }): string {
  // oxlint-disable-next-line no-control-regex -- What is ASCII alone counts the same in all units.
  if (unit === 'utf-16' || /^[\x00-\x7f]*$/.test(line)) return line.slice(start, end);
  if (unit === 'utf-8') return Buffer.from(line).subarray(start, end).toString();
  return [...line].slice(start, end).join('');
}

/** Keys of objects may stand in quotes. */
const bare = (text: string): string => text.replace(/^(['"`])(.*)\1$/, '$2');
