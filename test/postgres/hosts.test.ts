import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Counters, Database, HostedRepositories, Secrets, SourceTypes, defineSourceType } from '@sextant/contracts';
import type { HostEvent } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { contribute, definePlugin, silentLogger } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import postgres from '@sextant/service-postgres';
import { postgresSettings } from '@sextant/service-postgres/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Throttle } from '../../plugins/auth/password/src/throttle.ts';
import { PostgresDatabase } from '../../plugins/services/postgres/src/postgres-database.ts';
import sources from '../../plugins/services/sources/src/index.ts';
import { emptySource, repositoryOf } from '../../plugins/services/sources/src/testing/fake-source.ts';
import { runSextant, startSextant } from '../support/processes.ts';
import type { Started } from '../support/processes.ts';

const server = process.env['SEXTANT_TEST_POSTGRES'] ?? '';
const newSettings = () => postgresSettings(server, `hosts_${randomUUID().replaceAll('-', '')}`);

/** The flags of a host: all have one configuration, and each a data folder of its own. */
async function configure(folder: string): Promise<(host: number) => string[]> {
  const builder = new RepositoryBuilder({ folder: join(folder, 'git', 'shop.git'), isBare: true });
  builder.commit({ files: { 'a.ts': 'one\n' } });
  const config = {
    repositories: [{ path: join(folder, 'git') }],
    plugins: { 'service-sqlite': false, 'service-postgres': await newSettings() },
  };
  writeFileSync(join(folder, 'sextant.config.json'), JSON.stringify(config));
  return (host) => {
    const data = join(folder, `data${host}`);
    mkdirSync(data, { recursive: true });
    return ['--config', join(folder, 'sextant.config.json'), '--data', data];
  };
}

async function call({ url }: Started, token: string): Promise<number> {
  const params = { name: 'read_file', arguments: { repo: 'shop', path: 'a.ts' } };
  const response = await fetch(`${url}/.api/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  const text = await response.text();
  if (response.status === 200) expect(text).toContain('1: one');
  return response.status;
}

test('three hosts that start at once on an empty database are one server: tokens, their end, and the usage', async () => {
  using folder = temporaryFolder();
  const flags = await configure(folder.path);
  const hosts = await Promise.all([0, 1, 2].map((host) => startSextant(flags(host))));
  try {
    const first = hosts.flatMap(({ token }) => token || []);
    expect(first, 'one first token for all').toHaveLength(1);
    const statuses = (token: string): Promise<number[]> => Promise.all(hosts.map((host) => call(host, token)));
    for (let round = 0; round < 5; round += 1) {
      const token = runSextant(['token', 'create', '--user', 'admin', ...flags(round % 3)]);
      expect(await statuses(token)).toEqual([200, 200, 200]);
      runSextant(['token', 'revoke', String(round + 2), ...flags((round + 1) % 3)]);
      expect(await statuses(token), 'refused at the next call').toEqual([401, 401, 401]);
    }
    const [host] = hosts;
    const headers = { authorization: `Bearer ${first[0]}` };
    await Promise.all(hosts.slice(1).map((each) => each.stop()));
    const report = `${host?.url}/api/reports/by-user-client-date?instanceURL=${host?.url}&granularity=by_user&format=json`;
    const { rows } = (await (await fetch(report, { headers })).json()) as { rows: Record<string, number>[] };
    expect(rows[0]?.['Tool Calls']).toBe(15);
  } finally {
    await Promise.all(hosts.map((each) => each.stop()));
  }
});

test('what a code host tells one host to be gone is gone on all', async () => {
  using folder = temporaryFolder();
  const settings = await newSettings();
  const paths = new Set(['acme/kept', 'acme/gone']);
  const source = emptySource('git.example.com', {
    async *list() {
      yield [...paths].map((path) => repositoryOf(path));
    },
    readMessage: (): HostEvent => ({ kind: 'repositories' }),
  });
  const type = defineSourceType({ type: 'fake', config: z.object({}), open: () => source });
  const fake = definePlugin({ name: 'source-fake', contributions: [contribute(SourceTypes, type)] });
  const rare = { type: 'fake', pollSeconds: 86_400, refreshSeconds: 86_400 };
  const start = () => startPlugins(folder.path, [[postgres, settings], [fake], [sources, { sources: [rare] }]]);
  await using first = await start();
  await using second = await start();
  for (const host of [first, second]) await host.ready();
  const listed = () =>
    [first, second].map(({ services }) =>
      services
        .resolve({ hosted: HostedRepositories })
        .hosted.all()
        .map(({ name }) => name.slice('git.example.com/acme/'.length)),
    );
  const tell = async (): Promise<void> => {
    const [webhook] = sources.pages;
    if (!webhook) throw new Error('it has a webhook');
    const url = 'http://localhost/.api/webhooks/sources/git.example.com';
    const around = { signal: new AbortController().signal, log: silentLogger, reportProgress: () => undefined };
    const call = { caller: callerOf('nobody'), endpoint: webhook.path, ...around };
    const needed = first.services.resolve(webhook.needs);
    expect((await webhook.respond(new Request(url, { method: 'POST', body: '{}' }), needed, call)).status).toBe(202);
  };
  await expect.poll(listed).toEqual([
    ['gone', 'kept'],
    ['gone', 'kept'],
  ]);
  paths.delete('acme/gone');
  await tell();
  await expect.poll(listed).toEqual([['kept'], ['kept']]);
});

test('twenty wrong passwords over three hosts are stopped at ten', async () => {
  using folder = temporaryFolder();
  const settings = await newSettings();
  const hosts = await Promise.all([0, 1, 2].map(() => startPlugins(folder.path, [[postgres, settings]])));
  const throttles = await Promise.all(
    hosts.map(async ({ services }) => {
      const needed = services.resolve({ database: Database, secrets: Secrets });
      return new Throttle(await Counters.open({ ...needed, name: 'password' }));
    }),
  );
  const attempts = Array.from({ length: 20 }, (_, n) =>
    throttles[n % 3]?.attempt({ account: 'alice', address: '192.0.2.1' }),
  );
  const outcomes = (await Promise.allSettled(attempts)).map(({ status }) => status);
  expect(outcomes.filter((status) => status === 'fulfilled')).toHaveLength(10);
  for (const host of hosts) await host[Symbol.asyncDispose]();
});

test('work that one host at a time should do is done by one', async () => {
  const { url } = await newSettings();
  const [here, there] = await Promise.all(
    [0, 1].map(() => PostgresDatabase.connect({ url, connections: 4, log: silentLogger })),
  );
  // Another installation in the same database.
  const elsewhere = await PostgresDatabase.connect({ ...(await newSettings()), connections: 4, log: silentLogger });
  const done: string[] = [];
  const isDone = await here?.exclusively('push', async () => {
    done.push('here');
    expect(await there?.exclusively('push', async () => void done.push('there'))).toBe(false);
    expect(await there?.exclusively('other', async () => void done.push('other'))).toBe(true);
    expect(await elsewhere.exclusively('push', async () => void done.push('elsewhere'))).toBe(true);
  });
  expect([isDone, done]).toEqual([true, ['here', 'other', 'elsewhere']]);
  expect(await there?.exclusively('push', async () => void done.push('there'))).toBe(true);
  await Promise.all([here?.close(), there?.close(), elsewhere.close()]);
});
