// keyword_search over HTTP, as an agent calls it, beside ripgrep and `git grep` on the same commits.
// `npm run bench:search -- <folder of repositories>`; prints tables of one run on one machine.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { residentMegabytes, runSextant, startSextant } from '../support/processes.ts';
import type { Started } from '../support/processes.ts';
import { ask, load } from './support/load.ts';
import { cases } from './support/search-cases.ts';
import type { SearchCase } from './support/search-cases.ts';

const run = promisify(execFile);
const budgetMs = Number(process.env['BENCH_SECONDS'] ?? 1) * 1000;
const mostRepetitions = 300;
const others = 3;

const temporary = await mkdtemp(join(tmpdir(), 'sextant-bench-search-'));

async function measure(folder: string): Promise<void> {
  const repositories = await repositoriesIn(folder);
  await checkOut(repositories);
  const begun = performance.now();
  const sextant = await startSextant(['--repos', folder, '--data', join(temporary, 'data')]);
  try {
    await until(sextant, ({ services }) => services.search.isReady);
    const seconds = (performance.now() - begun) / 1000;
    // Nothing else that the server prepares shall take part of the time.
    await until(sextant, ({ status }) => status === 'ready');
    const sizes = await indexSizes(join(temporary, 'data', 'search-index'));
    print(
      `${repositories.length} repositories, ${(sizes.text / 1e6).toFixed(0)} MB of text, searchable after ${seconds.toFixed(1)} s`,
    );
    print(
      `index ${((100 * sizes.shard) / sizes.text).toFixed(0)} % of the text; ${residentMegabytes(sextant).toFixed(0)} MB resident\n`,
    );
    await compareQueries(sextant, repositories);
    await compareClients(sextant);
    await measureFairness(sextant);
    await measureEverything(sextant);
  } finally {
    await sextant.stop();
  }
  await measureRestart(folder);
}

/** What a caller waits while another one, with a token of her own, searches with slow expressions. */
async function measureFairness(sextant: Started): Promise<void> {
  const data = ['--data', join(temporary, 'data')];
  runSextant(['user', 'add', 'slow', ...data]);
  const token = runSextant(['token', 'create', '--user', 'slow', ...data]);
  const url = `${sextant.url}/.api/mcp`;
  const quick = { url, token: sextant.token, bodies: cases.slice(0, 4).map(({ query }) => bodyOf(query)) };
  const slow = { url, token, bodies: ['/[0-9a-f]{40}/', '/[a-z]+ [a-z]+$/ count:all'].map(bodyOf) };
  const seconds = (4 * budgetMs) / 1000;
  const alone = await load(quick, { seconds }, 1);
  const [beside, other] = await Promise.all([load(quick, { seconds }, 1), load(slow, { seconds }, 2)]);
  print(`\nshort queries, alone: p50 ${show(alone.p50)} ms, p99 ${show(alone.p99)} ms`);
  print(
    `beside another caller's slow ones (p50 ${show(other.p50)} ms): p50 ${show(beside.p50)} ms, p99 ${show(beside.p99)} ms; ${show(beside.p50 / alone.p50)}×`,
  );
}

/** All of a common word: the answer is bounded, and so is the memory. */
async function measureEverything(sextant: Started): Promise<void> {
  const { times } = await timeQuery(sextant, 'error count:all');
  print(
    `\n\`error count:all\`: p50 ${show(percentile(times, 0.5))} ms, then ${show(residentMegabytes(sextant))} MB resident`,
  );
}

/** From the start of the program to the first answer, with an index of before. */
async function measureRestart(folder: string): Promise<void> {
  const begun = performance.now();
  const sextant = await startSextant(['--repos', folder, '--data', join(temporary, 'data')]);
  try {
    await until(sextant, ({ services }) => services.search.isReady);
    print(`\nsearchable ${((performance.now() - begun) / 1000).toFixed(1)} s after a restart`);
  } finally {
    await sextant.stop();
  }
}

async function compareQueries(sextant: Started, repositories: readonly string[]): Promise<void> {
  print('| query | files | first | p50 ms | p95 ms | ripgrep ms | ratio | git grep ms | ratio |');
  print('|---|---|---|---|---|---|---|---|---|');
  for (const each of cases) {
    const { first, times, files } = await timeQuery(sextant, each.query);
    const p50 = percentile(times, 0.5);
    const { pattern } = each;
    const ripgrep = pattern === undefined ? undefined : await timeOf(() => ripgrepAll(each));
    const gitGrep = pattern === undefined ? undefined : await timeOf(() => gitGrepAll(repositories, each));
    const ratios = [ripgrep, gitGrep].flatMap((other) => [
      show(other),
      other === undefined ? '–' : `${show(other / p50)}×`,
    ]);
    print(
      `| ${each.name} | ${files} | ${show(first)} | ${show(p50)} | ${show(percentile(times, 0.95))} | ${ratios.join(' | ')} |`,
    );
  }
}

