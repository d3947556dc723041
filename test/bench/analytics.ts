// What recording costs, and how far reports over many events are from the single best statement.
// `npm run bench:analytics`; EVENTS sets how many (10 million unless said).
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CallRecorder } from '@sextant/core';
import type { CallRecord } from '@sextant/core';
import { startPlugins } from '@sextant/core/testing';
import { Recorder } from '../../plugins/services/usage/src/recorder.ts';
import { loadPreset } from '../support/preset.ts';
import { residentMegabytes, startSextant } from '../support/processes.ts';
import type { Started } from '../support/processes.ts';
import { load } from './support/load.ts';
import { generateRepository } from './support/repositories.ts';

const events = Number(process.env['EVENTS'] ?? 10_000_000);
const rounds = 5;
const seconds = Number(process.env['BENCH_SECONDS'] ?? 3);
const tools = ['keyword_search', 'read_file', 'list_files', 'diff_search', 'find_references', 'nls_search'];
const endings = ['ts', 'py', 'go', 'java', 'rs'];
const clients = ['claude-code', 'cursor', 'vscode'];

const keys = {
  by_user: 'user_id',
  by_user_month: 'user_id, month',
  by_user_day: 'user_id, month, day',
  by_user_day_client_language: 'user_id, month, day, client, language',
} as const;

const table: string[] = ['| what | measured | against | ratio | aim |', '|---|---|---|---|---|'];
const row = (...cells: string[]): void => void table.push(`| ${cells.join(' | ')} |`);

