// keyword_search over HTTP, as an agent calls it, beside zoekt, ripgrep and `git grep` on the same commits.
// `npm run bench:search -- <folder of repositories> [<folder for indexes>]`; prints tables of one run on one machine. `ZOEKT` names the
// folder of zoekt's programs, `PARTS` what is done (sets, queries, library, revisions, disk, greps, clients), `CASES` an expression for the names of queries,
// `BENCH_SECONDS` how long a query is repeated. With `--engine zoekt` the service over zoekt is measured instead of the embedded engine.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { residentMegabytes } from '../support/processes.ts';
import type { Started } from '../support/processes.ts';
import { cases } from './search/cases.ts';
import { compareClients, measureFairness } from './search/clients.ts';
import { checkOut, timeGitGrep, timeRipgrep } from './search/greps.ts';
import { startLibrary } from './search/library.ts';
import { inTurnAndAlone, median, percentile, print, printHead, printRow, ratio, show } from './search/measured.ts';
import type { Ask } from './search/measured.ts';
import { atRest, keywordSearch, serve } from './search/served.ts';
import type { Engine } from './search/served.ts';
import { measureRevisions } from './search/revisions.ts';
import { compareSets } from './search/sets.ts';
import { askZoekt, indexWithZoekt, serveZoekt, isZoektHere } from './search/zoekt.ts';
import type { Wanted } from './search/zoekt.ts';

const { values, positionals } = parseArgs({ options: { engine: { type: 'string' } }, allowPositionals: true });
const engine = engineOf(values.engine);
const parts = (process.env['PARTS'] ?? 'sets,queries,library,revisions,disk,greps,clients').split(',');
/** Ours are always the best of all files that match. */
const amounts: readonly { name: string; suffix: string; wanted: Wanted }[] = [
  { name: 'best 15', suffix: '', wanted: { files: 15 } },
  { name: 'best 15 of all', suffix: '', wanted: { files: 15, isBestOfAll: true } },
  { name: 'best 50', suffix: ' count:50', wanted: { files: 50 } },
  { name: 'all', suffix: ' count:all', wanted: {} },
];

const warmUpRounds = 15;
/** Indexes of a gigabyte of text have room in so much, and few texts. */
const bytesWithoutTexts = 320 << 20;

interface Engines {
  readonly sextant: Started;
  readonly zoekt: Started | undefined;
}

async function measure(folder: string, kept: string): Promise<void> {
  const repositories = await repositoriesIn(folder);
  const [data, index] = [join(kept, 'sextant'), join(kept, 'zoekt')];
  await mkdir(data, { recursive: true });
  const hasZoekt = await isZoektHere();
  if (!hasZoekt) print('zoekt is not here: name the folder of its programs in ZOEKT\n');
  const theirs = hasZoekt ? await indexWithZoekt(repositories, index) : undefined;
  const begun = performance.now();
  const sextant = await serve(folder, data, engine);
  const zoekt = hasZoekt ? await serveZoekt(index) : undefined;
  try {
    const seconds = (performance.now() - begun) / 1000;
    await atRest(() => residentMegabytes(sextant));
    if (engine)
      print(`ready after ${show(seconds)} s; ${show(residentMegabytes(sextant))} MB resident without zoekt\n`);
    else await printSizes(sextant, { repositories, data, seconds });
    if (zoekt) print(`zoekt: indexed in ${show(theirs)} s; ${show(residentMegabytes(zoekt))} MB resident\n`);
    await compare({ sextant, zoekt }, { data, repositories });
  } finally {
    await sextant.stop();
    await zoekt?.stop();
  }
  await compareLibraries(folder, { data, repositories, index: hasZoekt ? index : undefined });
  if (parts.includes('disk') && !engine) await compareDisk(folder, data);
  if (parts.includes('greps')) await compareGreps(folder, { data, repositories, checkout: join(kept, 'checkout') });
}

async function compare(
  { sextant, zoekt }: Engines,
  { data, repositories }: { data: string; repositories: readonly string[] },
): Promise<void> {
  const ask =
    (query: string): Ask =>
    () =>
      keywordSearch(sextant, query);
  if (parts.includes('queries')) await compareQueries(ask, zoekt, 'keyword_search over HTTP with a token');
  if (parts.includes('revisions')) await measureRevisions(ask, repositories);
  if (!parts.includes('clients')) return;
  await compareClients(sextant);
  await measureFairness(sextant, data);
}

