import { requireScope } from '@sextant/core';
import type { Report, ReportRow } from '@sextant/core';
import { compressed } from '../http/compression.ts';
import { callOf } from '../http/pages.ts';
import type { PluginRequest } from '../http/pages.ts';
import { recordView } from '../http/record-view.ts';
import { parseReportQuery } from './report-query.ts';
import { csvBytes, jsonBytes } from './report-text.ts';
import { enterCall, requireCaller } from '../http/request-context.ts';

/** Answers a report of a plugin as CSV or JSON, row by row as they are found, compressed where the client accepts that. */
export async function serveReport(request: PluginRequest, report: Report): Promise<Response> {
  const { event, generation, state } = request;
  const caller = await requireCaller(event, generation, 'ambient too');
  requireScope(caller, 'analytics');
  const { query, format } = parseReportQuery(report, event.url.searchParams, event.req.headers.get('accept'));
  enterCall(event, caller, state);
  const call = callOf(request, caller, report.path);
  recordView(request, { kind: 'report', name: report.name, call });
  const rows = report.rows(query, generation.servicesOf(report), call);
  const started = await begin(rows);
  const columns = await report.columns(query);
  const bytes = format === 'json' ? jsonBytes(report.jsonKey, columns, started) : csvBytes(columns, started);
  const stream = streamOf(bytes);
  const headers =
    format === 'json'
      ? { 'content-type': 'application/json' }
      : {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="${report.name}.csv"`,
        };
  return compressed(new Response(stream, { headers: { ...noStore, ...headers } }), event.req);
}

const noStore = { 'cache-control': 'no-store' };

/** Finds the first rows before the status is sent, so that a refusal becomes a status of its own. */
async function begin(rows: AsyncIterable<readonly ReportRow[]>): Promise<AsyncGenerator<readonly ReportRow[]>> {
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

/** By hand: `ReadableStream.from` is unknown to the types of browsers, which the pages' templates bring into the program. */
const streamOf = (bytes: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await bytes.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        await bytes.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
