import { requireScope } from '@sextant/core';
import type { Report, ReportRow } from '@sextant/core';
import { stringify } from 'csv-stringify/sync';
import type { Options } from 'csv-stringify/sync';
import { HTTPResponse } from 'h3';
import { callOf } from './pages.ts';
import type { PluginRequest } from './pages.ts';
import { parseReportQuery } from './report-query.ts';
import { enterCall, requireCaller } from './request-context.ts';

/** Characters that are gathered before they are sent. */
const chunkLength = 64 * 1024;

/** Answers a report of a plugin as CSV or JSON, row by row as they are found. */
export async function serveReport(request: PluginRequest, report: Report): Promise<HTTPResponse> {
  const { event, generation, state } = request;
  const caller = await requireCaller(event, generation);
  requireScope(caller, 'analytics');
  const { query, format } = parseReportQuery(report, event.url.searchParams, event.req.headers.get('accept'));
  enterCall(event, caller, state);
  const rows = report.rows(query, generation.servicesOf(report), callOf(request, caller, report.path));
  const started = await begin(rows);
  const text = format === 'json' ? jsonText(report.jsonKey, started) : csvText(report.columns(query), started);
  const stream = ReadableStream.from(encoded(text));
  if (format === 'json') return new HTTPResponse(stream, { headers: { ...noStore, 'content-type': 'application/json' } });
  const headers = { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': `attachment; filename="${report.name}.csv"` };
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
  cast: {
    boolean: String,
    // A number is never run as a formula, even a negative one.
    number: (value) => ({ value: String(value), escape_formulas: false }),
  },
};

async function* csvText(columns: readonly string[], rows: AsyncGenerator<ReportRow>): AsyncGenerator<string> {
  yield stringify([[...columns]], csvOptions);
  for await (const row of rows) yield stringify([columns.map((column) => row[column])], csvOptions);
}

async function* jsonText(key: string, rows: AsyncGenerator<ReportRow>): AsyncGenerator<string> {
  yield `{${JSON.stringify(key)}:[`;
  let separator = '';
  for await (const row of rows) {
    yield `${separator}${JSON.stringify(row)}`;
    separator = ',';
  }
  yield ']}';
}

async function* encoded(text: AsyncGenerator<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let gathered = '';
  for await (const piece of text) {
    gathered += piece;
    if (gathered.length < chunkLength) continue;
    yield encoder.encode(gathered);
    gathered = '';
  }
  if (gathered !== '') yield encoder.encode(gathered);
}
