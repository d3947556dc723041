import { messageOf, silentLogger, toJsonSchema } from '@sextant/core';
import type { Authenticator, Call, Command, Page, Plugin, Report } from '@sextant/core';
import { isSextantError } from '@sextant/core';
import type { Finding } from './check-plugin.ts';
import { sampleArguments } from './sample-arguments.ts';
import type { SampleServer } from './sample-server.ts';

/** Rows of a report that are looked at. */
const mostRows = 1000;
const answerSeconds = 10;

/** What every plugin should do besides its tools: of each report, page, authenticator, command, service and contribution. */
export async function kindFindings(plugin: Plugin, server: SampleServer): Promise<Finding[]> {
  const findings: Finding[] = [];
  const check = async (subject: string, name: string, work: () => Promise<string | undefined>): Promise<void> => {
    const problem = await work().catch(messageOf);
    findings.push({ subject, check: name, ...(problem !== undefined && { problem }) });
  };
  for (const report of plugin.reports) await check(report.name, 'rows', () => reportProblem(report, server));
  for (const page of plugin.pages.filter(({ method }) => method === 'GET'))
    await check(page.name, 'page answers', () => pageProblem(page, server));
  for (const authenticator of plugin.authenticators)
    await check(authenticator.name, 'refuses what it does not know', () => authenticatorProblem(authenticator, server));
  for (const command of plugin.commands) await check(command.name, 'command', async () => commandProblem(command));
  for (const [key, { name }] of Object.entries(plugin.provides))
    await check(subjectOf(name, plugin), 'service', async () => serviceProblem(plugin, key, server));
  for (const { point } of plugin.contributions)
    await check(point, 'contribution', async () =>
      server.generation.assembly.plugins.some(({ needs }) =>
        Object.values(needs).some(({ name, isCollected }) => isCollected && name === point),
      )
        ? undefined
        : `nobody takes what is put to "${point}"; use the point of the contract`,
    );
  return findings;
}

/** An isolated plugin tells of all its services at once. */
const subjectOf = (service: string, { name }: Plugin): string => (service === `process-of-${name}` ? name : service);

const within = async <T>(work: Promise<T>): Promise<T | 'late'> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), answerSeconds * 1000);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};
const tooLate = `it did not answer within ${answerSeconds} s`;

async function reportProblem(report: Report, server: SampleServer): Promise<string | undefined> {
  const query = report.query.safeParse(sampleArguments(toJsonSchema(report.query, 'input')));
  // What a sample cannot know is refused rightly.
  if (!query.success) return undefined;
  const columns = await report.columns(query.data);
  if (columns.length === 0) return 'it has no columns';
  return within(firstWrongRow({ report, query: query.data, columns: columns.length, server })).then((found) =>
    found === 'late' ? tooLate : found,
  );
}

interface ReportRun {
  report: Report;
  query: unknown;
  columns: number;
  server: SampleServer;
}

async function firstWrongRow({ report, query, columns, server }: ReportRun): Promise<string | undefined> {
  const services = server.generation.servicesOf(report);
  let rows = 0;
  try {
    for await (const some of report.rows(query, services, callOf(server, report.path)))
      for (const row of some) {
        if (row.length !== columns) return `a row has ${row.length} cells, and there are ${columns} columns`;
        if ((rows += 1) >= mostRows) return undefined;
      }
  } catch (error) {
    if (!isSextantError(error)) throw error;
  }
  return undefined;
}

async function pageProblem(page: Page, server: SampleServer): Promise<string | undefined> {
  const path = page.path.replaceAll(/:[a-z]+|\*+/gi, 'sample');
  const request = new Request(new URL(path, server.generation.externalURL));
  try {
    const answer = await within(
      page.respond(request, server.generation.servicesOf(page), { ...callOf(server, page.path), navigation: [] }),
    );
    if (answer === 'late') return tooLate;
    if (!(answer instanceof Response)) return 'it answered something else than a Response';
    return answer.status >= 500 ? `it answered ${answer.status}` : undefined;
  } catch (error) {
    // An error that a caller may see is an answer too.
    if (isSextantError(error) && error.code !== 'internal') return undefined;
    throw error;
  }
}

const oddHeaders: readonly Record<string, string>[] = [
  {},
  { authorization: 'Bearer ' },
  { authorization: `Bearer ${'x'.repeat(5000)}` },
  { authorization: 'Basic ////' },
  { cookie: 'session=x; session=y' },
];

async function authenticatorProblem(authenticator: Authenticator, server: SampleServer): Promise<string | undefined> {
  const services = server.generation.servicesOf(authenticator);
  for (const headers of oddHeaders) {
    const caller = await within(authenticator.authenticate({ headers: new Headers(headers) }, services));
    if (caller === 'late') return tooLate;
    if (caller !== undefined) return `it let ${JSON.stringify(headers).slice(0, 60)} in as ${caller.user.name}`;
  }
  return undefined;
}

function commandProblem({ name, summary, input, positionals }: Command): string | undefined {
  if (!/^[a-z][a-z0-9-]*( [a-z][a-z0-9-]*)*$/.test(name)) return 'its name must be words in kebab-case';
  if (summary.trim() === '') return 'it has no summary for --help';
  const missing = positionals.find((positional) => !(positional in input.shape));
  return missing === undefined ? undefined : `it has the positional "${missing}", which its input lacks`;
}

function serviceProblem({ provides }: Plugin, key: string, { generation }: SampleServer): string | undefined {
  const name = provides[key]?.name ?? key;
  const state = generation.status()[name];
  if (state === undefined) return undefined;
  const why = state.failures?.find(({ reason }) => reason.startsWith('cannot tell its state'));
  return why?.reason ?? (typeof state.isReady === 'boolean' ? undefined : 'its status has no isReady');
}

const callOf = ({ caller }: SampleServer, endpoint: string): Call => ({
  caller,
  endpoint,
  clientName: 'sextant plugin check',
  signal: AbortSignal.timeout(answerSeconds * 1000),
  log: silentLogger,
  reportProgress() {},
});
