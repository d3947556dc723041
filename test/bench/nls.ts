// How well nls_search finds the files that answer a question, beside plain BM25 of SQLite over whole files.
// `npm run bench:nls -- <folder with the repositories redis, prometheus and etcd>`; every third question is kept for the final figure.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startSextant } from '../support/processes.ts';
import type { Started } from '../support/processes.ts';
import { ask } from './support/load.ts';

const repositories = ['redis', 'prometheus', 'etcd'] as const;
const shown = 10;
const largest = 1 << 20;

interface Judged {
  readonly repo: string;
  readonly question: string;
  readonly files: readonly string[];
  readonly isHeldOut: boolean;
}

/** The best files for a question, best first. */
type Ranking = (judged: Judged) => Promise<readonly string[]>;

async function measure(folder: string): Promise<void> {
  const questions = repositories.flatMap(questionsOf);
  const paths = Object.fromEntries(repositories.map((repo) => [repo, join(folder, repo)]));
  const config = join(temporary, 'sextant.config.json');
  const entries = repositories.map((name) => ({ name, path: paths[name] }));
  await writeFile(config, JSON.stringify({ repositories: entries, logLevel: 'warn' }));
  const sextant = await startSextant(['--config', config, '--data', join(temporary, 'data')]);
  try {
    print('| ranking | questions | nDCG@10 | success@3 | p50 ms | p95 ms |\n|---|---|---|---|---|---|');
    await report('BM25 over whole files (FTS5, porter)', questions, plainRanking(paths));
    await report('nls_search', questions, (judged) => search(sextant, judged));
  } finally {
    await sextant.stop();
  }
}

async function report(name: string, questions: readonly Judged[], ranking: Ranking): Promise<void> {
  const measured: { judged: Judged; gain: number; isSuccess: boolean; ms: number }[] = [];
  for (const judged of questions) {
    const begun = performance.now();
    const ranked = await ranking(judged);
    const ms = performance.now() - begun;
    const isSuccess = ranked.slice(0, 3).some((path) => judged.files.includes(path));
    measured.push({ judged, gain: normalizedGain(ranked, judged.files), isSuccess, ms });
  }
  for (const isHeldOut of [false, true]) {
    const part = measured.filter(({ judged }) => judged.isHeldOut === isHeldOut);
    const times = part.map(({ ms }) => ms).sort((a, b) => a - b);
    const cells = [
      name,
      `${part.length} ${isHeldOut ? 'held out' : 'to tune on'}`,
      percent(part.reduce((sum, { gain }) => sum + gain, 0) / part.length),
      percent(part.filter((each) => each.isSuccess).length / part.length),
      (times[times.length >> 1] ?? 0).toFixed(1),
      (times[Math.floor(times.length * 0.95)] ?? 0).toFixed(1),
    ];
    print(`| ${cells.join(' | ')} |`);
  }
}

/** nDCG at ten with gain 1 for each file that answers. */
function normalizedGain(ranked: readonly string[], relevant: readonly string[]): number {
  const discount = (rank: number): number => 1 / Math.log2(rank + 2);
  const gained = ranked
    .slice(0, shown)
    .reduce((sum, path, rank) => sum + (relevant.includes(path) ? discount(rank) : 0), 0);
  const ideal = relevant.slice(0, shown).reduce((sum, _, rank) => sum + discount(rank), 0);
  return gained / ideal;
}

async function search(sextant: Started, { repo, question }: Judged): Promise<string[]> {
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'nls_search', arguments: { query: `${question} repo:^${repo}$ count:${shown}` } },
  };
  const answer = await ask({ url: `${sextant.url}/.api/mcp/all`, token: sextant.token }, body);
  const { result } = JSON.parse(answer) as { result: { structuredContent: { blocks: { file: string }[] } } };
  return result.structuredContent.blocks.map(({ file }) => file);
}

/** The ranking that one gets from a database for nothing. */
function plainRanking(paths: Readonly<Record<string, string>>): Ranking {
  const database = new DatabaseSync(':memory:');
  database.exec("CREATE VIRTUAL TABLE files USING fts5(repo UNINDEXED, path, body, tokenize = 'porter unicode61')");
  const insert = database.prepare('INSERT INTO files VALUES (?, ?, ?)');
  for (const [repo, path] of Object.entries(paths))
    for (const [file, text] of textsOf(path)) insert.run(repo, file, text);
  const select = database.prepare('SELECT path FROM files WHERE files MATCH ? AND repo = ? ORDER BY rank LIMIT ?');
  return async ({ repo, question }) => {
    const words = question.split(/\W+/).filter((word) => word !== '');
    const rows = select.all(words.map((word) => `"${word}"`).join(' OR '), repo, shown);
    return rows.map(({ path }) => String(path));
  };
}

function textsOf(repository: string): [string, string][] {
  const git = (...args: string[]): Buffer => execFileSync('git', ['-C', repository, ...args], { maxBuffer: 1 << 30 });
  const paths = git('ls-tree', '-r', '-z', '--name-only', 'HEAD').toString().split('\0').slice(0, -1);
  return paths.flatMap((path): [string, string][] => {
    try {
      const text = git('show', `HEAD:${path}`);
      return text.length > largest || text.includes(0) ? [] : [[path, text.toString()]];
    } catch {
      // A submodule.
      return [];
    }
  });
}

function questionsOf(repo: string): Judged[] {
  const file = new URL(`nls/${repo}.json`, import.meta.url);
  const questions = JSON.parse(readFileSync(file, 'utf8')) as { question: string; files: string[] }[];
  return questions.map((each, index) => ({ repo, ...each, isHeldOut: index % 3 === 2 }));
}

const percent = (share: number): string => (100 * share).toFixed(0);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const [root] = process.argv.slice(2);
if (root === undefined) throw new Error(`name a folder with the repositories ${repositories.join(', ')}`);
const temporary = await mkdtemp(join(tmpdir(), 'sextant-bench-nls-'));
try {
  await measure(root);
} finally {
  await rm(temporary, { recursive: true, force: true });
}
