// What recording costs, and how far reports over many events are from the single best statement.
// `npm run bench:analytics`; EVENTS sets how many (10 million unless said), ROUNDS how often calls are compared.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { preset } from '@sextant/preset';
import { processorSeconds, residentMegabytes, startSextant } from '../support/processes.ts';
import type { Started } from '../support/processes.ts';
import { eventOf, tools } from './support/events.ts';
import { load } from './support/load.ts';
import { openDatabase, startRecorder } from './support/recording.ts';
import { generateRepository } from './support/repositories.ts';

const events = Number(process.env['EVENTS'] ?? 10_000_000);
const rounds = Number(process.env['ROUNDS'] ?? 15);
const callsARound = 2000;

const keys = {
  by_user: 'user_id',
  by_user_month: 'user_id, month',
  by_user_day: 'user_id, month, day',
  by_user_day_client_language: 'user_id, month, day, client, language',
} as const;

const table: string[] = ['| what | measured | against | ratio | aim |', '|---|---|---|---|---|'];
const row = (...cells: string[]): void => void table.push(`| ${cells.join(' | ')} |`);
const whole = (value: number): string => Math.round(value).toLocaleString('en');

const folder = await mkdtemp(join(tmpdir(), 'sextant-bench-'));
const data = join(folder, 'data');
const flags = ['--repos', join(folder, 'git'), '--data', data];
try {
  await run();
} finally {
  await rm(folder, { recursive: true, force: true });
  process.stdout.write(`${table.join('\n')}\n`);
}

async function run(): Promise<void> {
  await generateRepository({ folder: join(folder, 'git', 'small.git'), commits: 20, files: 50 });
  const recording = await configWith('recording.json', /usage|credits|report-/);
  const first = await startSextant([...flags, '--config', recording]);
  await first.stop();
  await measureIngestion();
  await measureReports(await startSextant([...flags, '--config', recording]), first.token);
  await measureCalls(recording, await configWith('silent.json', /^$/));
}

/** A configuration without what has nothing to do with it: indexing and research would only make noise. */
async function configWith(name: string, more: RegExp): Promise<string> {
  const needed = /sqlite|directory|service-git$|access-token$|tool-read-file/;
  const off = preset
    .map((each) => each.replace('@sextant/', ''))
    .filter((each) => !needed.test(each) && !more.test(each));
  const plugins = Object.fromEntries(off.map((each) => [each, false]));
  const file = join(folder, name);
  await writeFile(file, JSON.stringify({ plugins, limits: { callsPerCaller: 64 } }));
  return file;
}

async function measureIngestion(): Promise<void> {
  await using recorder = await startRecorder(data);
  const bare = bareInsertions(Math.min(events, 1_000_000));
  const begun = performance.now();
  for (let number = 0; number < events; ) {
    const end = Math.min(number + 50_000, events);
    for (; number < end; number += 1) recorder.record(eventOf(number, events));
    await recorder.flush();
  }
  const rate = events / ((performance.now() - begun) / 1000);
  row(
    `${whole(events)} events recorded and added up`,
    `${whole(rate)}/s`,
    `${whole(bare)}/s bare`,
    (rate / bare).toFixed(2),
    '≥ 100,000/s or ≥ 0.50',
  );
}

