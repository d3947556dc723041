// Whether the researcher behind code_finder finds the files that a past commit changed, asked at its parent with its
// message: beside plain nls_search with the same text, and BM25 of SQLite over whole files. Only the services that this
// needs run, in this process, over one repository after the other.
// `npm run bench:localise -- [--commits 60] <repository>…`
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseQuery, Researcher, Search } from '@sextant/contracts';
import { callerOf, startPlugins } from '@sextant/core/testing';
import { loadPreset } from '../support/preset.ts';
import { measure, rowOf } from './localise/measures.ts';
import type { Measured, Ranked } from './localise/measures.ts';
import { samplePastTasks } from './localise/past-tasks.ts';
import type { PastTask } from './localise/past-tasks.ts';
import { WholeFiles } from './localise/whole-files.ts';

const needed = ['service-git', 'service-search-index', 'service-symbols', 'service-researcher'];
const filesOfBaselines = 100;
/** A query has a limit. */
const mostWords = 400;
const caller = callerOf('ada');
const { signal } = new AbortController();

interface Place {
  readonly name: string;
  readonly path: string;
}

type Rankings = Record<'BM25 over whole files' | 'nls_search' | 'code_finder', Measured[]>;

interface Services {
  readonly search: Search;
  readonly researcher: Researcher;
}

async function main(folders: readonly string[], commits: number): Promise<void> {
  print('| repository | ranking | recall@5 | recall@10 | MRR | hunks in 500 lines | p50 ms | p95 ms |');
  print('|---|---|---|---|---|---|---|---|');
  const all = new Map<string, Measured[]>();
  for (const folder of folders) {
    const place = { name: nameOf(folder), path: resolve(folder) };
    for (const [ranking, measured] of Object.entries(await measureOne(place, commits))) {
      print(`| ${[place.name, ranking, ...rowOf(measured)].join(' | ')} |`);
      all.set(ranking, [...(all.get(ranking) ?? []), ...measured]);
    }
  }
  for (const [ranking, measured] of all) print(`| all | ${ranking} | ${rowOf(measured).join(' | ')} |`);
}

async function measureOne(place: Place, commits: number): Promise<Rankings> {
  const plugins = await loadPreset(needed);
  const dataFolder = await mkdtemp(join(tmpdir(), 'sextant-bench-localise-'));
  try {
    await using started = await startPlugins(
      dataFolder,
      plugins.map((plugin) => [plugin, plugin.name === 'service-git' ? { repositories: [place] } : {}]),
    );
    return await compare(started.services.resolve({ search: Search, researcher: Researcher }), place, commits);
  } finally {
    await rm(dataFolder, { recursive: true, force: true });
  }
}

async function compare(services: Services, { name, path }: Place, commits: number): Promise<Rankings> {
  const measured: Rankings = { 'BM25 over whole files': [], nls_search: [], code_finder: [] };
  const wholeFiles = new WholeFiles(path);
  const tasks = samplePastTasks(path, commits);
  await untilSearchable(services, name);
  for (const task of tasks) {
    wholeFiles.moveTo(task.parent);
    const begun = performance.now();
    const paths = wholeFiles.rank(task.message, filesOfBaselines);
    measured['BM25 over whole files'].push(measure(task, { paths, ranges: [], ms: performance.now() - begun }));
    measured.nls_search.push(measure(task, await searched(services, name, task)));
    measured.code_finder.push(measure(task, await found(services, name, task)));
  }
  wholeFiles.close();
  return measured;
}

async function searched({ search }: Services, name: string, { parent, message }: PastTask): Promise<Ranked> {
  const words = message.match(/[\p{L}\p{N}_]{1,15}/gu)?.map((word) => `"${word}"`) ?? [];
  const query = `repo:^${escaped(name)}$ rev:${parent} ${words.slice(0, mostWords).join(' ')}`;
  const limits = { files: filesOfBaselines, chunksPerFile: 3, chunkCharacters: 1024, lineCharacters: 256 };
  const begun = performance.now();
  const { files } = await search.find(caller, { ...parseQuery(query), mode: 'natural', limits }, signal);
  return { paths: files.map((file) => file.path), ranges: [], ms: performance.now() - begun };
}

async function found({ researcher }: Services, name: string, { parent, message }: PastTask): Promise<Ranked> {
  const begun = performance.now();
  const task = { task: `In ${name}: ${message}`, revision: parent };
  const { locations } = await researcher.locate(caller, task, { signal, reportProgress: () => undefined });
  const ms = performance.now() - begun;
  return { paths: [...new Set(locations.map((location) => location.path))], ranges: locations, ms };
}

/** The first searches wait for the index, and no longer than an operator lets them. */
async function untilSearchable({ search }: Services, name: string): Promise<void> {
  const query = `repo:^${escaped(name)}$ index`;
  const limits = { files: 1, chunksPerFile: 1, chunkCharacters: 100, lineCharacters: 100 };
  const isAnswered = (): Promise<boolean> =>
    search.find(caller, { ...parseQuery(query), mode: 'natural', limits }, signal).then(
      () => true,
      () => false,
    );
  while (!(await isAnswered())) await new Promise((later) => setTimeout(later, 500));
}

const escaped = (name: string): string => name.replaceAll(/[.+]/g, '\\$&');

/** The folder's name, or that of the one around a folder called `repo`. */
const nameOf = (folder: string): string => {
  const path = resolve(folder);
  return basename(path) === 'repo' ? basename(join(path, '..')) : basename(path).replace(/\.git$/, '');
};

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const { values, positionals } = parseArgs({
  options: { commits: { type: 'string', default: '60' } },
  allowPositionals: true,
});
if (positionals.length === 0) throw new Error('name the repositories to measure with');
await main(positionals, Number(values.commits));
