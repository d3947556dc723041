// What a caller waits for small calls beside another one's heavy ones: `npm run bench:beside -- <folder of repositories> [<folder for data>]`.
// Data that is kept saves another run the indexing. KINDS are parts of the names of those to measure, BENCH_SECONDS how long each is. PROFILES is a
// folder that gets a profile of the main thread for each. The first line is a control: what programs cost that take both processors.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { call, post } from '../support/rpc.ts';
import { processorSeconds, runSextant, startSextant } from '../support/processes.ts';
import type { Started } from '../support/processes.ts';
import { at, kinds, readSubject } from './beside/heavy-calls.ts';
import type { Heavy, Subject } from './beside/heavy-calls.ts';

const { BENCH_SECONDS: seconds = '10', KINDS: wanted = '', PROFILES: profiles } = process.env;
const loops = 4;
const pauseMs = 10;
const everything = '/.api/mcp/all';

interface Waited {
  readonly reads: readonly number[];
  readonly searches: readonly number[];
}

/** How long the event loop was held, as `event-loop.ts` measures it. */
type Held = readonly { readonly passed: number; readonly worked: number }[];

const [folder, kept] = process.argv.slice(2);
if (folder === undefined) throw new Error('say which folder has the repositories: npm run bench:beside -- ~/code');
const data = kept ?? (await mkdtemp(join(tmpdir(), 'sextant-bench-')));
mkdirSync(data, { recursive: true });
const socketFolder = await mkdtemp(join(tmpdir(), 'sextant-loop-'));
const socket = join(socketFolder, 'socket');
const preload = new URL('./support/event-loop.ts', import.meta.url).href;
process.env['EVENT_LOOP_SOCKET'] = socket;
const config = join(data, 'bench.config.json');
writeFileSync(config, JSON.stringify({ repositories: [{ path: resolve(folder) }], logLevel: 'warn' }));
const server = await startSextant(['--config', config, '--data', data], { node: ['--import', preload] });
try {
  await run(server, await subjectsOf(folder));
} finally {
  await server.stop();
  await rm(socketFolder, { recursive: true });
  if (kept === undefined) await rm(data, { recursive: true, force: true });
}

async function subjectsOf(folder: string): Promise<Subject[]> {
  const names = await readdir(folder);
  return names.map((name) => readSubject(join(folder, name), name.replace(/\.git$/, '')));
}

async function run({ url }: Started, subjects: readonly Subject[]): Promise<void> {
  const small = tokenOf('small');
  const heavy = tokenOf('heavy');
  while ((await fetch(`${url}/readyz`)).status !== 200) await setTimeout(500);
  await untilIdle();
  await waitFor(small, subjects, 2);
  const times = ['p50', 'p95', 'max', 'p95 ×'];
  row(
    'beside',
    'calls/s',
    'read_file: p50',
    ...times.slice(1),
    'search: p50',
    ...times.slice(1),
    'loop held: max',
    'processor: p99.9',
    'max',
  );
  row(...Array.from({ length: 13 }, () => '---'));
  await measure('programs that take all processors', small, subjects, async (signal) => {
    const busy = Array.from({ length: availableParallelism() }, () => spawn(process.execPath, ['-e', 'for(;;);']));
    signal.addEventListener('abort', () => busy.forEach((one) => one.kill()));
    await Promise.all(busy.map((one) => new Promise((done) => one.once('exit', done))));
    return 0;
  });
  for (const [kind, make] of Object.entries(kinds))
    if (wanted.split(',').some((part) => kind.includes(part)))
      await measure(kind, small, subjects, (signal) =>
        ask({ token: heavy, signal }, (turn) => make(at(subjects, turn), Math.floor(turn / subjects.length))),
      );
}

/** The data may be of a run before. */
function tokenOf(who: string): string {
  const name = `${who}-${Date.now()}`;
  runSextant(['user', 'add', name, '--data', data]);
  return runSextant(['token', 'create', '--user', name, '--data', data]);
}

