// Three hosts of an earlier release are replaced by this one, one after another, and no call fails. `npm run
// prove:upgrade -- --from REF`. Needs nginx and PostgreSQL; prints a table, and exits 1 when a call failed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startCluster } from '@sextant/service-postgres/testing';
import { generateRepository } from '../bench/support/repositories.ts';
import { Load } from './support/calls.ts';
import { earlierRelease } from './support/earlier-release.ts';
import { ProvenHosts } from './support/hosts.ts';
import { configure, freePorts, mixedCalls } from './support/installation.ts';
import { startBalancer } from './support/programs.ts';
import { Promises } from './support/promises.ts';

const { values } = parseArgs({ options: { from: { type: 'string', default: 'HEAD^' } } });
const hostCount = 3;
/** Calls before, between and after the replacements. */
const pauseMs = 5000;

const folder = mkdtempSync(join(tmpdir(), 'sextant-prove-'));
const promises = new Promises();
try {
  await prove(earlierRelease(values.from, folder));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = promises.print();

async function prove({ bin, commit }: { bin: string; commit: string }): Promise<void> {
  await generateRepository({ folder: join(folder, 'git', 'small.git'), commits: 20, files: 50 });
  await using cluster = await startCluster({ isDurable: true });
  const [balancerPort, ...ports] = await freePorts(1 + hostCount);
  await using balancer = await startBalancer(folder, { port: balancerPort ?? 0, hosts: ports });
  const config = configure({ folder, externalURL: balancer.url, database: { url: cluster.url } });
  await using hosts = new ProvenHosts({ folder, config, ports });
  const tokens = await Promise.all(ports.map((_, host) => hosts.start(host, bin)));
  const token = tokens.find((each) => each !== '') ?? '';
  const load = new Load({ url: balancer.url, token }, mixedCalls, { callers: 6, pauseMs: 50 });
  await setTimeout(pauseMs);
  for (const [host, port] of ports.entries()) {
    await balancer.leaveOut([port]);
    await hosts.stop(host);
    await hosts.start(host);
    await balancer.leaveOut([]);
    await setTimeout(pauseMs);
  }
  const outcomes = await load.stop();
  const failed = outcomes.filter(({ kind }) => kind !== 'answered');
  for (const { tool, detail } of failed.slice(0, 10)) process.stderr.write(`${tool}: ${detail}\n`);
  promises.check(`no call fails while ${commit} is replaced by this release, one host after another`, {
    isKept: failed.length === 0 && outcomes.length > 0,
    seen: `${outcomes.length} calls, ${failed.length} failed`,
  });
}
