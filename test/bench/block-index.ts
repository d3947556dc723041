// The block index against a plain scan of the same bytes and, where it is installed, ripgrep on the same files.
// `node test/bench/block-index.ts <folder of repositories>`; prints a table of one run on one thread of one machine.
import { execFile } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  Arena,
  emptyMatch,
  fileSource,
  memorySource,
  PositionalContent,
  ResidentContent,
  search,
  Shard,
  ShardBuilder,
  searchTopK,
  Workspace,
} from '../../plugins/libraries/block-index/src/index.ts';
import type {
  Literal,
  Matches,
  DocumentQuery,
  Regex,
  SearchPlace,
} from '../../plugins/libraries/block-index/src/index.ts';

const mostBytes = 1 << 20;
const enough = 50;
const megabyte = 1e6;
const pieceBytes = 64 << 20;
const priors = [1, 1, 0.6, 0.5, 0.2];
const budget = 400; // ms a query is repeated for

interface Case {
  readonly name: string;
  readonly query: DocumentQuery;
  /** The same for a plain scan and ripgrep; combinations have no counterpart. */
  readonly alone?: Literal | Regex;
}

const alone = (name: string, query: Literal | Regex): Case => ({ name, query, alone: query });
const cases: readonly Case[] = [
  alone('rare identifier', { literal: 'newWatchableStore' }),
  alone('absent', { literal: 'zzqqxx_nope_yy' }),
  alone('absent, common trigrams', { literal: 'errorcontextreturn' }),
  alone('phrase', { literal: 'failed to parse the' }),
  alone('phrase, any case', { literal: 'deadlock detected', foldCase: true }),
  alone('two letters', { literal: 'qz' }),
  alone('punctuation', { literal: '!= nil {' }),
  alone('common word', { literal: 'error' }),
  alone('common word, any case', { literal: 'error', foldCase: true }),
  alone('regex, literal', { regex: 'func \\w+Handler\\(' }),
  alone('regex, alternation', { regex: '(Session|Widget)Factory\\b' }),
  alone('regex, any case', { regex: 'unable to (open|read) .*file', foldCase: true }),
  alone('regex, no literal', { regex: '[A-Z]{4,}_[a-z]{3,}[0-9]' }),
  alone('regex, every line', { regex: '\\w+\\s+\\d{6,}$' }),
  { name: 'AND', query: { and: [{ literal: 'mutex' }, { literal: 'deadlock' }] } },
  { name: 'OR', query: { or: [{ literal: 'deadlock' }, { literal: 'kubeletconfig' }] } },
  { name: 'AND NOT', query: { and: [{ literal: 'deprecated' }, { not: { literal: 'java' } }] } },
];

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('name a folder of repositories');
const temporary = await mkdtemp(join(tmpdir(), 'block-index-bench-'));
try {
  await run(folder);
} finally {
  await rm(temporary, { recursive: true, force: true });
}

async function run(root: string): Promise<void> {
  const documents = await readDocuments(root);
  const content = Buffer.concat(documents);
  const file = build(documents);
  const contentFile = join(temporary, 'content');
  await writeFile(contentFile, content);
  const workspace = new Workspace(Arena.create(file.length + content.length + (256 << 20)));
  const started = performance.now();
  const shard = Shard.load(workspace, file);
  const resident = ResidentContent.load(workspace, shard, memorySource(content));
  print(`loaded and checked in ${Math.round(performance.now() - started)} ms`);
  const descriptor = openSync(contentFile, 'r');
  const positional = new PositionalContent(workspace, shard, fileSource(descriptor));
  const ripgrep = await findRipgrep();
  print(
    '\n| query (ms, p50) | matches | first 50 | best 50 | all | by position | plain scan | ratio | ripgrep -j1 | ratio |',
  );
  print('|---|---|---|---|---|---|---|---|---|---|');
  for (const { name, query, alone } of cases) {
    const place = { workspace, shard, content: resident };
    const found = count(place, query, Infinity);
    const top = repeat(() => count(place, query, enough));
    const best = repeat(() => rank(place, query, enough));
    const all = repeat(() => count(place, query, Infinity));
    const far = repeat(() => count({ ...place, content: positional }, query, Infinity));
    const plain = alone && repeat(() => scanPlainly(content, alone));
    const other = alone && ripgrep ? await timeRipgrep(root, alone) : undefined;
    const cells = [found, top, best, all, far, plain, plain && plain / all, other, other && other / all];
    print(`| ${name} | ${cells.map(show).join(' | ')} |`);
  }
  closeSync(descriptor);
}

