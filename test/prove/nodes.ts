// Three code nodes and a host under calls: a node is killed and comes back, one is cut off and then another, two are held
// up, and one is added; and what a hidden repository tells. Each node has a network of its own where this process may make
// one. `npm run prove:nodes -- --repositories 300`; prints a table, and exits 1 when a promise was broken.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { RepositoryBuilder } from '@sextant/contracts/testing';
import { CodeNodes, callsOfNodes, until } from '../support/code-nodes.ts';
import { Machines } from '../support/machines.ts';
import { Load, callTool } from './support/calls.ts';
import type { Outcome, ToolCall } from './support/calls.ts';
import { Promises } from './support/promises.ts';

const { values } = parseArgs({ options: { repositories: { type: 'string', default: '300' } } });
const count = Number(values.repositories);
const names = ['a', 'b', 'c'];
const calmMs = 10_000;
/** Fewer than a host takes of one caller. */
const readsAtOnce = 12;

const folder = mkdtempSync(join(tmpdir(), 'sextant-nodes-'));
const promises = new Promises();
const problem = Machines.problem();
if (problem !== undefined)
  process.stderr.write(`Without networks of their own (${problem}) nodes are on this machine, and none is cut off.\n`);
try {
  using machines = problem === undefined ? new Machines() : undefined;
  await prove(machines);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = promises.print();

async function prove(machines: Machines | undefined): Promise<void> {
  const repositories = Array.from({ length: count }, (_, index) => `part-${index}`);
  const git = join(folder, 'git');
  mkdirSync(git);
  for (const name of repositories) {
    const builder = new RepositoryBuilder({ folder: join(git, `${name}.git`), isBare: true });
    builder.commit({ files: { 'src/a.ts': `export const needle = '${name}';\n` }, message: `begin ${name}` });
  }
  const hidden = join(folder, 'hidden.git');
  new RepositoryBuilder({ folder: hidden, isBare: true }).commit({
    files: { 'src/a.ts': 'export const needle = 1;\n' },
  });
  await using nodes = new CodeNodes({ folder, repositories: git, hidden, machines });
  await nodes.configure(names);
  await Promise.all(names.map((name) => nodes.start(name)));
  const host = await nodes.startHost();
  try {
    await proveWith({ nodes, machines, target: host, repositories });
  } finally {
    await host.stop();
  }
}

interface Target {
  readonly url: string;
  readonly token: string;
}

interface Proof {
  readonly nodes: CodeNodes;
  readonly machines: Machines | undefined;
  readonly target: Target;
  readonly repositories: readonly string[];
}

async function proveWith({ nodes, machines, target, repositories }: Proof): Promise<void> {
  // The hidden one, too.
  const numberOfCopies = 2 * (repositories.length + 1);
  const copies = async (): Promise<Readonly<Record<string, number>>> => {
    const answer = await fetch(`${target.url}/readyz`, { headers: { authorization: `Bearer ${target.token}` } });
    return ((await answer.json()) as Readiness).services.repositories.detail.nodes;
  };
  const areWhole = async (): Promise<boolean> =>
    Object.values(await copies()).reduce((sum, each) => sum + each, 0) === numberOfCopies;
  await until(areWhole);
  await proveHidden(nodes, target);

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

  const namesMissing = async (what: string): Promise<void> => {
    const { ms, kind, detail } = await callTool(target, search);
    promises.check(`${what}: a search answers in 2.5 s, and names what is missing`, {
      isKept: ms <= 2500 && kind === 'answered' && detail.includes('Not searched'),
      seen: `${kind} after ${ms.toFixed(0)} ms`,
    });
  };
  const untilWhole = (): Promise<void> =>
    until(async () => {
      const { kind, detail } = await callTool(target, search);
      return kind === 'answered' && !detail.includes('Not searched');
    });

  if (machines) {
    const apart = new Load(target, calls, { callers: 4, pauseMs: 20 });
    await setTimeout(500);
    machines.cutOff('b');
    await setTimeout(calmMs);
    const seen = await apart.stop();
    promises.check('a node is cut off, its packets are lost: every call is answered', {
      isKept: seen.every(({ kind }) => kind === 'answered'),
      seen: `${seen.length} calls, ${tally(seen)}, p99 ${timesOf(seen).p99.toFixed(0)} ms`,
    });
    machines.cutOff('a');
    await namesMissing('two nodes are cut off');
    const lost = await Promise.all(reads.slice(0, readsAtOnce).map((read) => callTool(target, read)));
    promises.check('no call says meanwhile that a repository does not exist', {
      isKept: lost.every(({ kind, detail }) => kind !== 'broken' && !detail.includes('not found')),
      seen: `${lost.length} calls, ${tally(lost)}`,
    });
    for (const name of ['a', 'b']) machines.join(name);
    const begun = performance.now();
    await untilWhole();
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    promises.check('they are joined again: everything is searched', { isKept: true, seen: `after ${seconds} s` });
  }

  for (const name of ['a', 'b']) nodes.signal(name, 'SIGSTOP');
  await namesMissing('two nodes are held up');
  for (const name of ['a', 'b']) nodes.signal(name, 'SIGCONT');
  await untilWhole();

  const adding = new Load(target, calls, { callers: 4, pauseMs: 20 });
  await nodes.configure([...names, 'd']);
  await nodes.start('d');
  await until(async () => (await areWhole()) && (await copies())['d'] !== undefined);
  await setTimeout(2000);
  const added = await adding.stop();
  const { d = 0 } = await copies();
  const share = d / numberOfCopies;
  promises.check('a node is added: at most 1.3/n of the copies move', {
    isKept: share <= 1.3 / 4,
    seen: `${d} of ${numberOfCopies}: ${(share * 4).toFixed(2)}/n`,
  });
  promises.check('meanwhile no call fails without saying when to try again', {
    isKept: added.every(({ kind }) => kind !== 'broken'),
    seen: `${added.length} calls, ${tally(added)}`,
  });
}

/** Who may not read a repository is told of it what is told of one that does not exist, and no node is asked. */
async function proveHidden(nodes: CodeNodes, target: Target): Promise<void> {
  nodes.runOnHost('user', 'add', 'bob');
  const bob = { url: target.url, token: nodes.runOnHost('token', 'create', '--user', 'bob') };
  const absent = 'absent';
  const about = (repo: string): ToolCall[] => [
    { name: 'read_file', arguments: { repo, path: 'src/a.ts' } },
    { name: 'keyword_search', arguments: { query: `repo:^${repo}$ needle` } },
    { name: 'commit_search', arguments: { repos: [repo] } },
    { name: 'find_references', arguments: { repo, path: 'src/a.ts', symbol: 'needle' } },
  ];
  const told = async (repo: string): Promise<string[]> =>
    (await Promise.all(about(repo).map((call) => callTool(bob, call)))).map(({ detail }) =>
      detail.replaceAll(repo, absent),
    );
  const before = await callsOfNodes(target);
  const [hidden, unknown] = [await told('hidden'), await told(absent)];
  const requests = (await callsOfNodes(target)) - before;
  promises.check('a hidden repository: the bytes of one that does not exist, and no request to a node', {
    isKept: hidden.every((each, index) => each === unknown[index]) && requests === 0,
    seen: `${hidden.length} tools, ${requests} requests`,
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
