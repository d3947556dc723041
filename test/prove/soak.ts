// Mixed load on one server for a long time: `npm run prove:soak -- --minutes 60 [--megabytes 2048] [--brief] [<folder of repositories>]`.
// Without a folder it serves three clones of this repository, and commits to them. Callers ask for everything there is, some go away before the
// answer, and the configuration changes. The minutes begin when so much was answered that caches and heaps have grown, however long that takes.
// Ends with 1 unless memory, descriptors and threads stay within a tenth of what they were in the second third, below the megabytes of the whole,
// and every request was answered. Where a control group can be made, it bounds the server's memory, too.
// With --brief it serves two clones of a few commits, warms up for a bounded time, and allows more growth. Where the machine is too slow for it, the
// growth is not judged, and it says so.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { at, kinds, readSubject } from '../bench/beside/heavy-calls.ts';
import type { Subject } from '../bench/beside/heavy-calls.ts';
import { post } from '../support/rpc.ts';
import { startSextant, wholeMegabytes } from '../support/processes.ts';
import type { Started } from '../support/processes.ts';
import { memoryGroup } from './support/control-group.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string' },
    megabytes: { type: 'string', default: '2048' },
    brief: { type: 'boolean', default: false },
  },
});
const { brief } = values;
const minutes = Number(values.minutes ?? (brief ? 0.5 : 5));
const mostMegabytes = Number(values.megabytes);
const [loops, sampleMs, commitMs, configurationMs] = [4, 2000, 3000, 20_000];
/** Of so many calls one caller goes away before the answer. */
const patience = 20;
/** In a brief run heaps still grow a little. */
const allowedGrowth = brief ? 1.3 : 1.1;
/** Answers before the minutes begin: of each kind of request, about repositories of the default, so many for each of them. */
const warmAnswers = Object.keys(kinds).length * (brief ? 2 * 2 : 3 * 4);
/** The minutes begin then at the latest. */
const warmMs = brief ? 20_000 : Infinity;
/** No machine that answers at all is so slow. */
const answerMs = 600_000;

interface Sample {
  readonly megabytes: number;
  readonly descriptors: number;
  readonly threads: number;
  readonly healthMs: number;
}

const scratch = await mkdtemp(join(tmpdir(), 'sextant-soak-'));
try {
  const folder = positionals[0] ?? clones(join(scratch, 'repositories'));
  process.exitCode = (await soak(resolve(folder), positionals[0] === undefined)) ? 0 : 1;
} finally {
  await rm(scratch, { recursive: true, force: true });
}

function clones(folder: string): string {
  mkdirSync(folder);
  const own = new URL('../..', import.meta.url);
  const [names, from] = brief
    ? [
        ['one', 'two'],
        ['--depth=50', own.href],
      ]
    : [
        ['one', 'two', 'three'],
        ['--no-hardlinks', fileURLToPath(own)],
      ];
  for (const name of names) execFileSync('git', ['clone', '--quiet', ...from, join(folder, name)]);
  return folder;
}

async function soak(folder: string, commits: boolean): Promise<boolean> {
  const subjects = readdirSync(folder).map((name) => readSubject(join(folder, name), name.replace(/\.git$/, '')));
  const config = join(scratch, 'sextant.config.json');
  const configure = (turn: number): void =>
    writeFileSync(
      config,
      JSON.stringify({
        repositories: [{ path: folder }],
        logLevel: 'error',
        limits: { callsPerCaller: loops * 4 + (turn % 2), memoryBytes: mostMegabytes * 2 ** 20 },
        plugins: { 'service-search-index': { memoryBytes: 256 * 1024 * 1024 } },
      }),
    );
  configure(0);
  using group = memoryGroup(`sextant-soak-${process.pid}`, mostMegabytes * 2 ** 20);
  const server = await startSextant(['--config', config, '--data', join(scratch, 'data')], {
    // As the releases do.
    limits: ['export MALLOC_ARENA_MAX=2', group?.enter].join('\n'),
  });
  const bound = `${mostMegabytes} MB, ${group ? 'in a control group' : 'without a control group: none can be made here'}`;
  try {
    await untilReady(server);
    const failed = new AbortController();
    const over = new AbortController();
    const ending = AbortSignal.any([over.signal, failed.signal]);
    const answers = new Map<string, number>();
    const samples: Sample[] = [];
    const answered = (): number => [...answers.values()].reduce((sum, count) => sum + count, 0);
    const beganAt = performance.now();
    let warm: { readonly at: number; readonly answers: number } | undefined;
    const sample = async (): Promise<void> => {
      if (answered() < warmAnswers && performance.now() - beganAt < warmMs) return;
      warm ??= { at: performance.now(), answers: answered() };
      samples.push(await sampleOf(server));
      if (performance.now() - warm.at > minutes * 60_000) over.abort();
    };
    const parts = [
      ...Array.from({ length: loops }, (_, loop) => ask({ server, subjects, answers }, loop * 7919, ending)),
      repeated(sampleMs, ending, sample),
      repeated(configurationMs, ending, async (turn) => configure(turn)),
      ...(commits ? [repeated(commitMs, ending, async (turn) => commit(join(folder, at(subjects, turn).repo)))] : []),
    ];
    // Nothing goes on when the folder is removed.
    await Promise.allSettled(parts.map((part) => part.catch((error: unknown) => failed.abort(error))));
    if (failed.signal.aborted) throw failed.signal.reason;
    return judge(samples, answers, { bound, isWarm: (warm?.answers ?? 0) >= warmAnswers });
  } finally {
    await server.stop();
  }
}

