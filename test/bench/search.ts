// keyword_search over HTTP, as an agent calls it, beside zoekt, ripgrep and `git grep` on the same commits.
// `npm run bench:search -- <folder of repositories> [<folder for indexes>]`; prints tables of one run on one machine. `ZOEKT` names the
// folder of zoekt's programs, `PARTS` what is done (sets, queries, library, greps, clients), `BENCH_SECONDS` how long a query is repeated.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { residentMegabytes } from '../support/processes.ts';
import type { Started } from '../support/processes.ts';
import { cases } from './search/cases.ts';
import { compareClients, measureFairness } from './search/clients.ts';
import { checkOut, timeGitGrep, timeRipgrep } from './search/greps.ts';
import { startLibrary } from './search/library.ts';
import { inTurn, median, percentile, print, printHead, printRow, ratio, show } from './search/measured.ts';
import type { Ask } from './search/measured.ts';
import { keywordSearch, serve } from './search/served.ts';
import { compareSets } from './search/sets.ts';
import { askZoekt, indexWithZoekt, serveZoekt, zoektVersion } from './search/zoekt.ts';

const parts = (process.env['PARTS'] ?? 'sets,queries,library,greps,clients').split(',');
const amounts = [
  { name: 'best 15', suffix: '', files: 15 },
  { name: 'best 50', suffix: ' count:50', files: 50 },
  { name: 'all', suffix: ' count:all', files: undefined },
] as const;

interface Engines {
  readonly sextant: Started;
  readonly zoekt: Started | undefined;
}

async function measure(folder: string, kept: string): Promise<void> {
  const repositories = await repositoriesIn(folder);
  const [data, index] = [join(kept, 'sextant'), join(kept, 'zoekt')];
  await mkdir(data, { recursive: true });
  const version = await zoektVersion();
  if (version === undefined) print('zoekt is not here: name the folder of its programs in ZOEKT\n');
  const theirs = version === undefined ? undefined : await indexWithZoekt(repositories, index);
  const begun = performance.now();
  const sextant = await serve(folder, data);
  const zoekt = version === undefined ? undefined : await serveZoekt(index);
  try {
    const seconds = (performance.now() - begun) / 1000;
    await printSizes(sextant, { repositories, data, seconds });
    if (zoekt) print(`zoekt ${version}: indexed in ${show(theirs)} s; ${show(residentMegabytes(zoekt))} MB resident\n`);
    await compare({ sextant, zoekt }, { repositories, data });
  } finally {
    await sextant.stop();
    await zoekt?.stop();
  }
  if (parts.includes('library')) await compareLibraries(folder, { data, index: version && index });
  if (parts.includes('greps')) await compareGreps(folder, { data, repositories, checkout: join(kept, 'checkout') });
}

async function compare(
  { sextant, zoekt }: Engines,
  { repositories, data }: { repositories: readonly string[]; data: string },
): Promise<void> {
  if (zoekt && parts.includes('sets'))
    for (const each of cases)
      await compareSets(
        { sextant, zoekt },
        each,
        repositories.map((path) => basename(path)),
      );
  if (parts.includes('queries')) {
    const ask =
      (query: string): Ask =>
      () =>
        keywordSearch(sextant, query);
    await compareQueries(ask, zoekt, 'keyword_search over HTTP with a token');
  }
  if (!parts.includes('clients')) return;
  await compareClients(sextant);
  await measureFairness(sextant, data);
}

async function compareQueries(ours: (query: string) => Ask, zoekt: Started | undefined, title: string): Promise<void> {
  const isLibrary = title.startsWith('library');
  printHead([
    title,
    '',
    'files',
    'lines',
    'first',
    'p50 ms',
    'p95 ms',
    'zoekt files',
    'lines',
    'first',
    'p50 ms',
    'ratio',
  ]);
  for (const each of cases)
    for (const { name, suffix, files } of amounts) {
      const theirs: Ask[] = zoekt ? [() => askZoekt(zoekt, each.zoekt, files)] : [];
      const [own, other] = await inTurn([ours(each.query + suffix), ...theirs]);
      if (!own) continue;
      const p50 = median(own.times);
      const times = other && median(isLibrary ? other.own : other.times);
      const counts = ({ answer }: typeof own): string[] => [String(answer.files), String(answer.lines)];
      const cells = [...counts(own), show(own.first), show(p50), show(percentile(own.times, 0.95))];
      const theirCells = other ? [...counts(other), show(other.first), show(times)] : ['–', '–', '–', '–'];
      printRow([each.name, name, ...cells, ...theirCells, ratio(times, p50)]);
    }
}

/** The engines without what is around them: ours in this process, zoekt's as it says that it took. */
async function compareLibraries(
  folder: string,
  { data, index }: { data: string; index: string | undefined },
): Promise<void> {
  await using library = await startLibrary(folder, data);
  const zoekt = index === undefined ? undefined : await serveZoekt(index);
  try {
    print('');
    await compareQueries((query) => () => library.search(query), zoekt, 'library');
  } finally {
    await zoekt?.stop();
  }
}

/** All lines that match, as a person would get them without an index. */
async function compareGreps(
  folder: string,
  { data, repositories, checkout }: { data: string; repositories: readonly string[]; checkout: string },
): Promise<void> {
  await checkOut(repositories, checkout);
  await using library = await startLibrary(folder, data);
  print('');
  printHead(['library, all matches', 'p50 ms', 'ripgrep ms', 'ratio', 'git grep ms', 'ratio']);
  for (const each of cases.filter(({ pattern }) => pattern !== undefined)) {
    const [own] = await inTurn([() => library.search(`${each.query} count:all`)]);
    const p50 = median(own?.times ?? []);
    const [ripgrep, git] = [await timeRipgrep(each, checkout), await timeGitGrep(each, repositories)];
    printRow([each.name, show(p50), show(ripgrep), ratio(ripgrep, p50), show(git), ratio(git, p50)]);
  }
}

async function printSizes(
  sextant: Started,
  { repositories, data, seconds }: { repositories: readonly string[]; data: string; seconds: number },
): Promise<void> {
  const folder = join(data, 'search-index');
  const names = await readdir(folder, { recursive: true });
  const sizeOf = async (ending: string): Promise<number> => {
    const stats = await Promise.all(
      names.filter((name) => name.endsWith(ending)).map((name) => stat(join(folder, name))),
    );
    return stats.reduce((sum, { size }) => sum + size, 0);
  };
  const [text, shard] = [await sizeOf('.text'), await sizeOf('.shard')];
  print(
    `${repositories.length} repositories, ${(text / 1e6).toFixed(0)} MB of text, each blob once; ready after ${show(seconds)} s`,
  );
  print(`index ${((100 * shard) / text).toFixed(1)} % of the text; ${show(residentMegabytes(sextant))} MB resident\n`);
}

async function repositoriesIn(folder: string): Promise<string[]> {
  const paths = (await readdir(folder)).map((name) => join(folder, name));
  const isRepository = await Promise.all(
    paths.map((path) =>
      promisify(execFile)('git', ['-C', path, 'rev-parse', 'HEAD']).then(
        () => true,
        () => false,
      ),
    ),
  );
  return paths.filter((_, index) => isRepository[index]);
}

const [root, kept] = process.argv.slice(2);
if (root === undefined) throw new Error('name a folder of repositories');
const temporary = kept ?? (await mkdtemp(join(tmpdir(), 'sextant-bench-search-')));
try {
  await measure(root, temporary);
} finally {
  if (kept === undefined) await rm(temporary, { recursive: true, force: true });
}
