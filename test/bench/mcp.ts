// How far the MCP endpoints are from a bare handler that returns the same bytes, and what a large repository, a cold
// start and 100,000 calls cost. `npm run bench:mcp`; prints a table of ratios measured in one run on one machine. With
// `-- --nodes 3` it compares a host with code nodes to one process instead.
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ask, load } from './support/load.ts';
import type { Measured, Target } from './support/load.ts';
import { CodeNodes, callsOfNodes, until } from '../support/code-nodes.ts';
import { residentMegabytes, startBare, startSextant, wholeProcessorSeconds } from '../support/processes.ts';
import type { Started } from '../support/processes.ts';
import { generateRepository } from './support/repositories.ts';

const { values } = parseArgs({ options: { nodes: { type: 'string' } } });

const rounds = 5;
const seconds = Number(process.env['BENCH_SECONDS'] ?? 4);
const manyCalls = 100_000;
const costedCalls = 5000;

const rpc = (id: number, method: string, params: object): object => ({ jsonrpc: '2.0', id, method, params });
const readFile = (repo: string): object =>
  rpc(1, 'tools/call', { name: 'read_file', arguments: { repo, path: 'src/sample.ts' } });
const initialize = rpc(2, 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
});
const listTools = rpc(3, 'tools/list', {});

const table: string[] = ['| what | measured | against | ratio | aim |', '|---|---|---|---|---|'];
const row = (...cells: string[]): void => void table.push(`| ${cells.join(' | ')} |`);

