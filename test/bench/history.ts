// Searches of history beside git itself, in one run on one machine: `npm run bench:history [-- REPOSITORY]`. Without a repository, one of
// 50,000 commits is generated. BENCH_WORDS are a rare and a common word of the changed lines. In BENCH_FOLDER everything is kept, so that another run does not index again.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { call, post } from '../support/rpc.ts';
import { processorSeconds, residentMegabytes, startSextant } from '../support/processes.ts';
import type { Started } from '../support/processes.ts';
import { measureIngest } from './history/ingest.ts';
import { print, shares, timed } from './history/report.ts';
import { generateHistory } from './support/history.ts';

const rounds = 25;
const {
  BENCH_COMMITS: commits = '50000',
  BENCH_WORDS: words = 'needle_in_history error',
  BENCH_AUTHOR: author = 'person7@',
  BENCH_PATH: path = 'src/part1',
  BENCH_MESSAGE: message = 'change 12345',
  BENCH_FOLDER: kept,
} = process.env;
const [rare = '', common = ''] = words.split(' ');

const repos = ['^bench$'];
const diffs = (name: string, args: object): Search => [`diff_search, ${name}`, 'diff_search', { repos, ...args }];
const searchCommits = (name: string, args: object): Search => [
  `commit_search, ${name}`,
  'commit_search',
  { repos: ['bench'], ...args },
];
type Search = readonly [name: string, tool: string, args: object];

const searches: readonly Search[] = [
  searchCommits('newest', {}),
  searchCommits('by author', { authors: [author] }),
  searchCommits('by message', { messageTerms: [message] }),
  searchCommits('by path', { files: [path] }),
  searchCommits('by author and path', { authors: [author], files: [path] }),
  searchCommits(`by content \`${rare}\``, { contentTerms: [rare] }),
  searchCommits('by content and author', { contentTerms: [rare], authors: [author] }),
  diffs(`\`${rare}\``, { pattern: rare }),
  diffs(`\`${common}\``, { pattern: common }),
  diffs('nothing to find', { pattern: 'never_was_here' }),
  diffs(`\`${common}\\([a-z]+, \``, { pattern: `${common}\\([a-z]+, `, useRegex: true }),
  diffs('`0x[0-9a-f]{6}`', { pattern: '0x[0-9a-f]{6}', useRegex: true }),
  diffs('`[0-9]{7}`', { pattern: '[0-9]{7}', useRegex: true }),
  diffs(`\`${rare}\` on all tags and branches`, { pattern: rare, revisions: ['*refs/tags/*', '*refs/heads/*'] }),
];
/** What only a look at all text can answer; not one of the mixed set. */
const wholeText: Search = diffs('`[0-9]{9}[a-z][0-9]{9}`: all text is read', {
  pattern: '[0-9]{9}[a-z][0-9]{9}',
  useRegex: true,
});

const folder = kept ?? (await mkdtemp(join(tmpdir(), 'sextant-bench-')));
try {
  await run();
} finally {
  if (kept === undefined) await rm(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const repository = join(folder, 'git', 'bench.git');
  if (!existsSync(repository)) await prepare(repository);
  await measureIngest({ repository, folder });
  const server = await timed('a server that has this index: ready', () => ready('data', 'git'));
  try {
    await idle(server);
    printMemory(server, 'before the first search');
    await measureAll(server);
    printMemory(server, 'after all searches');
    await newCommits(server, repository);
  } finally {
    await server.stop();
  }
  await manyRepositories();
  compareWithGit(repository);
}

async function prepare(repository: string): Promise<void> {
  const [given] = process.argv.slice(2);
  if (given === undefined) return generateHistory(repository, Number(commits));
  mkdirSync(folder, { recursive: true });
  execFileSync('git', ['clone', '--quiet', '--bare', given, repository]);
}

/** Of a run before it has the index of history only: a token is shown at the first start. */
async function ready(data: string, repositories: string): Promise<Started> {
  const path = join(folder, data);
  for (const name of existsSync(path) ? readdirSync(path) : [])
    if (name !== 'history-index') await rm(join(path, name), { recursive: true });
  const server = await startSextant(['--repos', join(folder, repositories), '--data', path]);
  while ((await fetch(`${server.url}/readyz`)).status !== 200) await setTimeout(50);
  return server;
}

/** Symbols are read after it is ready: that would be counted as time of searches. */
async function idle(server: Started): Promise<void> {
  for (let before = -1; ; await setTimeout(1000)) {
    const now = processorSeconds(server);
    if (before >= 0 && now - before < 0.05) return;
    before = now;
  }
}

function printMemory(server: Started, when: string): void {
  print(`resident memory of the server, ${when}`, `${residentMegabytes(server).toFixed(0)} MB`);
}

async function measureAll(server: Started): Promise<void> {
  const times: number[] = [];
  for (const search of searches) times.push(...(await measure(server, search)));
  print('all of these', shares(times));
  await measure(server, wholeText);
}

async function measure(server: Started, [name, tool, args]: Search): Promise<readonly number[]> {
  const times: number[] = [];
  const processor = processorSeconds(server);
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    const text = await ask(server, tool, args);
    if (text.includes('"isError":true')) throw new Error(text);
    times.push(performance.now() - began);
  }
  const each = (1000 * (processorSeconds(server) - processor)) / rounds;
  print(name, `first ${(times[0] ?? 0).toFixed(1)} ms, ${shares(times)}, processor ${each.toFixed(1)} ms`);
  return times;
}

async function ask(server: Started, tool: string, args: object): Promise<string> {
  const response = await post(server.url, call(tool, args), { path: '/.api/mcp/all', token: server.token });
  return response.text();
}

/** From a push of 100 commits until they are found, and until the index alone answers for them. */
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
  const until = async (name: string, isDone: (text: string) => boolean): Promise<void> => {
    for (;;) {
      const text = await ask(server, 'commit_search', { repos: ['bench'], messageTerms: ['brand new 99'] });
      if (text.includes(tip) && isDone(text)) break;
      await setTimeout(20);
    }
    print(`100 new commits ${name}`, `${((performance.now() - began) / 1000).toFixed(2)} s`);
  };
  await until('found', () => true);
  await until('in the index', (text) => !text.includes('not indexed'));
}

async function manyRepositories(): Promise<void> {
  const template = join(folder, 'template.git');
  if (!existsSync(template)) {
    await generateHistory(template, 500, 10);
    for (let i = 0; i < 200; i += 1) cpSync(template, join(folder, 'many', `repository${i}.git`), { recursive: true });
  }
  const server = await timed('200 repositories of 500 commits: ready', () => ready('many-data', 'many'));
  try {
    await idle(server);
    const args = { authors: ['person7@'] };
    await measure(server, ['get_contributor_repos, 200 repositories', 'get_contributor_repos', args]);
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
