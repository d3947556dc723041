// The curve of costs of a search: 10, 100, 1,000 and 10,000 repositories over 1, 2, 4 and 8 servers of zoekt, beside the embedded engine.
// `ZOEKT=<folder of its programs> npm run bench:shards -- [<repositories>] [<servers>]`, as `10,1000 1,8`; prints a row for each. Without
// `ZOEKT` only the embedded engine is measured. `BENCH_SECONDS` sets how long each query is repeated; `DATA=<folder>` keeps the repositories and
// indexes for the next run. Each query has p50, p95 and processor time in milliseconds. Indexes are kept from row to row: `s until ready` and
// `processor s` are of the repositories that the level before had not, and of zoekt only in the first row of a level; in the others the indexes of
// all repositories only go to the folders of their new servers.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Search, defaultSearchLimits, parseQuery } from '@sextant/contracts';
import { callerOf, startPlugins } from '@sextant/core/testing';
import git from '../../plugins/services/git/src/index.ts';
import searchIndex from '../../plugins/services/search-index/src/index.ts';
import searchZoekt from '../../plugins/services/search-zoekt/src/index.ts';
import { wholeMegabytes, wholeProcessorSeconds } from '../support/processes.ts';
import { budgetMs, median, percentile, print, printHead, printRow, show } from './search/measured.ts';
import { levels, makeCorpus, words } from './shards/corpus.ts';
import type { Corpus } from './shards/corpus.ts';

const programs = process.env['ZOEKT'];
const [levelsGiven = levels.join(), serversGiven = '1,2,4,8'] = process.argv.slice(2);
const numbersOfRepositories = levelsGiven.split(',').map(Number);
const numbersOfServers = serversGiven.split(',').map(Number);
const most = Math.max(...numbersOfRepositories);
const whole = { process: { pid: process.pid } } as Parameters<typeof wholeMegabytes>[0];
const leastCalls = 5;
const { signal } = new AbortController();

const queries = {
  'one name': words.nameIn(7),
  'two words': `${words.common} ${words.other}`,
  'common word': words.common,
  'all files, counted': `${words.other} count:all`,
  'one repository': `repo:r7$ ${words.common}`,
};

/** The engine of a row; `servers` is undefined for the embedded one. */
interface Row {
  readonly repositories: number;
  readonly folders: readonly string[];
  readonly store: string;
  readonly data: string;
  readonly servers: number | undefined;
}

async function measure({ repositories, folders, store, data, servers }: Row): Promise<void> {
  const engine = servers === undefined ? searchIndex : searchZoekt;
  const before = { ms: performance.now(), processor: wholeProcessorSeconds(whole) };
  await using started = await startPlugins(data, [
    [git, { repositories: folders.map((path) => ({ path })), sharedObjectStores: [store] }],
    [engine, servers === undefined ? {} : { programs, servers, seconds: 60 }],
  ]);
  await started.ready();
  while (!Object.values(started.status()).every(({ isReady }) => isReady)) await setTimeout(50);
  const seconds = (performance.now() - before.ms) / 1000;
  const processor = wholeProcessorSeconds(whole) - before.processor;
  const { search } = started.services.resolve({ search: Search });
  const cells: string[] = [];
  for (const query of Object.values(queries)) {
    const find = async (): Promise<void> => {
      const request = { ...parseQuery(query), mode: 'keyword', limits: defaultSearchLimits } as const;
      const { files } = await search.find(callerOf('bench'), request, signal);
      if (files.length === 0) throw new Error(`nothing was found by ${query}`);
    };
    cells.push(await timed(find));
  }
  const folder = join(data, servers === undefined ? 'search-index' : 'search-zoekt');
  const own = [seconds, processor, megabytesOf(folder), wholeMegabytes(whole)].map(show);
  printRow([repositories.toLocaleString('en'), servers === undefined ? 'embedded' : String(servers), ...own, ...cells]);
}

/** p50, p95 and processor time, in milliseconds. */
async function timed(find: () => Promise<void>): Promise<string> {
  for (let call = 0; call < leastCalls; call += 1) await find();
  const times: number[] = [];
  const processor = wholeProcessorSeconds(whole);
  const begun = performance.now();
  while (times.length < leastCalls || performance.now() - begun < budgetMs) {
    const call = performance.now();
    await find();
    times.push(performance.now() - call);
  }
  const spent = ((wholeProcessorSeconds(whole) - processor) * 1000) / times.length;
  times.sort((a, b) => a - b);
  return `${show(median(times))}, ${show(percentile(times, 0.95))}, ${show(spent)}`;
}

const megabytesOf = (folder: string): number =>
  Number(execFileSync('du', ['-s', '-B1', '--', folder], { encoding: 'utf8' }).split('\t')[0]) / 1e6;

async function printCurve({ folders, store, bytesOfEach }: Corpus, folder: string): Promise<void> {
  print(`Repositories of ${show(bytesOfEach / 1000)} kB of text; of each query p50, p95 and processor ms.\n`);
  const about = ['s until ready', 'processor s', 'MB of index', 'MB of memory'];
  printHead(['repositories', 'servers', ...about, ...Object.keys(queries)]);
  const engines = programs === undefined ? [undefined] : [undefined, ...numbersOfServers.toReversed()];
  for (const [at, repositories] of levels.entries()) {
    if (!numbersOfRepositories.includes(repositories)) continue;
    for (const servers of engines) {
      const data = join(folder, servers === undefined ? 'data-embedded' : 'data-zoekt');
      mkdirSync(data, { recursive: true });
      await measure({ repositories, folders: folders.slice(0, at + 1), store, data, servers });
    }
  }
}

if (programs === undefined) print('zoekt is not here: name the folder of its programs in ZOEKT\n');
const { DATA: kept } = process.env;
const folder = kept ?? mkdtempSync(join(tmpdir(), 'sextant-shards-'));
try {
  const file = join(folder, `corpus-of-${most}.json`);
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(await makeCorpus(folder, most)));
  await printCurve(JSON.parse(readFileSync(file, 'utf8')) as Corpus, folder);
} finally {
  if (kept === undefined) rmSync(folder, { recursive: true, force: true });
}
