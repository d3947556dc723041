// Indexing of a folder of repositories from nothing, beside what git takes to print the same blobs and, where ZOEKT names the folder
// of its programs, zoekt's indexer. `npm run bench:indexing -- <folder of repositories>`; prints a table of one run on one machine.
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { availableParallelism, devNull, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startSextant } from '../support/processes.ts';

const run = promisify(execFile);
const bin = fileURLToPath(new URL('../../host/bin/sextant.js', import.meta.url));
const mostBytes = 1 << 20;
const pollMs = 50;
const large = { maxBuffer: 1 << 30 };

interface Usage {
  readonly seconds: number;
  /** Of the processor, in all of its processes. */
  readonly processor: number;
  readonly peakMegabytes: number;
}

const temporary = await mkdtemp(join(tmpdir(), 'sextant-bench-indexing-'));

async function measure(folder: string): Promise<void> {
  const repositories = await repositoriesIn(folder);
  const bare = await timed(async () => {
    for (const path of repositories) await printBlobs(path);
  });
  const data = join(temporary, 'data');
  const config = join(temporary, 'sextant.config.json');
  await writeFile(config, JSON.stringify({ repositories: [{ path: resolve(folder) }] }));
  const args = [bin, 'index', '--config', config, '--data', data];
  const ours = await usageOf(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }));
  const { text, index } = await sizesIn(join(data, 'search-index'));
  print(`${repositories.length} repositories, ${megabytes(text)} MB of text; ${availableParallelism()} processors\n`);
  print('| what | seconds | MB/s | processor seconds | MB/s a processor | peak MB |\n|---|---|---|---|---|---|');
  print(`| \`git cat-file --batch\`, one process | ${rate(bare, text)} | – | – | – |`);
  const row = (name: string, usage: Usage): void =>
    print(
      `| ${name} | ${rate(usage.seconds, text)} | ${usage.processor.toFixed(1)} | ${(text / 1e6 / usage.processor).toFixed(0)} | ${usage.peakMegabytes.toFixed(0)} |`,
    );
  row('`sextant index`, with its start', ours);
  const zoekt = process.env['ZOEKT'];
  const theirs = zoekt === undefined ? undefined : await indexByZoekt(join(zoekt, 'zoekt-git-index'), repositories);
  if (theirs) row('`zoekt-git-index`, without ctags', theirs);
  print(`\nindex without content ${((100 * index) / text).toFixed(1)} % of the text`);
  print(
    theirs
      ? `${(theirs.seconds / ours.seconds).toFixed(1)}× zoekt in time, ${(theirs.processor / ours.processor).toFixed(1)}× in time of the processor`
      : 'zoekt: set ZOEKT to the folder of its programs to compare',
  );
  await measureServer(folder, data);
}

/** The whole server, which has histories and symbols to index as well: from nothing, and on what there is. */
async function measureServer(folder: string, data: string): Promise<void> {
  const again = await untilSearchable(folder, data);
  await rm(data, { recursive: true });
  const anew = await untilSearchable(folder, data);
  print(`the server can search everything ${anew.toFixed(1)} s after its start, ${again.toFixed(1)} s with an index`);
}

async function untilSearchable(folder: string, data: string): Promise<number> {
  const begun = performance.now();
  // `sextant index` makes no administrator, so that each start here is the first and prints a token.
  const sextant = await startSextant(['--repos', folder, '--data', data]);
  const headers = { authorization: `Bearer ${sextant.token}` };
  try {
    for (;;) {
      const state = (await (await fetch(`${sextant.url}/readyz`, { headers })).json()) as {
        services: { search: { isReady: boolean } };
      };
      if (state.services.search.isReady) return (performance.now() - begun) / 1000;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  } finally {
    await sextant.stop();
  }
}

/** One repository after the other, each with as many threads as there are processors. */
async function indexByZoekt(program: string, repositories: readonly string[]): Promise<Usage> {
  const into = join(temporary, 'zoekt');
  const options = ['-disable_ctags', '-index', into, '-file_limit', String(mostBytes)];
  const total = { seconds: 0, processor: 0, peakMegabytes: 0 };
  for (const path of repositories) {
    const args = [...options, '-parallelism', String(availableParallelism()), path];
    const usage = await usageOf(spawn(program, args, { stdio: 'ignore' }));
    total.seconds += usage.seconds;
    total.processor += usage.processor;
    total.peakMegabytes = Math.max(total.peakMegabytes, usage.peakMegabytes);
    // Repositories that are folders of one name would take each other's place.
    await rm(into, { recursive: true, force: true });
  }
  return total;
}

/** What a process uses until it ends. What it used since the last look is missing: at most some hundredths of a second. */
async function usageOf(child: ChildProcess): Promise<Usage> {
  const begun = performance.now();
  const used = { processor: 0, peakMegabytes: 0 };
  const timer = setInterval(() => void look(child.pid, used), pollMs);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearInterval(timer);
  if (code !== 0) throw new Error(`${child.spawnfile} ended with ${code}`);
  return { seconds: (performance.now() - begun) / 1000, ...used };
}

async function look(pid: number | undefined, used: { processor: number; peakMegabytes: number }): Promise<void> {
  try {
    // After the name, which may contain spaces: times of the process and of its children, in hundredths of a second.
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
    used.processor = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
    const peak = /VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
    if (peak !== undefined) used.peakMegabytes = Number(peak) / 1024;
  } catch {
    // It has ended.
  }
}

/** Prints the blobs of HEAD that an index reads. */
async function printBlobs(path: string): Promise<void> {
  const { stdout } = await run('git', ['-C', path, 'ls-tree', '-r', '-l', 'HEAD'], large);
  const lines = stdout.split('\n').map((line) => line.split(/\s+/));
  const ids = lines.flatMap(([mode, , id, size]) =>
    mode?.startsWith('100') && Number(size) <= mostBytes ? [`${id}\n`] : [],
  );
  const git = spawn('git', ['-C', path, 'cat-file', '--batch', '--buffer'], { stdio: ['pipe', 'pipe', 'inherit'] });
  await Promise.all([
    pipeline(Readable.from([...new Set(ids)].join('')), git.stdin),
    pipeline(git.stdout, createWriteStream(devNull)),
  ]);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}

async function repositoriesIn(folder: string): Promise<string[]> {
  const paths = (await readdir(folder)).map((name) => join(folder, name));
  const heads = await Promise.all(
    paths.map((path) => run('git', ['-C', path, 'rev-parse', 'HEAD']).catch(() => undefined)),
  );
  return paths.filter((_, index) => heads[index]);
}

async function sizesIn(folder: string): Promise<{ text: number; index: number }> {
  const sizes = { text: 0, index: 0 };
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const { size } = await stat(join(entry.parentPath, entry.name));
    sizes[entry.name.endsWith('.text') ? 'text' : 'index'] += size;
  }
  return sizes;
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
const rate = (seconds: number, bytes: number): string =>
  `${seconds.toFixed(1)} | ${(bytes / 1e6 / seconds).toFixed(0)}`;

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
