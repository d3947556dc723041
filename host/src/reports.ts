import { setImmediate } from 'node:timers/promises';
import { requireScope } from '@sextant/core';
import type { Report, ReportRow } from '@sextant/core';
import { stringify } from 'csv-stringify/sync';
import type { Options } from 'csv-stringify/sync';
import { HTTPResponse } from 'h3';
import { callOf } from './pages.ts';
import type { PluginRequest } from './pages.ts';
import { recordView } from './record-view.ts';
import { parseReportQuery } from './report-query.ts';
import { enterCall, requireCaller } from './request-context.ts';

/** Rows that are gathered before they are sent: one by one they cost ten times as much. */
const batchRows = 500;

/** Answers a report of a plugin as CSV or JSON, row by row as they are found. */
export async function serveReport(request: PluginRequest, report: Report): Promise<HTTPResponse> {
  const { event, generation, state } = request;
  const caller = await requireCaller(event, generation, 'ambient too');
  requireScope(caller, 'analytics');
  const { query, format } = parseReportQuery(report, event.url.searchParams, event.req.headers.get('accept'));
  enterCall(event, caller, state);
  const call = callOf(request, caller, report.path);
  recordView(request, { kind: 'report', name: report.name, call });
  const rows = report.rows(query, generation.servicesOf(report), call);
  const started = await begin(rows);
  const text = format === 'json' ? jsonText(report.jsonKey, started) : csvText(report.columns(query), started);
  const stream = bytesOf(text);
  if (format === 'json')
    return new HTTPResponse(stream, { headers: { ...noStore, 'content-type': 'application/json' } });
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${report.name}.csv"`,
  };
  return new HTTPResponse(stream, { headers: { ...noStore, ...headers } });
}

const noStore = { 'cache-control': 'no-store' };

/** Finds the first row before the status is sent, so that a refusal becomes a status of its own. */
async function begin(rows: AsyncIterable<ReportRow>): Promise<AsyncGenerator<ReportRow>> {
  const iterator = rows[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    try {
      for (let next = first; !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  })();
}

const csvOptions: Options = {
  record_delimiter: '\r\n',
  escape_formulas: true,
  // The library quotes only its own line end.
  quoted_match: /[\r\n]/,
  cast: {
    boolean: String,
    // A number is never run as a formula, even a negative one.
    number: (value) => ({ value: String(value), escape_formulas: false }),
  },
};

/** By hand: `ReadableStream.from` is unknown to the types of browsers, which the pages' templates bring into the program. */
function bytesOf(text: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await text.next();
        if (next.done) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      },
      async cancel() {
        await text.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

async function* csvText(columns: readonly string[], rows: AsyncIterable<ReportRow>): AsyncGenerator<string> {
  yield stringify([[...columns]], csvOptions);
  for await (const batch of batches(rows))
    yield stringify(
      batch.map((row) => columns.map((column) => row[column])),
      csvOptions,
    );
}

async function* jsonText(key: string, rows: AsyncIterable<ReportRow>): AsyncGenerator<string> {
  yield `{${JSON.stringify(key)}:[`;
  let separator = '';
  for await (const batch of batches(rows)) {
    yield `${separator}${batch.map((row) => JSON.stringify(row)).join(',')}`;
    separator = ',';
  }
  yield ']}';
}

async function* batches(rows: AsyncIterable<ReportRow>): AsyncGenerator<ReportRow[]> {
  let batch: ReportRow[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < batchRows) continue;
    yield batch;
    batch = [];
    // Rows that are at hand come without ever letting other callers' work in between.
    await setImmediate();
  }
  if (batch.length > 0) yield batch;
}