/** Rows a second of a plain loop of inserts into the same columns. */
function bareInsertions(count: number): number {
  const db = openDatabase(join(folder, 'bare.db'));
  db.exec('create table event (id integer primary key autoincrement, a, b, c, d, e, f, g, h, i, j, k)');
  const insert = db.prepare(
    'insert into event (a, b, c, d, e, f, g, h, i, j, k) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const begun = performance.now();
  for (let number = 0; number < count; ) {
    db.exec('begin immediate');
    for (const end = Math.min(number + 2000, count); number < end; number += 1) {
      const {
        startedAt,
        userId,
        clientName = '',
        kind,
        name,
        endpoint,
        milliseconds,
        outcome,
      } = eventOf(number, events);
      const day = new Date(startedAt).toISOString().slice(0, 10);
      insert.run(startedAt, day, userId, clientName, kind, name, endpoint, 'TypeScript', milliseconds, outcome, 0);
    }
    db.exec('commit');
  }
  const rate = count / ((performance.now() - begun) / 1000);
  db.close();
  return rate;
}

async function measureReports(sextant: Started, token: string): Promise<void> {
  let most = 0;
  const look = (): number => (most = Math.max(most, residentMegabytes(sextant)));
  const watching = setInterval(look, 50);
  try {
    await read(sextant, token, 'by_user');
    const before = residentMegabytes(sextant);
    most = before;
    for (const [granularity, key] of Object.entries(keys)) {
      const statement = bestStatement(key);
      const report = await read(sextant, token, granularity);
      row(
        `${granularity}, ${whole(statement.rows)} rows`,
        `${whole(report.total)} ms`,
        `${whole(statement.milliseconds)} ms SQL`,
        (report.total / statement.milliseconds).toFixed(2),
        '< 1.5',
      );
      row(`${granularity}: first byte`, `${whole(report.firstByte)} ms`, '–', '–', '< 100 ms');
    }
    row('memory during all reports', `+${whole(most - before)} MB`, `${whole(before)} MB before`, '–', '< 50 MB');
  } finally {
    clearInterval(watching);
    await sextant.stop();
  }
}

/** The rows of a report by one statement, read one by one. */
function bestStatement(key: string): { milliseconds: number; rows: number } {
  const db = openDatabase(join(data, 'sextant.db'));
  const sums = tools.map((tool) => `sum(case when tool = '${tool}' then calls else 0 end) as ${tool}`).join(', ');
  const select = db.prepare(
    `select ${key}, ${sums}, sum(calls) as calls, sum(errors) as errors, sum(credits) as credits
     from usage_daily where instance_id = 0 and kind = 'tool' group by ${key} order by ${key}`,
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
    headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'identity' },
  });
  if (response.status !== 200 || !response.body) throw new Error(`${response.status}: ${await response.text()}`);
  let firstByte = 0;
  for await (const _ of response.body) firstByte ||= performance.now() - begun;
  return { firstByte, total: performance.now() - begun };
}

/** The same calls in turn to a server that records and to one that does not, so that what else runs slows both alike. */
async function measureCalls(recordingConfig: string, silentConfig: string): Promise<void> {
  const start = (name: string, config: string): Promise<Started> =>
    startSextant(['--repos', join(folder, 'git'), '--data', join(folder, name), '--config', config]);
  const [recording, silent] = [await start('recording', recordingConfig), await start('silent', silentConfig)];
  const ratios: { rate: number; processor: number }[] = [];
  try {
    for (let round = 0; round < rounds + 2; round += 1) {
      // In turn who is first: what runs second finds another machine.
      const order = round % 2 === 0 ? [recording, silent] : [silent, recording];
      const measured = new Map<Started, { rate: number; processor: number }>();
      for (const server of order) measured.set(server, await callsOf(server));
      const [mine, bare] = [measured.get(recording), measured.get(silent)];
      if (round >= 2 && mine && bare)
        ratios.push({ rate: mine.rate / bare.rate, processor: mine.processor / bare.processor });
    }
  } finally {
    await recording.stop();
    await silent.stop();
  }
  const spread = (values: readonly number[]): string => {
    const sorted = values.toSorted((a, b) => a - b);
    return [0.25, 0.5, 0.75].map((share) => sorted[Math.floor((sorted.length - 1) * share)]?.toFixed(3)).join(' / ');
  };
  const count = `${rounds} pairs of ${whole(callsARound)} calls`;
  row('throughput while calls are recorded', count, 'not recorded', spread(ratios.map(({ rate }) => rate)), '> 0.98');
  row(
    'processor time of a call that is recorded',
    count,
    'not recorded',
    spread(ratios.map(({ processor }) => processor)),
    '< 1.02',
  );
}

async function callsOf(server: Started): Promise<{ rate: number; processor: number }> {
  const params = { name: 'read_file', arguments: { repo: 'small', path: 'src/sample.ts' } };
  const bodies = [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params }];
  const before = processorSeconds(server);
  const { rate } = await load({ url: `${server.url}/.api/mcp`, token: server.token, bodies }, { calls: callsARound });
  return { rate, processor: processorSeconds(server) - before };
}