/** `work` resolves with its calls once it is aborted. */
async function measure(
  kind: string,
  token: string,
  subjects: readonly Subject[],
  work: (signal: AbortSignal) => Promise<number>,
): Promise<void> {
  const alone = await waitFor(token, subjects, Number(seconds) / 2);
  const ending = new AbortController();
  await heldSince(profiles === undefined ? '' : '?begin');
  const working = work(ending.signal);
  const beside = await waitFor(token, subjects, Number(seconds));
  const held = await heldSince(
    profiles === undefined ? '' : `?end=${join(profiles, `${kind.replaceAll(/\W+/g, '-')}.cpuprofile`)}`,
  );
  ending.abort();
  const calls = await working;
  row(
    kind,
    (calls / Number(seconds)).toFixed(1),
    ...compared(alone.reads, beside.reads),
    ...compared(alone.searches, beside.searches),
    percentile(
      held.map(({ passed }) => passed),
      1,
    ).toFixed(0),
    percentile(
      held.map(({ worked }) => worked),
      0.999,
    ).toFixed(1),
    percentile(
      held.map(({ worked }) => worked),
      1,
    ).toFixed(1),
  );
  await untilIdle();
}

/** One call after the other, with a pause as a person or an agent makes. */
async function waitFor(token: string, subjects: readonly Subject[], seconds: number): Promise<Waited> {
  const waited = { reads: [] as number[], searches: [] as number[] };
  const timed = async (times: number[], name: string, args: object): Promise<void> => {
    const began = performance.now();
    const response = await post(server.url, call(name, args), { path: everything, token });
    const answer = await response.text();
    if (response.status !== 200 || answer.includes('"isError":true'))
      throw new Error(`${name}: ${answer.slice(0, 300)}`);
    times.push(performance.now() - began);
    await setTimeout(pauseMs);
  };
  const end = performance.now() + seconds * 1000;
  for (let turn = 0; performance.now() < end; turn += 1) {
    const { repo, paths, names } = at(subjects, turn);
    await timed(waited.reads, 'read_file', { repo, path: at(paths, turn), startLine: 1, endLine: 50 });
    await timed(waited.searches, 'keyword_search', { query: at(names, names.length - 1 - (turn % names.length)).name });
  }
  return waited;
}

/** In as many loops as a caller has agents; answers how many calls were answered. */
async function ask(caller: { token: string; signal: AbortSignal }, make: (turn: number) => Heavy): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: loops });
  const failures = new Map<string, number>();
  let [turn, answered] = [0, 0];
  const loop = async (): Promise<void> => {
    while (!caller.signal.aborted) {
      const failure = await send(caller, make(turn++), agent).catch((error: unknown) => String(error));
      if (caller.signal.aborted) return;
      answered += 1;
      if (failure !== undefined) failures.set(failure, (failures.get(failure) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: loops }, loop));
  agent.destroy();
  for (const [failure, count] of failures) process.stderr.write(`${count} of ${answered}: ${failure}\n`);
  return answered;
}

/** The beginning of what was answered where that is no answer. */
async function send(
  { token, signal }: { token: string; signal: AbortSignal },
  heavy: Heavy,
  agent: Agent,
): Promise<string | undefined> {
  if ('page' in heavy) {
    const status = await look(heavy.page, token, agent, signal);
    return status === 200 ? undefined : `${status} ${heavy.page}`;
  }
  const response = await post(server.url, heavy.message, { path: everything, token, signal });
  const answer = await response.text();
  return response.status === 200 && !answer.includes('"isError":true') ? undefined : answer.slice(0, 200);
}

function look(path: string, token: string, agent: Agent, signal: AbortSignal): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${token}`, accept: 'text/html', 'accept-encoding': 'br' };
  return new Promise((resolve, reject) => {
    get(server.url + path, { agent, headers, signal }, (response) => {
      response
        .resume()
        .once('end', () => resolve(response.statusCode))
        .once('error', reject);
    }).once('error', reject);
  });
}

/** Since it was asked before. */
function heldSince(query = ''): Promise<Held> {
  return new Promise((resolve, reject) => {
    get({ socketPath: socket, path: `/${query}` }, (response) => {
      text(response).then((answer) => resolve(JSON.parse(answer) as Held), reject);
    }).once('error', reject);
  });
}

/** Until what is indexed, read ahead or still worked on costs nothing any more. */
async function untilIdle(): Promise<void> {
  for (let before = -1; ; await setTimeout(1000)) {
    const now = processorSeconds(server);
    if (before >= 0 && now - before < 0.05) return;
    before = now;
  }
}

function compared(alone: readonly number[], beside: readonly number[]): string[] {
  const [half, most, longest] = [0.5, 0.95, 1].map((share) => percentile(beside, share));
  return [half, most, longest]
    .map((ms = 0) => ms.toFixed(1))
    .concat(((most ?? 0) / percentile(alone, 0.95)).toFixed(1));
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

function row(...cells: string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}