async function untilReady({ url }: Started): Promise<void> {
  const until = performance.now() + answerMs;
  while ((await fetch(`${url}/readyz`)).status !== 200) {
    if (performance.now() > until) throw new Error(`the server is not ready after ${answerMs / 1000} s`);
    await setTimeout(500);
  }
}

async function repeated(everyMs: number, ending: AbortSignal, work: (turn: number) => Promise<void>): Promise<void> {
  for (let turn = 0; !ending.aborted; turn += 1) {
    await work(turn);
    await setTimeout(everyMs, undefined, { signal: ending }).catch(() => undefined);
  }
}

function commit(folder: string): void {
  appendFileSync(join(folder, 'soak.txt'), `${Date.now()}\n`);
  const git = ['-C', folder, '-c', 'user.name=Soak', '-c', 'user.email=soak@example.com'];
  execFileSync('git', [...git, 'add', 'soak.txt']);
  execFileSync('git', [...git, 'commit', '--quiet', '--message', 'one more line']);
}

interface Asked {
  readonly server: Started;
  readonly subjects: readonly Subject[];
  /** What came, and how often. */
  readonly answers: Map<string, number>;
}

async function ask(
  { server: { url, token }, subjects, answers }: Asked,
  first: number,
  ending: AbortSignal,
): Promise<void> {
  for (let turn = first; !ending.aborted; turn += 1) {
    const heavy = at(Object.values(kinds), turn)(at(subjects, turn), turn);
    const signal = AbortSignal.any([ending, AbortSignal.timeout(turn % patience === 0 ? 50 : answerMs)]);
    const sent =
      'page' in heavy
        ? fetch(url + heavy.page, { headers: { authorization: `Bearer ${token}`, accept: 'text/html' }, signal })
        : post(url, heavy.message, { path: '/.api/mcp/all', token, signal });
    const answer = await sent.then(outcomeOf).catch((error: unknown) => failureOf(error, turn));
    if (ending.aborted) return;
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
  }
}

async function outcomeOf(response: Response): Promise<string> {
  const text = await response.text();
  if (response.status === 200) return text.includes('"isError":true') ? 'a tool refused' : '200';
  return `${response.status} ${text.replaceAll(/\s+/g, ' ').slice(0, 300)}`;
}

function failureOf(error: unknown, turn: number): string {
  const { name, cause } = error as Error;
  return name === 'TimeoutError' && turn % patience === 0 ? 'gone before the answer' : `${name} ${String(cause ?? '')}`;
}

async function sampleOf(server: Started): Promise<Sample> {
  const {
    url,
    process: { pid },
  } = server;
  const began = performance.now();
  await (await fetch(`${url}/healthz`)).text();
  return {
    healthMs: performance.now() - began,
    megabytes: wholeMegabytes(server),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    threads: readdirSync(`/proc/${pid}/task`).length,
  };
}

function judge(
  samples: readonly Sample[],
  answers: ReadonlyMap<string, number>,
  { bound, isWarm }: { bound: string; isWarm: boolean },
): boolean {
  const third = Math.floor(samples.length / 3);
  const [before, after] = [samples.slice(third, 2 * third), samples.slice(2 * third)];
  const seen = (['megabytes', 'descriptors', 'threads', 'healthMs'] as const).map((what) => {
    const [was, is] = [before, after].map((part) => median(part.map((sample) => sample[what]))) as [number, number];
    return { what, was, is, ratio: is / was, most: Math.max(...samples.map((sample) => sample[what])) };
  });
  const grown = seen.filter(({ what, ratio }) => what !== 'healthMs' && ratio > allowedGrowth);
  const isTooLarge = seen.some(({ what, most }) => what === 'megabytes' && most > mostMegabytes);
  const good = /^(200|a tool refused|gone before the answer)$/;
  // A slow machine is not ready with a page in time.
  const isGood = (answer: string): boolean => good.test(answer) || (brief && answer.startsWith('503 '));
  const bad = [...answers.keys()].filter((answer) => !isGood(answer));
  const holds = (grown.length === 0 || !isWarm) && !isTooLarge && bad.length === 0;
  if (brief && holds) {
    const ratios = seen.flatMap(({ what, ratio }) => (what === 'healthMs' ? [] : `${what} ${ratio.toFixed(2)}`));
    const told = isWarm ? ratios.join(', ') : `growth is not judged: fewer than ${warmAnswers} answers to warm up`;
    const count = [...answers.values()].reduce((sum, each) => sum + each, 0);
    const most = seen[0]?.most.toFixed(0);
    process.stdout.write(`The soak holds: ${count} answers, ${told}, most ${most} of ${bound}.\n`);
    return true;
  }
  row('', 'second third, median', 'last third, median', 'ratio', 'most');
  row('---', '---', '---', '---', '---');
  for (const { what, was, is, ratio, most } of seen)
    row(what, was.toFixed(0), is.toFixed(0), ratio.toFixed(2), most.toFixed(0));
  for (const [answer, count] of answers) row(answer, String(count));
  process.stdout.write(`${holds ? 'It holds' : 'It does not hold'}, bounded by ${bound}.\n`);
  return holds;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function row(...cells: string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}