const folder = await mkdtemp(join(tmpdir(), 'sextant-bench-'));
const data = join(folder, 'data');
const flags = ['--repos', join(folder, 'git'), '--data', data];
try {
  await run();
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.stdout.write(`${table.join('\n')}\n`);

async function run(): Promise<void> {
  await generateRepository({ folder: join(folder, 'git', 'small.git'), commits: 20, files: 50 });
  const first = await startSextant(flags);
  await first.stop();
  await measureIngestion();
  await measureReports(first.token);
  await measureCalls();
}

/** 300 users over 240 days, with the mix that makes rows of every combination. */
function eventOf(number: number): CallRecord {
  const random = Math.imul(number, 2_654_435_761) >>> 0;
  return {
    kind: 'tool',
    name: tools[random % tools.length] ?? '',
    endpoint: '/.api/mcp',
    userId: 1 + (random % 300),
    clientName: clients[(random >>> 9) % 3] ?? '',
    files: [`src/a.${endings[(random >>> 11) % 5] ?? ''}`],
    startedAt: Date.UTC(2026, 0, 1) + Math.floor((number / events) * 240) * 86_400_000,
    milliseconds: random % 50,
    outcome: random % 40 === 0 ? 'not_found' : 'ok',
    credits: 0,
  };
}

async function measureIngestion(): Promise<void> {
  const plugins = (await loadPreset()).filter(({ name }) => /^service-(sqlite|directory|usage)$/.test(name));
  await using started = await startPlugins(
    data,
    plugins.map((plugin) => [plugin, plugin.name === 'service-usage' ? { eventDays: 36_500 } : {}]),
  );
  const { recorder } = started.services.resolve({ recorder: CallRecorder });
  if (!(recorder instanceof Recorder)) throw new Error('another plugin records');
  const bare = bareInsertions(Math.min(events, 1_000_000));
  const begun = performance.now();
  for (let number = 0; number < events; ) {
    const end = Math.min(number + 50_000, events);
    for (; number < end; number += 1) recorder.record(eventOf(number));
    await recorder.flush();
  }
  const rate = events / ((performance.now() - begun) / 1000);
  row(
    `${events.toLocaleString('en')} events recorded and added up`,
    `${rate.toFixed(0)}/s`,
    `${bare.toFixed(0)}/s bare`,
    (rate / bare).toFixed(2),
    '≥ 100,000/s or ≥ 0.50',
  );
}

/** Rows a second of a plain loop of inserts into the same columns. */
function bareInsertions(count: number): number {
  const db = new DatabaseSync(join(folder, 'bare.db'));
  db.exec('pragma journal_mode = wal; pragma synchronous = normal');
  db.exec('create table event (id integer primary key autoincrement, a, b, c, d, e, f, g, h, i, j, k)');
  const insert = db.prepare(
    'insert into event (a, b, c, d, e, f, g, h, i, j, k) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const begun = performance.now();
  for (let number = 0; number < count; ) {
    db.exec('begin immediate');
    for (const end = Math.min(number + 500, count); number < end; number += 1) {
      const { startedAt, userId, clientName = '', kind, name, endpoint, milliseconds, outcome } = eventOf(number);
      const day = new Date(startedAt).toISOString().slice(0, 10);
      insert.run(startedAt, day, userId, clientName, kind, name, endpoint, 'TypeScript', milliseconds, outcome, 0);
    }
    db.exec('commit');
  }
  const rate = count / ((performance.now() - begun) / 1000);
  db.close();
  return rate;
}

async function measureReports(token: string): Promise<void> {
  const sextant = await startSextant(flags);
  try {
    await read(sextant, token, 'by_user');
    const before = residentMegabytes(sextant);
    for (const [granularity, key] of Object.entries(keys)) {
      const statement = bestStatement(key);
      const report = await read(sextant, token, granularity);
      const rows = `${granularity}, ${statement.rows.toLocaleString('en')} rows`;
      row(
        rows,
        `${report.total.toFixed(0)} ms`,
        `${statement.milliseconds.toFixed(0)} ms SQL`,
        (report.total / statement.milliseconds).toFixed(2),
        '< 1.5',
      );
      row(`${granularity}: first byte`, `${report.firstByte.toFixed(0)} ms`, '–', '–', '< 100 ms');
    }
    const after = residentMegabytes(sextant);
    row(
      'memory after all reports',
      `+${(after - before).toFixed(0)} MB`,
      `${before.toFixed(0)} MB before`,
      '–',
      '< 50 MB',
    );
  } finally {
    await sextant.stop();
  }
}

/** The rows of a report by one statement, read one by one. */
function bestStatement(key: string): { milliseconds: number; rows: number } {
  const db = new DatabaseSync(join(data, 'sextant.db'), { readOnly: true });
  const sums = tools.map((tool) => `sum(case when tool = '${tool}' then calls else 0 end)`).join(', ');
  const select = db.prepare(
    `select ${key}, ${sums}, 0, sum(calls), sum(errors), sum(credits) from usage_daily where kind = 'tool' group by ${key} order by ${key}`,
  );
  const begun = performance.now();
  let rows = 0;
  for (const _ of select.iterate()) rows += 1;
  const milliseconds = performance.now() - begun;
  db.close();
  return { milliseconds, rows };
}

async function read(
  { url }: Started,
  token: string,
  granularity: string,
): Promise<{ firstByte: number; total: number }> {
  const begun = performance.now();
  const query = new URLSearchParams({ instanceURL: url, granularity });
  const response = await fetch(`${url}/api/reports/by-user-client-date?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (response.status !== 200 || !response.body) throw new Error(`${response.status}: ${await response.text()}`);
  let firstByte = 0;
  for await (const _ of response.body) firstByte ||= performance.now() - begun;
  return { firstByte, total: performance.now() - begun };
}

async function measureCalls(): Promise<void> {
  const config = join(folder, 'silent.json');
  const off = [
    'service-usage',
    'report-by-user-client-date',
    'report-user-registry',
    'report-credits',
    'page-analytics',
  ];
  await writeFile(config, JSON.stringify({ plugins: Object.fromEntries(off.map((name) => [name, false])) }));
  const repos = ['--repos', join(folder, 'git')];
  const recording = await startSextant([...repos, '--data', join(folder, 'recording')]);
  const silent = await startSextant([...repos, '--data', join(folder, 'silent'), '--config', config]);
  const params = { name: 'read_file', arguments: { repo: 'small', path: 'src/sample.ts' } };
  const bodies = [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params }];
  const rates: [number, number][] = [];
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const pair: number[] = [];
      for (const { url, token } of [recording, silent])
        pair.push((await load({ url: `${url}/.api/mcp`, token, bodies }, { seconds: round === 0 ? 1 : seconds })).rate);
      if (round > 0) rates.push([pair[0] ?? 0, pair[1] ?? 0]);
    }
  } finally {
    await recording.stop();
    await silent.stop();
  }
  const [mine, bare] = [median(rates.map(([first]) => first)), median(rates.map(([, second]) => second))];
  row(
    'calls while they are recorded',
    `${mine.toFixed(0)}/s`,
    `${bare.toFixed(0)}/s not recorded`,
    (mine / bare).toFixed(3),
    '> 0.98',
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