const folder = await mkdtemp(join(tmpdir(), 'sextant-bench-'));
try {
  await (values.nodes === undefined ? run() : compareNodes(Number(values.nodes)));
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.stdout.write(`${table.join('\n')}\n`);

async function run(): Promise<void> {
  const repositories = { small: [20, 50], deep: [60_000, 50], wide: [20, 80_000] } as const;
  for (const [name, [commits, files]] of Object.entries(repositories))
    await generateRepository({ folder: join(folder, 'git', `${name}.git`), commits, files });

  await measureColdStart();
  const sextant = await startSextant(['--repos', join(folder, 'git'), '--data', join(folder, 'data')]);
  const url = `${sextant.url}/.api/mcp`;
  const target = { url, token: sextant.token };
  const bare = await startBare({
    '/read': await ask(target, readFile('small')),
    '/initialize': await ask(target, initialize),
    '/list': await ask(target, listTools),
  });
  try {
    await compare('`tools/call read_file`, 200 lines', [
      { url: `${bare.url}/read`, token: '', bodies: [readFile('small')] },
      { ...target, bodies: [readFile('small')] },
    ]);
    await compare('`initialize`', [
      { url: `${bare.url}/initialize`, token: '', bodies: [initialize] },
      { ...target, bodies: [initialize] },
    ]);
    await compare('`tools/list`', [
      { url: `${bare.url}/list`, token: '', bodies: [listTools] },
      { ...target, bodies: [listTools] },
    ]);
    await compareRepositories(target);
    await measureMemory(sextant, { ...target, bodies: [readFile('small'), listTools, readFile('wide')] });
  } finally {
    await sextant.stop();
    await bare.stop();
  }
}

/** One process, and a host whose repositories are on nodes. */
async function compareNodes(count: number): Promise<void> {
  const repositories = join(folder, 'git');
  await generateRepository({ folder: join(repositories, 'small.git'), commits: 20, files: 50 });
  await using nodes = new CodeNodes({ folder, repositories });
  const names = Array.from({ length: count }, (_, index) => `node-${index}`);
  await nodes.configure(names);
  await Promise.all(names.map((name) => nodes.start(name)));
  const host = await nodes.startHost();
  // It logs no calls, as host and nodes do not.
  const config = join(folder, 'one.config.json');
  writeFileSync(config, JSON.stringify({ logLevel: 'error', repositories: [{ path: repositories }] }));
  const one = await startSextant(['--config', config, '--data', join(folder, 'data')]);
  try {
    const targetOf = ({ url, token }: Started): Target => ({
      url: `${url}/.api/mcp`,
      token,
      bodies: [readFile('small')],
    });
    await until(async () => (await ask(targetOf(host), readFile('small'))).includes('compute'));
    const [alone, spread] = await interleave([targetOf(one), targetOf(host)]);
    if (!alone || !spread) return;
    const what = `\`tools/call read_file\`, ${count} nodes`;
    const ratio = (spread.rate / alone.rate).toFixed(2);
    row(
      `${what}: throughput`,
      `${spread.rate.toFixed(0)}/s`,
      `${alone.rate.toFixed(0)}/s of one process`,
      ratio,
      '≥ 0.5',
    );
    row(
      `${what}: p50`,
      `${spread.p50.toFixed(1)} ms`,
      `${alone.p50.toFixed(1)} ms`,
      (spread.p50 / alone.p50).toFixed(2),
      '–',
    );
    const costs = async (target: Target): Promise<number[]> => {
      const used = (): number[] => [one, host].map(wholeProcessorSeconds).concat(nodes.processorSeconds());
      const begun = used();
      await load(target, { calls: costedCalls });
      return used().map((seconds, at) => ((seconds - (begun[at] ?? 0)) * 1000) / costedCalls);
    };
    const [ofOne = 0] = await costs(targetOf(one));
    const [, ofHost = 0, ofNodes = 0] = await costs(targetOf(host));
    row(
      `${what}: processor time a call`,
      `${ofHost.toFixed(2)} ms host, ${ofNodes.toFixed(2)} ms nodes`,
      `${ofOne.toFixed(2)} ms of one process`,
      ((ofHost + ofNodes) / ofOne).toFixed(2),
      '–',
    );
    const before = await callsOfNodes(host);
    await load(targetOf(host), { calls: 1000 }, 1);
    row(`${what}: calls of nodes for 1,000`, String((await callsOfNodes(host)) - before), '1000', '–', '1 each');
  } finally {
    await one.stop();
    await host.stop();
  }
}

/** Rounds in turn, so that both meet the same noise; the medians are compared. */
async function interleave(targets: readonly Target[]): Promise<Measured[]> {
  const results: Measured[][] = targets.map(() => []);
  for (let round = 0; round <= rounds; round += 1)
    for (const [index, target] of targets.entries()) {
      const measured = await load(target, { seconds: round === 0 ? 1 : seconds });
      if (round > 0) results[index]?.push(measured);
    }
  return results.map((list) => ({
    rate: median(list.map(({ rate }) => rate)),
    p50: median(list.map(({ p50 }) => p50)),
    p95: median(list.map(({ p95 }) => p95)),
    p99: median(list.map(({ p99 }) => p99)),
  }));
}

async function compare(what: string, targets: readonly [Target, Target]): Promise<void> {
  const [bare, sextant] = await interleave(targets);
  if (!bare || !sextant) return;
  row(
    `${what}: throughput`,
    `${sextant.rate.toFixed(0)}/s`,
    `${bare.rate.toFixed(0)}/s bare`,
    (sextant.rate / bare.rate).toFixed(2),
    '≥ 0.40',
  );
  row(
    `${what}: p99`,
    `${sextant.p99.toFixed(1)} ms`,
    `${bare.p99.toFixed(1)} ms bare`,
    (sextant.p99 / bare.p99).toFixed(2),
    '< 5',
  );
}

async function compareRepositories(target: Omit<Target, 'bodies'>): Promise<void> {
  const names = ['small', 'deep', 'wide'];
  const [small, deep, wide] = await interleave(names.map((name) => ({ ...target, bodies: [readFile(name)] })));
  if (!small || !deep || !wide) return;
  const against = (measured: Measured): string[] => [
    `${measured.p50.toFixed(2)} ms p50`,
    `${small.p50.toFixed(2)} ms small`,
    (measured.p50 / small.p50).toFixed(2),
    '≤ 1.5',
  ];
  row('`read_file`, 60,000 commits', ...against(deep));
  row('`read_file`, 80,000 files', ...against(wide));
}

async function measureColdStart(): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    const flags = ['--repos', join(folder, 'git'), '--data', join(folder, `cold-${round}`)];
    const started = await startSextant(flags);
    await ask({ url: `${started.url}/.api/mcp`, token: started.token }, readFile('small'));
    times.push(performance.now() - begun);
    await started.stop();
  }
  row(
    'cold start to the first answered call, new data folder',
    `${(median(times) / 1000).toFixed(2)} s`,
    '–',
    '–',
    '< 1.5 s',
  );
}

async function measureMemory(sextant: Started, target: Target): Promise<void> {
  await load(target, { calls: manyCalls / 5 });
  const before = residentMegabytes(sextant);
  await load(target, { calls: manyCalls });
  const after = residentMegabytes(sextant);
  row(
    'resident memory after 100,000 more calls',
    `${after.toFixed(0)} MB`,
    `${before.toFixed(0)} MB before`,
    (after / before).toFixed(2),
    '0.9–1.1',
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
