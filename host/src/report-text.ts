import { setImmediate } from 'node:timers/promises';
import type { ReportRow } from '@sextant/core';
import { stringify } from 'csv-stringify/sync';
import type { Options } from 'csv-stringify/sync';

type Rows = AsyncIterable<readonly ReportRow[]>;
type Cell = ReportRow[number];

/** Rows that are sent at once: one by one they cost ten times as much. */
const batchRows = 500;

const lineEnd = '\r\n';

const csvOptions: Options = {
  record_delimiter: lineEnd,
  escape_formulas: true,
  // The library quotes only its own line end.
  quoted_match: /[\r\n]/,
};

/** RFC 4180, with cells defused that a spreadsheet would run as a formula. */
export async function* csvText(columns: readonly string[], rows: Rows): AsyncGenerator<string> {
  yield stringify([[...columns]], csvOptions);
  const textOf = cellTexts();
  for await (const batch of batches(rows)) {
    let text = '';
    for (const row of batch) {
      let separator = '';
      // No arrays in between: a report has millions of cells.
      for (const cell of row) {
        text += separator + textOf(cell);
        separator = ',';
      }
      text += lineEnd;
    }
    yield text;
  }
}

/** An object with the rows under one key, each with its columns' headings as keys. */
export async function* jsonText(key: string, columns: readonly string[], rows: Rows): AsyncGenerator<string> {
  const names = columns.map((column) => `${JSON.stringify(column)}:`);
  const textOf = (row: ReportRow): string => `{${row.map((cell, at) => `${names[at]}${JSON.stringify(cell)}`).join()}}`;
  yield `{${JSON.stringify(key)}:[`;
  let separator = '';
  for await (const batch of batches(rows)) {
    yield `${separator}${batch.map(textOf).join(',')}`;
    separator = ',';
  }
  yield ']}';
}

/** Most texts whose form in CSV is remembered. */
const mostKnown = 10_000;

/** The library is asked once for each text: reports say the same names in a million rows. */
function cellTexts(): (cell: Cell) => string {
  const known = new Map<string, string>();
  return (cell) => {
    // A number is never run as a formula, even a negative one.
    if (typeof cell !== 'string') return String(cell);
    const text = known.get(cell);
    if (text !== undefined) return text;
    if (known.size === mostKnown) known.clear();
    const written = stringify([[cell]], csvOptions).slice(0, -lineEnd.length);
    known.set(cell, written);
    return written;
  };
}

async function* batches(found: Rows): AsyncGenerator<readonly ReportRow[]> {
  for await (const rows of found) {
    // What was sent until now leaves before the next rows are looked for.
    if (rows.length === 0) await setImmediate();
    for (let start = 0; start < rows.length; start += batchRows) {
      yield rows.slice(start, start + batchRows);
      // Rows that are at hand come without ever letting other callers' work in between.
      await setImmediate();
    }
  }
}