function build(documents: readonly Uint8Array[]): Uint8Array {
  const started = performance.now();
  const builder = new ShardBuilder();
  for (const document of documents) builder.add(document);
  const file = builder.finish();
  const seconds = (performance.now() - started) / 1000;
  const { contentBytes } = builder;
  print(`${documents.length} documents, ${(contentBytes / megabyte).toFixed(1)} MB of text`);
  print(
    `index: ${(contentBytes / megabyte / seconds).toFixed(1)} MB/s, ${((100 * file.length) / contentBytes).toFixed(1)} % of the text`,
  );
  return file;
}

/** Text files up to the size that an index takes. */
async function readDocuments(root: string): Promise<Buffer[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const documents: Buffer[] = [];
  for (const path of paths.sort()) {
    if ((await stat(path)).size > mostBytes) continue;
    const text = await readFile(path);
    if (!text.includes(0)) documents.push(text);
  }
  return documents;
}

function count(place: SearchPlace, query: DocumentQuery, limit: number): number {
  let found = 0;
  for (const matches of search(place, query)) {
    found += matches.length;
    if (found >= limit) break;
  }
  return found;
}

/** The best documents by whether a whole word matches, and how often; every document has one of five priors. */
function rank(place: SearchPlace, query: DocumentQuery, limit: number): void {
  const boundOf = (document: number): number => 2 * (priors[document % priors.length] ?? 0);
  let best: number[] = [];
  const steps = searchTopK(place, query, {
    collector: {
      upperBound: boundOf,
      tieBreak: (document) => document,
      canWin: (bound) => best.length < limit || bound > (best.at(-1) ?? 0),
      emit(document, matches) {
        const score = boundOf(document) * (0.5 + (hasWord(matches) ? 0.25 : 0) + 0.25 * (1 - 1 / matches.length));
        if (best.length < limit || score > (best.at(-1) ?? 0))
          best = [...best, score].sort((a, b) => b - a).slice(0, limit);
      },
    },
  });
  while (steps.next().done !== true);
}

function hasWord(matches: Matches): boolean {
  for (let i = 0, match = emptyMatch(); i < matches.length; i++) {
    matches.at(i, match);
    if (match.isWordStart && match.isWordEnd) return true;
  }
  return false;
}

function scanPlainly(content: Buffer, query: Literal | Regex): number {
  if ('regex' in query || query.foldCase === true) {
    const source = 'regex' in query ? query.regex : String(query.literal);
    const expression = new RegExp(source, query.foldCase === true ? 'gim' : 'gm');
    return piecesOf(content).reduce((sum, text) => sum + [...text.matchAll(expression)].length, 0);
  }
  let found = 0;
  const { literal } = query;
  for (let at = content.indexOf(literal); at >= 0; at = content.indexOf(literal, at + literal.length)) found++;
  return found;
}

/** Strings of whole lines: one string cannot hold a gigabyte. */
function piecesOf(content: Buffer): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < content.length; ) {
    const newline = content.indexOf('\n', from + pieceBytes);
    const to = newline < 0 ? content.length : newline + 1;
    pieces.push(content.toString('latin1', from, to));
    from = to;
  }
  return pieces;
}

async function findRipgrep(): Promise<boolean> {
  return promisify(execFile)('rg', ['--version']).then(
    () => true,
    () => false,
  );
}

async function timeRipgrep(root: string, query: Literal | Regex): Promise<number> {
  const pattern = 'regex' in query ? ['-e', query.regex] : ['-F', '-e', String(query.literal)];
  const options = ['-j1', '-uuu', '-n', '--no-heading', '--max-filesize', '1M', ...(query.foldCase ? ['-i'] : [])];
  const times: number[] = [];
  for (let i = 0; i < 3; i++) {
    const started = performance.now();
    await promisify(execFile)('rg', [...options, ...pattern, root], { maxBuffer: 1 << 30 }).catch(() => undefined); // 1: no match
    times.push(performance.now() - started);
  }
  return median(times);
}

/** Median time of a call, in ms, without the first one. */
function repeat(call: () => unknown): number {
  call();
  const times: number[] = [];
  for (
    const started = performance.now();
    times.length < 3 || (performance.now() - started < budget && times.length < 500);
  ) {
    const before = performance.now();
    call();
    times.push(performance.now() - before);
  }
  return median(times);
}

function median(times: number[]): number {
  return times.sort((a, b) => a - b)[times.length >>> 1] ?? Number.NaN;
}

function show(value: number | undefined): string {
  if (value === undefined) return '–';
  return value >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toPrecision(2);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