async function compareQueries(ours: (query: string) => Ask, zoekt: Started | undefined, title: string): Promise<void> {
  const isLibrary = title.startsWith('library');
  await warmUp(ours);
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
    for (const { name, suffix, wanted } of amounts) {
      const theirs: Ask[] = zoekt ? [() => askZoekt(zoekt, each.zoekt, wanted)] : [];
      const [own, other] = await inTurnAndAlone([ours(each.query + suffix), ...theirs]);
      if (!own) continue;
      const p50 = median(own.times);
      const times = other && median(isLibrary ? other.own : other.times);
      const counts = ({ answer }: typeof own): string[] => [String(answer.files), String(answer.lines)];
      const cells = [...counts(own), show(own.first), show(p50), show(percentile(own.times, 0.95))];
      const theirCells = other ? [...counts(other), show(other.first), show(times)] : ['–', '–', '–', '–'];
      printRow([each.name, name, ...cells, ...theirCells, ratio(times, p50)]);
    }
}

/** Our code is compiled while it runs: what nobody has run often is slower than what a server does all day. */
async function warmUp(ours: (query: string) => Ask): Promise<void> {
  for (let round = 0; round < warmUpRounds; round += 1) for (const { query } of cases) await ours(query)();
}

/** The engines without what is around them: ours in this process, zoekt's as it says that it took. */
async function compareLibraries(folder: string, { data, repositories, index }: Indexed): Promise<void> {
  if (!parts.includes('library') && !parts.includes('sets')) return;
  await using library = await startLibrary(folder, data, { ...(engine && { engine }) });
  const zoekt = index === undefined ? undefined : await serveZoekt(index);
  const names = repositories.map((path) => basename(path));
  try {
    if (zoekt && parts.includes('sets')) for (const each of cases) await compareSets({ library, zoekt }, each, names);
    if (parts.includes('library')) await compareQueries((query) => () => library.search(query), zoekt, 'library');
  } finally {
    await zoekt?.stop();
  }
}

/** Texts read from their files where they may be, beside texts in memory. */
async function compareDisk(folder: string, data: string): Promise<void> {
  await using inMemory = await startLibrary(folder, data);
  await using onDisk = await startLibrary(folder, data, { memoryBytes: bytesWithoutTexts });
  print('');
  printHead(['library', '', 'in memory p50 ms', 'from disk p50 ms', 'ratio']);
  for (const each of cases)
    for (const { name, suffix } of amounts.filter(({ wanted }) => !wanted.isBestOfAll)) {
      const query = each.query + suffix;
      const [one, other] = await inTurnAndAlone([() => inMemory.search(query), () => onDisk.search(query)]);
      const [p50, fromDisk] = [median(one?.times ?? []), median(other?.times ?? [])];
      printRow([each.name, name, show(p50), show(fromDisk), ratio(fromDisk, p50)]);
    }
}

interface Indexed {
  readonly data: string;
  readonly repositories: readonly string[];
  /** Of zoekt, where it is here. */
  readonly index: string | undefined;
}

/** All lines that match, as a person would get them without an index. */
async function compareGreps(
  folder: string,
  { data, repositories, checkout }: { data: string; repositories: readonly string[]; checkout: string },
): Promise<void> {
  await checkOut(repositories, checkout);
  await using library = await startLibrary(folder, data, { ...(engine && { engine }) });
  print('');
  printHead(['library, all matches', 'p50 ms', 'ripgrep ms', 'ratio', 'git grep ms', 'ratio']);
  for (const each of cases.filter(({ pattern }) => pattern !== undefined)) {
    const [own] = await inTurnAndAlone([() => library.search(`${each.query} count:all`)]);
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

function engineOf(name: string | undefined): Engine | undefined {
  if (name === undefined) return undefined;
  const { ZOEKT: programs } = process.env;
  if (name !== 'zoekt' || programs === undefined)
    throw new Error('the other engine is "--engine zoekt", with the folder of its programs in ZOEKT');
  return { programs };
}

const [root, kept] = positionals;
if (root === undefined)
  throw new Error('name a folder of repositories: npm run bench:search -- <folder> [<folder for indexes>]');
const temporary = kept ?? (await mkdtemp(join(tmpdir(), 'sextant-bench-search-')));
try {
  await measure(root, temporary);
} finally {
  if (kept === undefined) await rm(temporary, { recursive: true, force: true });
}
