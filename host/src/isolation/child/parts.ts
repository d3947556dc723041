import { SextantError } from '@sextant/core';
import type { Call, Needs, Page, Plugin, Report, Resolved, Resource, Tool } from '@sextant/core';
import type { AnswerOf, SentRequest, Work } from '../messages.ts';

/** What surrounds the run of a part. */
export interface Run {
  call: Call;
  /** The services behind the needs of a part. */
  servicesOf(part: { readonly needs: Needs }): Resolved<Needs>;
  /** Sends rows of a report, and resolves when more are wanted. */
  sendRows(rows: readonly unknown[]): Promise<void>;
}

/** Does what a call is for, with the part of the plugin that it names. */
export function runPart(plugin: Plugin, work: Work, run: Run): Promise<AnswerOf<Work['kind']>> {
  switch (work.kind) {
    case 'tool':
      return runTool(partNamed(plugin.tools, work.name), work.input, run);
    case 'columns':
      return columnsOf(partNamed(plugin.reports, work.name), work.query);
    case 'report':
      return runReport(partNamed(plugin.reports, work.name), work.query, run);
    case 'page':
      return runPage(partNamed(plugin.pages, work.name), work.request, run);
    case 'resource':
      return readResource(partNamed(plugin.resources, work.name), work, run);
    case 'completion': {
      const resource = partNamed(plugin.resources, work.name);
      return resource.complete(work.asked, run.servicesOf(resource), run.call).then((values) => [...values]);
    }
    case 'prompt':
      return Promise.resolve(partNamed(plugin.prompts, work.name).text(work.given));
  }
}

function partNamed<T extends { readonly name: string }>(parts: readonly T[], name: string): T {
  const part = parts.find((one) => one.name === name);
  if (!part) throw new Error(`the plugin has no ${name}`);
  return part;
}

async function runTool(tool: Tool, input: unknown, { call, servicesOf }: Run): Promise<AnswerOf<'tool'>> {
  const structured = tool.parseOutput(await tool.run(tool.parseInput(input), servicesOf(tool), call));
  return { structured, text: tool.toText(structured), files: [...tool.filesOf(structured)] };
}

async function columnsOf(report: Report, query: unknown): Promise<AnswerOf<'columns'>> {
  return [...(await report.columns(queryOf(report, query)))];
}

async function runReport(report: Report, query: unknown, { call, servicesOf, sendRows }: Run): Promise<undefined> {
  for await (const rows of report.rows(queryOf(report, query), servicesOf(report), call)) {
    await sendRows(rows);
    call.signal.throwIfAborted();
  }
}

/** The server knows the names of the parameters; their values are checked here. */
function queryOf({ query }: Report, given: unknown): unknown {
  const parsed = query.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    ({ path, message }) => `Parameter "${path.map(String).join('.')}": ${message}.`,
  );
  throw new SextantError('invalid_argument', problems.join(' '));
}

async function runPage(
  page: Page,
  { method, url, headers, body }: SentRequest,
  { call, servicesOf }: Run,
): Promise<AnswerOf<'page'>> {
  if (page.accepts?.(new URL(url).pathname) === false) throw new SextantError('not_found', 'not found');
  const sent = new Headers(headers.map(([name, value]): [string, string] => [name, value]));
  const request = new Request(url, { method, headers: sent, ...(body && { body: new Uint8Array(body) }) });
  const response = await page.respond(request, servicesOf(page), call);
  if (!(response instanceof Response)) throw new Error(`the page ${page.name} answered something else than a Response`);
  return {
    status: response.status,
    headers: [...response.headers],
    body: new Uint8Array(await response.arrayBuffer()),
  };
}

async function readResource(
  resource: Resource,
  { variables }: Extract<Work, { kind: 'resource' }>,
  { call, servicesOf }: Run,
): Promise<AnswerOf<'resource'>> {
  const content = await resource.read(variables, servicesOf(resource), call);
  return { content, files: [...resource.filesOf(variables)] };
}