async function compareClients(sextant: Started): Promise<void> {
  const bodies = cases.map(({ query }) => bodyOf(query));
  const target = { url: `${sextant.url}/.api/mcp`, token: sextant.token, bodies };
  const amount = { seconds: (4 * budgetMs) / 1000 };
  await load(target, amount, 1);
  const [one, four, sixteen] = [
    await load(target, amount, 1),
    await load(target, amount, 4),
    await load(target, amount, 16),
  ];
  print('\n| clients, all queries in turn | calls/s | against one | p50 ms | p99 ms |\n|---|---|---|---|---|');
  for (const [clients, { rate, p50, p99 }] of [
    [1, one],
    [4, four],
    [16, sixteen],
  ] as const)
    print(`| ${clients} | ${show(rate)} | ${show(rate / one.rate)}× | ${show(p50)} | ${show(p99)} |`);
}

async function timeQuery(sextant: Started, query: string): Promise<{ first: number; times: number[]; files: string }> {
  const target = { url: `${sextant.url}/.api/mcp`, token: sextant.token };
  const call = (): Promise<string> => ask(target, bodyOf(query));
  const begun = performance.now();
  const answer = await call();
  const first = performance.now() - begun;
  const { result } = JSON.parse(answer) as { result: { structuredContent: { blocks: unknown[]; limitHit: boolean } } };
  const { blocks, limitHit } = result.structuredContent;
  const times: number[] = [];
  for (
    const start = performance.now();
    times.length < 5 || (performance.now() - start < budgetMs && times.length < mostRepetitions);
  ) {
    const before = performance.now();
    await call();
    times.push(performance.now() - before);
  }
  return { first, times: times.sort((a, b) => a - b), files: `${blocks.length}${limitHit ? '+' : ''}` };
}

const bodyOf = (query: string): object => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'keyword_search', arguments: { query } },
});

const large = { maxBuffer: 1 << 30 };
const ripgrepOptions = ['-uuu', '-n', '--no-heading', '--max-filesize', '1M'];
const patternOf = ({ pattern = '', isFixed, isCaseSensitive }: SearchCase): string[] => [
  ...(isFixed ? ['-F'] : []),
  ...(isCaseSensitive ? [] : ['-i']),
  '-e',
  pattern,
];

const ripgrepAll = (each: SearchCase): Promise<unknown> =>
  run('rg', [...ripgrepOptions, ...patternOf(each), join(temporary, 'checkout')], large);

/** One repository after the other, each with as many threads as git takes; where nothing is found git fails. */
async function gitGrepAll(repositories: readonly string[], each: SearchCase): Promise<void> {
  const options = ['-I', '-n', ...(each.isFixed ? [] : ['-P']), ...patternOf(each)];
  for (const path of repositories)
    await run('git', ['-C', path, 'grep', ...options, 'HEAD'], large).catch(() => undefined);
}

/** Median of some runs; where nothing is found the commands fail. */
async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < others; i += 1) {
    const before = performance.now();
    await work().catch(() => undefined);
    times.push(performance.now() - before);
  }
  return percentile(
    times.sort((a, b) => a - b),
    0.5,
  );
}

async function repositoriesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  const isRepository = await Promise.all(
    names.map((name) =>
      run('git', ['-C', join(folder, name), 'rev-parse', 'HEAD']).then(
        () => true,
        () => false,
      ),
    ),
  );
  return names.filter((_, index) => isRepository[index]).map((name) => join(folder, name));
}

/** The files of HEAD, for ripgrep. */
async function checkOut(repositories: readonly string[]): Promise<void> {
  for (const [index, path] of repositories.entries()) {
    const into = join(temporary, 'checkout', String(index));
    await mkdir(into, { recursive: true });
    const archive = join(temporary, 'archive.tar');
    await run('git', ['-C', path, 'archive', '--output', archive, 'HEAD']);
    await run('tar', ['-xf', archive, '-C', into]);
    await rm(archive);
  }
}

interface Readiness {
  status: string;
  services: { search: { isReady: boolean } };
}

async function until({ url }: Started, isReached: (state: Readiness) => boolean): Promise<void> {
  while (!isReached((await (await fetch(`${url}/readyz`)).json()) as Readiness))
    await new Promise((resolve) => setTimeout(resolve, 50));
}

async function indexSizes(folder: string): Promise<{ text: number; shard: number }> {
  const names = await readdir(folder, { recursive: true });
  const sizeOf = async (ending: string): Promise<number> => {
    const stats = await Promise.all(
      names.filter((name) => name.endsWith(ending)).map((name) => stat(join(folder, name))),
    );
    return stats.reduce((sum, { size }) => sum + size, 0);
  };
  return { text: await sizeOf('.text'), shard: await sizeOf('.shard') };
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

const show = (value: number | undefined): string =>
  value === undefined ? '–' : value >= 100 ? String(Math.round(value)) : value.toPrecision(2);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const [root] = process.argv.slice(2);
if (root === undefined) throw new Error('name a folder of repositories');
try {
  await measure(root);
} finally {
  await rm(temporary, { recursive: true, force: true });
}
