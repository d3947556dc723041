import { setImmediate } from 'node:timers/promises';
import type { ReportRow } from '@sextant/core';
import { CsvLines } from './csv-lines.ts';

type Rows = AsyncIterable<readonly ReportRow[]>;

/** Bytes of CSV that are sent at once: in small pieces most of the time is spent on sending. */
const csvAtOnce = 64 * 1024;
/** Rows of JSON that are sent at once. */
const rowsAtOnce = 500;

/** The header row, also when there is no other, and the rows. */
export async function* csvBytes(columns: readonly string[], rows: Rows): AsyncGenerator<Uint8Array> {
  const lines = new CsvLines();
  lines.add(columns);
  yield lines.take();
  for await (const some of rows) {
    for (const row of some) {
      lines.add(row);
      if (lines.length >= csvAtOnce) yield* sent(lines.take());
    }
    // Lets the previous chunk leave before the next rows are read.
    if (some.length === 0) await setImmediate();
  }
  yield lines.take();
}

/** An object with the rows under one key, each with its columns' headings as keys. */
export async function* jsonBytes(key: string, columns: readonly string[], rows: Rows): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const names = columns.map((column) => `${JSON.stringify(column)}:`);
  const textOf = (row: ReportRow): string => `{${row.map((cell, at) => `${names[at]}${JSON.stringify(cell)}`).join()}}`;
  yield encoder.encode(`{${JSON.stringify(key)}:[`);
  let separator = '';
  for await (const some of rows)
    for (let start = 0; start < some.length; start += rowsAtOnce) {
      const text = some
        .slice(start, start + rowsAtOnce)
        .map(textOf)
        .join();
      yield* sent(encoder.encode(separator + text));
      separator = ',';
    }
  yield encoder.encode(']}');
}

/** Rows that are at hand come without ever letting other callers' work in between. */
async function* sent(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
  await setImmediate();
}
