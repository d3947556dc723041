// Three code nodes and a host under calls: a node is killed and comes back, two are held up, and one is added. `npm run
// prove:nodes -- --repositories 300`; prints a table, and exits 1 when a promise was broken.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { RepositoryBuilder } from '@sextant/contracts/testing';
import { CodeNodes, until } from '../support/code-nodes.ts';
import { Load, callTool } from './support/calls.ts';
import type { Outcome, ToolCall } from './support/calls.ts';
import { Promises } from './support/promises.ts';

const { values } = parseArgs({ options: { repositories: { type: 'string', default: '300' } } });
const count = Number(values.repositories);
const names = ['a', 'b', 'c'];
const calmMs = 10_000;

const folder = mkdtempSync(join(tmpdir(), 'sextant-nodes-'));
const promises = new Promises();
try {
  await prove();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = promises.print();

async function prove(): Promise<void> {
  const repositories = Array.from({ length: count }, (_, index) => `part-${index}`);
  const git = join(folder, 'git');
  mkdirSync(git);
  for (const name of repositories) {
    const builder = new RepositoryBuilder({ folder: join(git, `${name}.git`), isBare: true });
    builder.commit({ files: { 'src/a.ts': `export const needle = '${name}';\n` }, message: `begin ${name}` });
  }
  await using nodes = new CodeNodes({ folder, repositories: git });
  await nodes.configure(names);
  await Promise.all(names.map((name) => nodes.start(name)));
  const host = await nodes.startHost();
  try {
    await proveWith({ nodes, target: host, repositories });
  } finally {
    await host.stop();
  }
}

interface Proof {
  readonly nodes: CodeNodes;
  readonly target: { readonly url: string; readonly token: string };
  readonly repositories: readonly string[];
}

async function proveWith({ nodes, target, repositories }: Proof): Promise<void> {
  const copies = async (): Promise<Readonly<Record<string, number>>> => {
    const answer = await fetch(`${target.url}/readyz`, { headers: { authorization: `Bearer ${target.token}` } });
    return ((await answer.json()) as Readiness).services.repositories.detail.nodes;
  };
  const areWhole = async (): Promise<boolean> =>
    Object.values(await copies()).reduce((sum, each) => sum + each, 0) === 2 * repositories.length;
  await until(areWhole);

  const reads = repositories.map((repo): ToolCall => ({ name: 'read_file', arguments: { repo, path: 'src/a.ts' } }));
  const search: ToolCall = { name: 'keyword_search', arguments: { query: 'needle' } };
  const history = repositories.map((repo): ToolCall => ({ name: 'commit_search', arguments: { repos: [repo] } }));
  const calls = reads.flatMap((read, index) => [read, index % 5 === 0 ? search : (history[index] ?? read)]);

  // The first calls of each kind load what later ones find loaded.
  const warming = new Load(target, calls, { callers: 4, pauseMs: 0 });
  await setTimeout(calmMs);
  await warming.stop();

  const before = new Load(target, calls, { callers: 4, pauseMs: 20 });
  await setTimeout(calmMs);
  const calm = timesOf(await before.stop());

  const during = new Load(target, calls, { callers: 4, pauseMs: 20 });
  await setTimeout(500);
  await nodes.kill('a');
  await setTimeout(calmMs);
  const outcomes = await during.stop();
  const shaken = timesOf(outcomes);
  promises.check('a node is killed: every call is answered', {
    isKept: outcomes.every(({ kind }) => kind === 'answered'),
    seen: `${outcomes.length} calls, ${tally(outcomes)}`,
  });
  promises.check('no call says that a repository does not exist', {
    isKept: outcomes.every(({ detail }) => !detail.includes('not found')),
    seen: `${outcomes.filter(({ detail }) => detail.includes('not found')).length} of ${outcomes.length}`,
  });
  promises.check('p99 of calls is at most twice that of before', {
    isKept: shaken.p99 <= 2 * calm.p99,
    seen: `${calm.p99.toFixed(0)} ms before, ${shaken.p99.toFixed(0)} ms in the 10 s around it`,
  });

  await nodes.start('a');
  await until(areWhole);
  promises.check('it comes back: all copies are there again', { isKept: true, seen: JSON.stringify(await copies()) });

  for (const name of ['a', 'b']) nodes.signal(name, 'SIGSTOP');
  const begun = performance.now();
  const held = await callTool(target, search);
  const heldMs = performance.now() - begun;
  for (const name of ['a', 'b']) nodes.signal(name, 'SIGCONT');
  promises.check('two nodes are held up: a search answers in 2.5 s, and names what is missing', {
    isKept: heldMs <= 2500 && held.kind === 'answered' && held.detail.includes('Not searched'),
    seen: `${held.kind} after ${heldMs.toFixed(0)} ms`,
  });
  await until(async () => (await callTool(target, search)).detail.includes('needle'));

  const adding = new Load(target, calls, { callers: 4, pauseMs: 20 });
  await nodes.configure([...names, 'd']);
  await nodes.start('d');
  await until(async () => (await areWhole()) && (await copies())['d'] !== undefined);
  await setTimeout(2000);
  const added = await adding.stop();
  const { d = 0 } = await copies();
  const share = d / (2 * repositories.length);
  promises.check('a node is added: at most 1.3/n of the copies move', {
    isKept: share <= 1.3 / 4,
    seen: `${d} of ${2 * repositories.length}: ${(share * 4).toFixed(2)}/n`,
  });
  promises.check('meanwhile no call fails without saying when to try again', {
    isKept: added.every(({ kind }) => kind !== 'broken'),
    seen: `${added.length} calls, ${tally(added)}`,
  });
}

interface Readiness {
  services: { repositories: { detail: { nodes: Readonly<Record<string, number>> } } };
}

function timesOf(outcomes: readonly Outcome[]): { p99: number } {
  const sorted = outcomes.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return { p99: sorted[Math.floor((sorted.length - 1) * 0.99)] ?? Number.NaN };
}

function tally(outcomes: readonly Outcome[]): string {
  const counts = Map.groupBy(outcomes, ({ kind }) => kind);
  const first = outcomes.find(({ kind }) => kind === 'broken');
  const shown = [...counts].map(([kind, { length }]) => `${length} ${kind}`).join(', ');
  return first ? `${shown}; the first: ${first.tool} ${first.detail.slice(0, 200).replaceAll('|', '/')}` : shown;
}
