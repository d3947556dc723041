// Searches of history beside git itself, in one run on one machine: `npm run bench:history [-- REPOSITORY]`. Without a
// repository, one of 50,000 commits is generated.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { call, post } from '../http/support/rpc.ts';
import { residentMegabytes, startSextant } from '../support/processes.ts';
import type { Started } from '../support/processes.ts';
import { generateHistory } from './support/history.ts';

const rounds = 15;
const commits = Number(process.env['BENCH_COMMITS'] ?? 50_000);
const word = process.env['BENCH_WORD'] ?? 'needle_in_history';

const searches: readonly (readonly [name: string, tool: string, args: object])[] = [
  [`diff_search ${word}`, 'diff_search', { repos: ['.'], pattern: word }],
  [`diff_search ${word}, all`, 'diff_search', { repos: ['.'], pattern: word, count: 50, before: '@1415000000' }],
  ['diff_search, a common word', 'diff_search', { repos: ['.'], pattern: 'error' }],
  ['diff_search, nothing', 'diff_search', { repos: ['.'], pattern: 'never_was_here' }],
  ['commit_search, newest', 'commit_search', { repos: ['bench'], count: 20 }],
  [
    'commit_search by author and path',
    'commit_search',
    { repos: ['bench'], authors: ['person7@'], files: ['src/part1'], count: 20 },
  ],
  ['commit_search by message', 'commit_search', { repos: ['bench'], messageTerms: ['change 12345'] }],
  ['get_contributor_repos', 'get_contributor_repos', { authors: ['person7@'] }],
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
  const began = performance.now();
  const server = await startSextant(['--repos', join(folder, 'git'), '--data', join(folder, 'data')]);
  try {
    while ((await fetch(`${server.url}/readyz`)).status !== 200) await setTimeout(50);
    print('ready, everything indexed', `${((performance.now() - began) / 1000).toFixed(1)} s`);
    for (const search of searches) await measure(server, search);
    print('resident memory', `${residentMegabytes(server).toFixed(0)} MB`);
  } finally {
    await server.stop();
  }
  compareWithGit(repository);
}

async function measure(server: Started, [name, tool, args]: (typeof searches)[number]): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    const response = await post(server.url, call(tool, args), { path: '/.api/mcp/all', token: server.token });
    const text = await response.text();
    if (text.includes('"isError":true')) throw new Error(text);
    times.push(performance.now() - began);
  }
  const sorted = times.toSorted((a, b) => a - b);
  print(name, `p50 ${at(sorted, 0.5)} ms, p95 ${at(sorted, 0.95)} ms`);
}

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
}

function compareWithGit(repository: string): void {
  const timed = (name: string, ...args: string[]): void => {
    const began = performance.now();
    execFileSync('git', ['-C', repository, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
    print(name, `${((performance.now() - began) / 1000).toFixed(1)} s`);
  };
  timed('git log -p -U3 --no-renames (all diffs, one process)', 'log', '-p', '-U3', '--no-renames', '--no-merges');
  timed(`git log -G ${word}`, 'log', '--no-renames', '--format=%H', `-G${word}`);
  timed('git log --grep', 'log', '--format=%H', '--grep=change 12345');
}

function print(name: string, value: string): void {
  process.stdout.write(`| ${name} | ${value} |\n`);
}
