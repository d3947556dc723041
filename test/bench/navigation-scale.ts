/**
 * How fast code navigation is over many repositories: `node test/bench/navigation-scale.ts FOLDER… [--data DIR] [--asked N] [--slowest N]`, each FOLDER a
 * repository or a folder of them. Files are read ahead first; then names are asked for that random files use.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { GitStore, Repositories, Symbols } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { callerOf, startPlugins } from '@sextant/core/testing';
import { loadPreset } from '../support/preset.ts';

const { values, positionals } = parseArgs({
  options: {
    data: { type: 'string' },
    asked: { type: 'string', default: '400' },
    slowest: { type: 'string', default: '0' },
  },
  allowPositionals: true,
});
const caller = callerOf('bench', { isSiteAdmin: true });
const { signal } = new AbortController();
const asked = Number(values.asked);

using temporary = temporaryFolder();
const dataFolder = resolve(values.data ?? join(temporary.path, 'data'));
mkdirSync(dataFolder, { recursive: true });
const settings: Readonly<Record<string, object>> = {
  'service-git': { repositories: positionals.map((path) => ({ path: resolve(path) })) },
  'service-search-index': { threads: 1, memoryBytes: 2 * 2 ** 30 },
  'service-scip': {},
  'service-symbols': {},
};
const plugins = (await loadPreset()).filter(({ name }) => name in settings);
const begun = performance.now();
await using server = await startPlugins(
  dataFolder,
  plugins.map((plugin) => [plugin, settings[plugin.name] ?? {}]),
);
await server.ready();
const seconds = (): string => ((performance.now() - begun) / 1000).toFixed(0);
const pause = (): Promise<void> => new Promise((done) => setTimeout(done, 200));
while (Object.values(server.status()).some(({ isReady }) => !isReady)) await pause();
console.log(`text indexed after ${seconds()} s`);

const { symbols, repositories, git } = server.services.resolve({
  symbols: Symbols,
  repositories: Repositories,
  git: GitStore,
});
const detail = (): Readonly<Record<string, unknown>> => server.status()['symbols']?.detail ?? {};
while (detail()['repositories'] !== (await git.list()).length || detail()['waiting'] !== 0) await pause();
console.log(`files read ahead after ${seconds()} s:`, JSON.stringify(detail()));

const random = ((seed: number) => (below: number) => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
  return Math.floor((seed / 0x80000000) * below);
})(42);
const pick = <T>(list: readonly T[]): T | undefined => list[random(list.length)];

async function pathsOf(repo: string): Promise<string[]> {
  const stored = await git.find(repo);
  const commit = (await stored?.head(signal)) ?? '';
  const found: string[] = [];
  for await (const entries of stored?.tree(commit, { signal }) ?? []) for (const { path } of entries) found.push(path);
  return found;
}

const paths = new Map<string, string[]>();
for (const { name } of await repositories.list(caller)) paths.set(name, await pathsOf(name));
console.log(`${paths.size} repositories, ${[...paths.values()].flat().length} files`);

interface Question {
  readonly repo: string;
  readonly path: string;
  readonly symbol: string;
}

/** A name that a random file of a random repository defines, or a word of its text. */
async function question(kind: 'defined' | 'used'): Promise<Question> {
  for (;;) {
    const repo = pick([...paths.keys()]) ?? '';
    const path = pick(paths.get(repo) ?? []) ?? '';
    const { definitions } = await symbols.outline(caller, { repo, path }, signal).catch(() => ({ definitions: [] }));
    if (definitions.length === 0) continue;
    if (kind === 'defined') return { repo, path, symbol: pick(definitions)?.name ?? '' };
    const repository = await repositories.open(caller, repo);
    const { text } = await repository.readText(await repository.resolve(undefined, signal), path, signal);
    const symbol = pick(text.match(/[A-Za-z_]\w{3,}/g) ?? []);
    if (symbol !== undefined) return { repo, path, symbol };
  }
}

async function measure(
  title: string,
  kind: 'defined' | 'used',
  ask: (question: Question) => Promise<unknown>,
): Promise<void> {
  const times: number[] = [];
  const slow: { time: number; next: Question }[] = [];
  let failed = 0;
  while (times.length < asked) {
    const next = await question(kind);
    const start = performance.now();
    const isAnswered = await ask(next).then(
      () => true,
      () => false,
    );
    const time = performance.now() - start;
    if (isAnswered) times.push(time);
    else failed += 1;
    slow.push({ time, next });
  }
  times.sort((a, b) => a - b);
  const [p50, p95, max] = [0.5, 0.95, 0.999].map((share) => times[Math.floor(times.length * share)]?.toFixed(1));
  console.log(`${title}: p50 ${p50} ms, p95 ${p95} ms, longest ${max} ms (${failed} words that are no names)`);
  for (const { time, next } of slow.toSorted((a, b) => b.time - a.time).slice(0, Number(values.slowest)))
    console.log(`  ${time.toFixed(0)} ms ${next.repo} ${next.path} ${next.symbol}`);
}

await measure('definition', 'used', (one) => symbols.findDefinition(caller, one, signal));
await measure('100 references', 'defined', (one) => symbols.findReferences(caller, { ...one, limit: 100 }, signal));
await measure('outline', 'defined', (one) => symbols.outline(caller, one, signal));
console.log(`${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MB resident`);
