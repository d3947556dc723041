// What recording costs, and how far reports over many events are from the single best statement.
// `npm run bench:analytics`; EVENTS sets how many (10 million unless said), ROUNDS how often calls are compared (400 pairs), PARTS what is measured
// (recording,reports,calls), and DATA a folder where the events stay for the next run. With `-- --database postgres` it
// measures recording and reports on PostgreSQL beside SQLite instead.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { preset } from '@sextant/preset';
import { runSextant, startSextant } from '../support/processes.ts';
import type { Started } from '../support/processes.ts';
import { measureCalls } from './analytics/calls.ts';
import { measureDatabases } from './analytics/databases.ts';
import { measureRecording } from './analytics/recording.ts';
import { measureReports } from './analytics/reports.ts';
import type { Row } from './analytics/row.ts';
import { generateRepository } from './support/repositories.ts';

const events = Number(process.env['EVENTS'] ?? 10_000_000);
const rounds = Number(process.env['ROUNDS'] ?? 400);
const parts = (process.env['PARTS'] ?? 'recording,reports,calls').split(',');

/** Nothing is deleted while it is measured. */
const kept = { 'service-usage': { eventDays: 36_500 } };
const switchedRecorder = fileURLToPath(new URL('analytics/switched-recorder.ts', import.meta.url));

const folder = await mkdtemp(join(tmpdir(), 'sextant-bench-'));
const data = process.env['DATA'] ?? join(folder, 'data');
const rows: Row[] = [];
try {
  await run();
} finally {
  await rm(folder, { recursive: true, force: true });
  const table = [['what', 'measured', 'against', 'ratio', 'aim'], Array<string>(5).fill('---'), ...rows];
  process.stdout.write(`${table.map((cells) => `| ${cells.join(' | ')} |\n`).join('')}`);
}

async function run(): Promise<void> {
  if (process.argv.includes('--database')) return void rows.push(...(await measureDatabases(folder, events)));
  await mkdir(data, { recursive: true });
  await generateRepository({ folder: join(folder, 'git', 'small.git'), commits: 20, files: 50 });
  const recording = await configWith('recording', { more: /usage|credits|report-/, plugins: kept });
  if (parts.includes('recording')) rows.push(await measureRecording({ folder, data, events }));
  if (parts.includes('reports')) {
    const token = runSextant(['token', 'create', '--user', 'admin', '--config', recording, '--data', data]);
    rows.push(...(await measureReports({ server: await start(data, recording), token, data })));
  }
  if (parts.includes('calls')) {
    const switched = await configWith('switched', { more: /^$/, plugins: { [switchedRecorder]: {} } });
    rows.push(...(await measureCalls(await start(join(folder, 'calls'), switched), rounds)));
  }
}

function start(dataFolder: string, config: string): Promise<Started> {
  return startSextant(['--repos', join(folder, 'git'), '--data', dataFolder, '--config', config]);
}

/** A configuration without what has nothing to do with it: indexing and research would only make noise. */
async function configWith(name: string, { more, plugins }: { more: RegExp; plugins: object }): Promise<string> {
  const needed = /sqlite|directory|service-git$|access-token$|tool-read-file/;
  const off = preset
    .map((each) => each.replace('@sextant/', ''))
    .filter((each) => !needed.test(each) && !more.test(each));
  const file = join(folder, `${name}.json`);
  const all = { ...plugins, ...Object.fromEntries(off.map((each) => [each, false])) };
  await writeFile(file, JSON.stringify({ plugins: all, limits: { callsPerCaller: 64 } }));
  return file;
}
