// Whether code_finder finds the files that a past commit changed, asked at its parent with its message: beside plain
// nls_search with the same text, and BM25 of SQLite over whole files.
// `npm run bench:localise -- [--commits 60] <repository>…`
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startSextant } from '../support/processes.ts';
import type { Started } from '../support/processes.ts';
import { measure, rowOf } from './localise/measures.ts';
import type { Measured, Ranked } from './localise/measures.ts';
import { samplePastTasks } from './localise/past-tasks.ts';
import type { PastTask } from './localise/past-tasks.ts';
import { WholeFiles } from './localise/whole-files.ts';
import { ask } from './support/load.ts';

const rankings = ['BM25 over whole files', 'nls_search', 'code_finder'] as const;
const filesOfBaselines = 100;
const mostQuery = 6000;

async function main(folders: readonly string[], commits: number): Promise<void> {
  const repositories = folders.map((folder) => ({ name: nameOf(folder), path: resolve(folder) }));
  const config = join(temporary, 'sextant.config.json');
  await writeFile(config, JSON.stringify({ repositories, logLevel: 'warn' }));
  const sextant = await startSextant(['--config', config, '--data', join(temporary, 'data')]);
  const all: Record<string, Measured[][]> = {};
  try {
    print('| repository | ranking | recall@5 | recall@10 | MRR | hunks in 500 lines | p50 ms | p95 ms |');
    print('|---|---|---|---|---|---|---|---|');
    for (const { name, path } of repositories)
      for (const [ranking, measured] of Object.entries(await compare(sextant, { name, path, commits }))) {
        print(`| ${[name, ranking, ...rowOf(measured)].join(' | ')} |`);
        (all[ranking] ??= []).push(measured);
      }
    for (const [ranking, each] of Object.entries(all))
      print(`| all | ${ranking} | ${rowOf(each.flat()).join(' | ')} |`);
  } finally {
    await sextant.stop();
  }
}

async function compare(
  sextant: Started,
  { name, path, commits }: { name: string; path: string; commits: number },
): Promise<Record<(typeof rankings)[number], Measured[]>> {
  const measured: Record<(typeof rankings)[number], Measured[]> = {
    'BM25 over whole files': [],
    nls_search: [],
    code_finder: [],
  };
  await untilSearchable(sextant, name);
  const wholeFiles = new WholeFiles(path);
  for (const task of samplePastTasks(path, commits)) {
    wholeFiles.moveTo(task.parent);
    const begun = performance.now();
    const paths = wholeFiles.rank(task.message, filesOfBaselines);
    measured['BM25 over whole files'].push(measure(task, { paths, ranges: [], ms: performance.now() - begun }));
    measured.nls_search.push(measure(task, await searched(sextant, name, task)));
    measured.code_finder.push(measure(task, await found(sextant, name, task)));
  }
  wholeFiles.close();
  return measured;
}

async function searched(sextant: Started, name: string, { parent, message }: PastTask): Promise<Ranked> {
  const words = message.match(/[\p{L}\p{N}_]+/gu)?.map((word) => `"${word}"`) ?? [];
  const query = `repo:^${escaped(name)}$ rev:${parent} count:${filesOfBaselines} ${words.join(' ').slice(0, mostQuery)}`;
  const begun = performance.now();
  const { blocks } = await call<{ blocks: { file: string }[] }>(sextant, 'nls_search', { query });
  return { paths: blocks.map(({ file }) => file), ranges: [], ms: performance.now() - begun };
}

async function found(sextant: Started, name: string, { parent, message }: PastTask): Promise<Ranked> {
  const begun = performance.now();
  const { locations } = await call<{ locations: Ranked['ranges'] }>(sextant, 'code_finder', {
    task: `In ${name}: ${message}`,
    revision: parent,
  });
  const ms = performance.now() - begun;
  return { paths: [...new Set(locations.map(({ path }) => path))], ranges: locations, ms };
}

async function call<T>(sextant: Started, tool: string, args: object): Promise<T> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } };
  const answer = await ask({ url: `${sextant.url}/.api/mcp/all`, token: sextant.token }, body);
  const { result } = JSON.parse(answer) as { result: { structuredContent: T } };
  return result.structuredContent;
}

/** The first calls wait for the index. */
async function untilSearchable(sextant: Started, name: string): Promise<void> {
  const isAnswered = (): Promise<boolean> =>
    call(sextant, 'nls_search', { query: `repo:^${escaped(name)}$ index` }).then(
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
const temporary = await mkdtemp(join(tmpdir(), 'sextant-bench-localise-'));
try {
  await main(positionals, Number(values.commits));
} finally {
  await rm(temporary, { recursive: true, force: true });
}
