import { join } from 'node:path';
import { request } from 'undici';
import { residentMegabytes } from '../../support/processes.ts';
import type { Started } from '../../support/processes.ts';
import { openDatabase } from '../support/recording.ts';
import { median, whole } from './row.ts';
import type { Row } from './row.ts';

const keys = {
  by_user: 'user_id',
  by_user_month: 'user_id, month',
  by_user_day: 'user_id, month, day',
  by_user_day_client_language: 'user_id, month, day, client, language',
} as const;

/** How often each is measured; in turn with the statement, so that what else runs slows both alike. */
const turns = 3;

interface Measured {
  server: Started;
  token: string;
  data: string;
}

export async function measureReports({ server, token, data }: Measured): Promise<Row[]> {
  const read = (granularity: string): Promise<Read> => readReport(server, token, granularity);
  try {
    await read('by_user');
    const before = residentMegabytes(server);
    let most = before;
    const watching = setInterval(() => (most = Math.max(most, residentMegabytes(server))), 20);
    const rows: Row[] = [];
    for (const [granularity, key] of Object.entries(keys))
      rows.push(...(await compare(granularity, key, { read, data })));
    clearInterval(watching);
    const memory = `+${whole(most - before)} MB`;
    return [...rows, ['memory during all reports', memory, `${whole(before)} MB before`, '–', '< 50 MB']];
  } finally {
    await server.stop();
  }
}

interface Read {
  firstByte: number;
  total: number;
}

async function compare(
  granularity: string,
  key: string,
  { read, data }: { read(granularity: string): Promise<Read>; data: string },
): Promise<Row[]> {
  const [reports, statements] = [[] as Read[], [] as ReturnType<typeof bestStatement>[]];
  for (let turn = 0; turn < turns; turn += 1) {
    statements.push(bestStatement(join(data, 'sextant.db'), key));
    reports.push(await read(granularity));
  }
  const report = median(reports.map(({ total }) => total));
  const statement = median(statements.map(({ milliseconds }) => milliseconds));
  const firstByte = Math.max(...reports.map((each) => each.firstByte));
  const ratio = (report / statement).toFixed(2);
  return [
    [
      `${granularity}, ${whole(statements[0]?.rows ?? 0)} rows`,
      `${whole(report)} ms`,
      `${whole(statement)} ms SQL`,
      ratio,
      '< 1.5',
    ],
    [`${granularity}: first byte`, `${whole(firstByte)} ms at most`, '–', '–', '< 100 ms'],
  ];
}

/** Of the forms tried (`case`, products, several `filter`s) the fastest for the columns of the reports. */
const callsOf = (...tools: string[]): string =>
  `coalesce(sum(calls) filter (where tool in (${tools.map((tool) => `'${tool}'`).join()})), 0)`;

const columns = [
  callsOf('keyword_search', 'nls_search'),
  callsOf('go_to_definition', 'find_references'),
  callsOf('commit_search', 'diff_search', 'compare_revisions', 'get_contributor_repos'),
  callsOf('read_file'),
  callsOf('code_finder'),
  callsOf('deepsearch'),
  callsOf('evaluator'),
  'sum(calls)',
  'sum(errors)',
  'sum(credits)',
];

/** The rows of a report by one statement, read one by one. */
function bestStatement(file: string, key: string): { milliseconds: number; rows: number } {
  const db = openDatabase(file);
  const select = db.prepare(
    `select ${key}, ${columns.map((column, index) => `${column} as count${index}`).join()}
     from usage_daily where instance_id = 0 and kind = 'tool' group by ${key} order by ${key}`,
  );
  const begun = performance.now();
  let rows = 0;
  for (const _ of select.iterate()) rows += 1;
  const milliseconds = performance.now() - begun;
  db.close();
  return { milliseconds, rows };
}

async function readReport({ url }: Started, token: string, granularity: string): Promise<Read> {
  const begun = performance.now();
  const query = { instanceURL: url, granularity };
  const { statusCode, body } = await request(`${url}/api/reports/by-user-client-date`, {
    query,
    headers: { authorization: `Bearer ${token}` },
  });
  if (statusCode !== 200) throw new Error(`${statusCode}: ${await body.text()}`);
  let firstByte = 0;
  body.on('data', () => (firstByte ||= performance.now() - begun));
  await new Promise((resolve, reject) => body.on('end', resolve).on('error', reject));
  return { firstByte, total: performance.now() - begun };
}
