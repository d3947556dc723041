// How long pages take and how large they are: `npm run bench:pages -- <folder of repositories>`. Times are until the last
// byte over loopback, sizes as sent (brotli). Cold: files that nobody looked at before. The
// least of the times is what a machine without other work would nearly always take.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSextant } from '../support/processes.ts';

const rounds = 20;
const coldFiles = 40;
/** Source files of about 2000 lines have so many bytes. */
const [leastBytes, mostBytes] = [55_000, 90_000];
const source = /\.(c|cc|cpp|go|java|js|py|rb|rs|ts)$/;

interface Seen {
  readonly milliseconds: number;
  readonly bytes: number;
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('say which folder has the repositories: npm run bench:pages -- ~/code');
const data = await mkdtemp(join(tmpdir(), 'sextant-bench-'));
const server = await startSextant(['--repos', folder, '--data', data]);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
try {
  await untilIndexed();
  await run(folder);
} finally {
  agent.destroy();
  await server.stop();
  await rm(data, { recursive: true, force: true });
}

async function run(folder: string): Promise<void> {
  const files = (await readdir(folder)).flatMap((repo) => longFiles(folder, repo));
  const chosen = files.toSorted().filter((_, index) => index % Math.ceil(files.length / coldFiles) === 0);
  const [repo = '', path = ''] = (chosen[0] ?? '').split('\n');
  const name = encodeURIComponent(repo);
  const pages = {
    home: '/',
    'search, keywords': '/search?q=return+error',
    'search, a question': '/search?q=where+are+connections+closed&mode=natural',
    'search, commits': `/search?q=type:commit+repo:${name}+fix`,
    'a folder': `/${name}/-/tree/`,
    'a file of 2,000 lines, seen before': `/${name}/-/blob/${path}`,
    'a commit': `/${name}/-/commit/HEAD`,
    'a history': `/${name}/-/commits/`,
    'a comparison': `/${name}/-/compare/HEAD~20...HEAD`,
  };
  row('page', 'least ms', 'p50 ms', 'p95 ms', 'kB sent');
  row('---', '---', '---', '---', '---');
  report('a file of 2,000 lines, cold', await seen(chosen.map(addressOf)));
  for (const [title, path] of Object.entries(pages))
    report(title, await seen(Array.from({ length: rounds }, () => path)));
}

function longFiles(folder: string, repo: string): string[] {
  const listing = execFileSync('git', ['-C', join(folder, repo), 'ls-tree', '-r', '-l', '-z', 'HEAD'], {
    maxBuffer: 1 << 28,
  });
  return listing
    .toString()
    .split('\0')
    .flatMap((line) => {
      const [, bytes, path = ''] = /^\d+ blob \w+ +(\d+)\t(.*)$/s.exec(line) ?? [];
      return source.test(path) && Number(bytes) > leastBytes && Number(bytes) < mostBytes ? [`${repo}\n${path}`] : [];
    });
}

function addressOf(file: string): string {
  const [repo = '', path = ''] = file.split('\n');
  return `/${encodeURIComponent(repo)}/-/blob/${path.split('/').map(encodeURIComponent).join('/')}`;
}

async function seen(paths: readonly string[]): Promise<Seen[]> {
  const all: Seen[] = [];
  for (const path of paths) all.push(await look(path));
  return all;
}

function look(path: string): Promise<Seen> {
  const headers = { authorization: `Bearer ${server.token}`, accept: 'text/html', 'accept-encoding': 'br' };
  const started = performance.now();
  return new Promise((resolve, reject) => {
    get(server.url + path, { agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path}: ${response.statusCode}`));
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      response.on('end', () => resolve({ milliseconds: performance.now() - started, bytes }));
    }).once('error', reject);
  });
}

function report(title: string, all: readonly Seen[]): void {
  const times = all.map(({ milliseconds }) => milliseconds);
  const sizes = all.map(({ bytes }) => bytes / 1000);
  const [least, half, most] = [0, 0.5, 0.95].map((share) => percentile(times, share).toFixed(1));
  row(title, `${least}`, `${half}`, `${most}`, percentile(sizes, 0.5).toFixed(1));
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

async function untilIndexed(): Promise<void> {
  while ((await fetch(`${server.url}/readyz`)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 500));
}

function row(...cells: string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}
