// What a script costs over MCP: a trivial one, calls of functions, an exhaustive search, one while others loop.
// `npm run bench:evaluator -- FOLDER`, where FOLDER is one git repository; prints a table.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { call, post } from '../support/rpc.ts';
import { residentMegabytes, runSextant, startSextant } from '../support/processes.ts';
import type { Started } from '../support/processes.ts';

const folder = resolve(process.argv[2] ?? '.');
const [word = 'return', path = 'README.md'] = process.argv.slice(3);
const repo = basename(folder);
const table: string[] = ['| script | p50 ms | p95 ms | result |', '|---|---|---|---|'];

const data = await mkdtemp(join(tmpdir(), 'sextant-bench-'));
const server = await startSextant(['--repos', folder, '--data', data]);
runSextant(['user', 'add', 'mallory', '--data', data]);
const hostile = runSextant(['token', 'create', '--user', 'mallory', '--data', data]);
try {
  await run(server);
} finally {
  await server.stop();
  await rm(data, { recursive: true, force: true });
}
process.stdout.write(`${table.join('\n')}\n`);

async function run(started: Started): Promise<void> {
  while ((await fetch(`${started.url}/readyz`)).status !== 200) await new Promise((done) => setTimeout(done, 500));
  const before = residentMegabytes(started);
  await row('`return 1`', 'return 1', 300);
  const loops = Array.from({ length: 8 }, () => evaluate('while true do end', hostile));
  await row('`return 1`, while 8 scripts of another user loop', 'return 1', 100);
  await Promise.all(loops);
  await row('100 searches without a match', "for i = 1, 100 do search.keyword('xyzzy' .. i) end", 10);
  await row('100 repository lists', "for i = 1, 100 do search.repos('') end", 10);
  const read = `local n = 0 for i = 1, 1000 do n = n + #source.read_file{repo = '${repo}', path = '${path}'}.text end return n`;
  await row('1000 file reads', read, 5);
  await row(`every \`${word}\``, `local r = search.keyword('${word}') return #r.matches, r.stats.limitHit`, 10);
  await row('every commit', `return #search.commits{repos = {'${repo}'}}.matches`, 5);
  await row('10,000,000 additions', 'local x = 0 for i = 1, 1e7 do x = x + i end return x', 5);
  table.push(
    `| resident memory, MB | ${before.toFixed(0)} before | ${residentMegabytes(started).toFixed(0)} after | |`,
  );
}

async function row(what: string, script: string, times: number): Promise<void> {
  const taken: number[] = [];
  let result = '';
  for (let n = 0; n < times; n += 1) {
    const began = performance.now();
    result = await evaluate(script);
    taken.push(performance.now() - began);
  }
  taken.sort((a, b) => a - b);
  const at = (share: number): string => (taken[Math.floor(taken.length * share)] ?? 0).toFixed(1);
  table.push(`| ${what} | ${at(0.5)} | ${at(0.95)} | ${result} |`);
}

/** The result as JSON, or the first line of the error. */
async function evaluate(script: string, token = server.token): Promise<string> {
  const response = await post(server.url, call('evaluator', { script }), { token });
  const { result } = (await response.json()) as {
    result: { structuredContent?: { result: unknown }; content: { text: string }[] };
  };
  if (result.structuredContent) return JSON.stringify(result.structuredContent.result);
  return result.content[0]?.text.split('\n', 1)[0] ?? '';
}
