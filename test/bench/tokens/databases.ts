import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLogger } from '@sextant/core';
import { postgresSettings, startCluster } from '@sextant/service-postgres/testing';
import { request } from 'undici';
import { migrations } from '../../../plugins/auth/access-token/src/tables.ts';
import type { AccessTokenTables } from '../../../plugins/auth/access-token/src/tables.ts';
import { TokenStore } from '../../../plugins/auth/access-token/src/token-store.ts';
import { PostgresDatabase } from '../../../plugins/services/postgres/src/postgres-database.ts';
import { startSextant } from '../../support/processes.ts';
import type { Started } from '../../support/processes.ts';
import { load } from '../support/load.ts';
import { generateRepository } from '../support/repositories.ts';

const hostCount = 3;
const revocations = 1000;
const [rounds, callsARound] = [9, 2000];
/** Tokens that are revoked at once. */
const atOnce = 8;

const params = { name: 'read_file', arguments: { repo: 'small', path: 'src/sample.ts' } };
const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };

/** What the check of a token costs a call on PostgreSQL, beside SQLite, and whether a revocation holds on every host. */
export async function measureDatabases(folder: string): Promise<string[]> {
  await generateRepository({ folder: join(folder, 'git', 'small.git'), commits: 20, files: 50 });
  await using cluster = await startCluster({ isDurable: true });
  const settings = await postgresSettings(cluster.url, 'bench');
  const plugins = { 'service-sqlite': false, 'service-postgres': settings };
  const hosts = await Promise.all(
    Array.from({ length: hostCount }, (_, host) => start(folder, `host${host}`, { plugins })),
  );
  const sqlite = await start(folder, 'sqlite', {});
  try {
    const [first] = hosts;
    const token = hosts.find((host) => host.token !== '')?.token ?? '';
    const ratios = first ? await compare({ ...first, token }, sqlite) : [];
    const refused = await revoke(hosts, settings.url);
    return [
      '| what | measured | aim |',
      '|---|---|---|',
      `| \`read_file\` on PostgreSQL, of SQLite in turn | ${median(ratios).toFixed(2)} (${ratios.length} rounds) | ≥ 0.80 |`,
      ...refused.map(
        (count, host) => `| revocations refused at the next call of host ${host + 1} | ${count} | ${revocations} |`,
      ),
    ];
  } finally {
    await Promise.all([...hosts, sqlite].map((host) => host.stop()));
  }
}

async function start(folder: string, name: string, more: object): Promise<Started> {
  const data = join(folder, name);
  await mkdir(data, { recursive: true });
  const config = join(data, 'sextant.config.json');
  const limits = { callsPerCaller: 1000, callsPerServer: 1000 };
  await writeFile(
    config,
    JSON.stringify({ repositories: [{ path: join(folder, 'git') }], limits, logLevel: 'error', ...more }),
  );
  return startSextant(['--config', config, '--data', data]);
}

/** Calls a second of the one by those of the other, in each of many short rounds. */
async function compare(one: Started, other: Started): Promise<number[]> {
  const rateOf = async ({ url, token }: Started): Promise<number> =>
    (await load({ url: `${url}/.api/mcp`, token, bodies: [body] }, { calls: callsARound })).rate;
  await rateOf(one);
  await rateOf(other);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) ratios.push((await rateOf(one)) / (await rateOf(other)));
  return ratios;
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

/** Each token is known to every host when it is revoked by another process. Answers how many each host refused. */
async function revoke(hosts: readonly Started[], url: string): Promise<number[]> {
  const database = await PostgresDatabase.connect({ url, connections: atOnce, log: silentLogger });
  try {
    const store = new TokenStore(await database.open<AccessTokenTables>({ name: 'access_token', migrations }));
    const refused = hosts.map(() => 0);
    const one = async (): Promise<void> => {
      const created = await store.create({ userId: 1, name: 'bench', scopes: ['mcp'] });
      const statuses = (): Promise<number[]> => Promise.all(hosts.map((host) => statusOf(host, created.secret)));
      const before = await statuses();
      if (before.some((status) => status !== 200)) throw new Error(`a new token was answered ${before.join(', ')}`);
      await store.revoke(created.id);
      for (const [host, status] of (await statuses()).entries())
        if (status === 401) refused[host] = (refused[host] ?? 0) + 1;
    };
    const several = async (): Promise<void> => {
      for (let done = 0; done < revocations / atOnce; done += 1) await one();
    };
    await Promise.all(Array.from({ length: atOnce }, several));
    return refused;
  } finally {
    await database.close();
  }
}

async function statusOf({ url }: Started, token: string): Promise<number> {
  const headers = { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${token}` };
  const answer = await request(`${url}/.api/mcp`, { method: 'POST', headers, body: JSON.stringify(body) });
  await answer.body.dump();
  return answer.statusCode;
}
