// Searches of history beside git itself, in one run on one machine: `npm run bench:history [-- REPOSITORY]`. Without a
// repository, one of 50,000 commits is generated. BENCH_WORDS are a rare and a common word of the changed lines.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { call, post } from '../http/support/rpc.ts';
import { residentMegabytes, startSextant } from '../support/processes.ts';
import type { Started } from '../support/processes.ts';
import { generateHistory } from './support/history.ts';

const rounds = 25;
const commits = Number(process.env['BENCH_COMMITS'] ?? 50_000);
const [rare = 'needle_in_history', common = 'error'] = (process.env['BENCH_WORDS'] ?? '').split(' ').filter(Boolean);
const author = process.env['BENCH_AUTHOR'] ?? 'person7@';
const path = process.env['BENCH_PATH'] ?? 'src/part1';
const message = process.env['BENCH_MESSAGE'] ?? 'change 12345';

const repos = ['^bench$'];
const searches: readonly (readonly [name: string, tool: string, args: object])[] = [
  [`diff_search ${rare}`, 'diff_search', { repos, pattern: rare }],
  [`diff_search ${common}`, 'diff_search', { repos, pattern: common }],
  ['diff_search, an expression', 'diff_search', { repos, pattern: `${common}\\([a-z]+, `, useRegex: true }],
  ['diff_search, nothing to find', 'diff_search', { repos, pattern: 'never_was_here' }],
  [`commit_search by content ${rare}`, 'commit_search', { repos: ['bench'], contentTerms: [rare] }],
  ['commit_search, newest', 'commit_search', { repos: ['bench'] }],
  ['commit_search by author and path', 'commit_search', { repos: ['bench'], authors: [author], files: [path] }],
  ['commit_search by message', 'commit_search', { repos: ['bench'], messageTerms: [message] }],
];

const folder = await mkdtemp(join(tmpdir(), 'sextant-bench-'));
try {
  await run();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const repository = join(folder, 'git', 'bench.git');
  const [given] = process.argv.slice(2);
  if (given === undefined) await generateHistory(repository, commits);
  else execFileSync('git', ['clone', '--quiet', '--bare', '--shared', given, repository]);
  const patchBytes = await bareDiff(repository);
  const data = join(folder, 'data');
  const server = await timed('ready, everything indexed (search and symbols included)', () => ready(data));
  try {
    sizes(join(data, 'history-index'), patchBytes);
    for (const search of searches) await measure(server, search);
    print('resident memory of the server', `${residentMegabytes(server).toFixed(0)} MB`);
    await newCommits(server, repository);
  } finally {
    await server.stop();
  }
  await manyRepositories();
  compareWithGit(repository);
}

async function ready(data: string, repositories = 'git'): Promise<Started> {
  const server = await startSextant(['--repos', join(folder, repositories), '--data', data]);
  while ((await fetch(`${server.url}/readyz`)).status !== 200) await setTimeout(50);
  return server;
}

/** All diffs by as many processes as the index uses; returns their bytes. */
async function bareDiff(repository: string): Promise<number> {
  const refs = ['--branches', '--tags', 'HEAD'];
  const args = ['-C', repository, 'rev-list', ...refs];
  const hashes = execFileSync('git', args, { maxBuffer: Infinity }).toString().trim().split('\n');
  const processes = Math.min(4, availableParallelism());
  const share = Math.ceil(hashes.length / processes);
  const parts = Array.from({ length: processes }, (_, index) => hashes.slice(index * share, (index + 1) * share));
  const bytes = await timed(`git diff-tree --stdin -p of ${hashes.length} commits, ${processes} processes`, () =>
    Promise.all(parts.map((part) => diffBytes(repository, part))),
  );
  return bytes.reduce((sum, each) => sum + each, 0);
}

async function diffBytes(repository: string, hashes: readonly string[]): Promise<number> {
  const args = ['-C', repository, 'diff-tree', '--stdin', '--root', '-p', '--no-renames'];
  const git = spawn('git', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let bytes = 0;
  git.stdout.on('data', (chunk: Buffer) => (bytes += chunk.length));
  git.stdin.end(`${hashes.join('\n')}\n`);
  await once(git, 'close');
  return bytes;
}

function sizes(index: string, patchBytes: number): void {
  const files = readdirSync(index, { recursive: true }).map(String);
  const sizeOf = (ending: RegExp): number =>
    files.filter((file) => ending.test(file)).reduce((sum, file) => sum + statSync(join(index, file)).size, 0);
  const text = sizeOf(/\.(lines|messages)-text$/);
  const share = (bytes: number, whole: number): string => `${((100 * bytes) / whole).toFixed(1)} %`;
  print(
    'block indexes and tables of the changed lines and messages',
    share(sizeOf(/\.(lines|messages|tables)$/), text),
  );
  print('hunks of what git prints', share(sizeOf(/\.hunks$/), patchBytes));
}

async function measure(server: Started, [name, tool, args]: (typeof searches)[number]): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    const text = await ask(server, tool, args);
    if (text.includes('"isError":true')) throw new Error(text);
    times.push(performance.now() - began);
  }
  const [first = 0] = times;
  const sorted = times.toSorted((a, b) => a - b);
  print(name, `first ${first.toFixed(1)} ms, p50 ${at(sorted, 0.5)} ms, p95 ${at(sorted, 0.95)} ms`);
}

async function ask(server: Started, tool: string, args: object): Promise<string> {
  const response = await post(server.url, call(tool, args), { path: '/.api/mcp/all', token: server.token });
  return response.text();
}

/** From a push of 100 commits until the index alone answers for them. */
async function newCommits(server: Started, repository: string): Promise<void> {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', repository, ...args])
      .toString()
      .trim();
  const identity = ['-c', 'user.name=New', '-c', 'user.email=new@example.com'];
  let tip = git('rev-parse', 'HEAD');
  for (let i = 0; i < 100; i += 1)
    tip = git(...identity, 'commit-tree', 'HEAD^{tree}', '-p', tip, '-m', `brand new ${i}`);
  const began = performance.now();
  git('update-ref', git('symbolic-ref', 'HEAD'), tip);
  for (;;) {
    const text = await ask(server, 'commit_search', { repos: ['bench'], messageTerms: ['brand new 99'] });
    if (text.includes(tip) && !text.includes('not indexed')) break;
    await setTimeout(20);
  }
  print('100 new commits in the index', `${((performance.now() - began) / 1000).toFixed(2)} s`);
}

async function manyRepositories(): Promise<void> {
  const template = join(folder, 'template.git');
  await generateHistory(template, 500);
  for (let i = 0; i < 200; i += 1) cpSync(template, join(folder, 'many', `repository${i}.git`), { recursive: true });
  const server = await ready(join(folder, 'many-data'), 'many');
  try {
    await measure(server, [
      'get_contributor_repos, 200 repositories',
      'get_contributor_repos',
      { authors: ['person7@'] },
    ]);
  } finally {
    await server.stop();
  }
}

function compareWithGit(repository: string): void {
  const timedGit = (name: string, ...args: string[]): void => {
    const began = performance.now();
    execFileSync('git', ['-C', repository, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
    print(name, `${((performance.now() - began) / 1000).toFixed(1)} s`);
  };
  timedGit(`git log -G ${rare}`, 'log', '--no-renames', '--format=%H', `-G${rare}`);
  timedGit('git log --grep', 'log', '--format=%H', `--grep=${message}`);
}

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  print(name, `${((performance.now() - began) / 1000).toFixed(1)} s`);
  return result;
}

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
}

function print(name: string, value: string): void {
  process.stdout.write(`| ${name} | ${value} |\n`);
}
