import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { postgresSettings } from '@sextant/service-postgres/testing';
import { expect, test } from 'vitest';
import { callTool } from '../prove/support/calls.ts';
import { CodeNodes } from '../support/code-nodes.ts';
import type { Started } from '../support/processes.ts';

const server = process.env['SEXTANT_TEST_POSTGRES'] ?? '';
const names = Array.from({ length: 6 }, (_, index) => `part-${index}`);

interface Services {
  readonly hosts: { readonly detail: { readonly hosts: readonly object[] }; readonly failures?: readonly object[] };
  readonly repositories: { readonly detail: { readonly nodes: Readonly<Record<string, number>> } };
}

async function servicesOf({ url, token }: Started): Promise<Services> {
  const answer = await fetch(`${url}/readyz`, { headers: { authorization: `Bearer ${token}` } });
  return ((await answer.json()) as { services: Services }).services;
}

const copiesOf = async (host: Started): Promise<number> =>
  Object.values((await servicesOf(host)).repositories.detail.nodes).reduce((sum, count) => sum + count, 0);

const find = (host: Started) => callTool(host, { name: 'keyword_search', arguments: { query: 'needle count:all' } });

/** Repositories of which an answer says nothing. */
async function unsaid(host: Started): Promise<string[]> {
  const { kind, detail } = await find(host);
  // Whoever is told when to ask again was told.
  return kind === 'refused' ? [] : names.filter((name) => !detail.includes(name));
}

const hasAll = async (host: Started): Promise<boolean> => {
  const { kind, detail } = await find(host);
  return kind === 'answered' && !detail.includes('Not searched') && names.every((name) => detail.includes(name));
};

test('nodes and a host as processes on one database: one is killed, nothing is silently missing, and others copy what it had', async () => {
  using folder = temporaryFolder();
  const repositories = join(folder.path, 'git');
  mkdirSync(repositories);
  for (const name of names) {
    const builder = new RepositoryBuilder({ folder: join(repositories, `${name}.git`), isBare: true });
    builder.commit({ files: { 'a.ts': `export const needle = '${name}';\n` } });
  }
  const database = await postgresSettings(server, `nodes_${randomUUID().replaceAll('-', '')}`);
  await using nodes = new CodeNodes({ folder: folder.path, repositories, database });
  const all = ['a', 'b', 'c'];
  await nodes.configure(all);
  await Promise.all(all.map((name) => nodes.start(name)));
  const host = await nodes.startHost();
  try {
    await expect.poll(() => hasAll(host)).toBe(true);
    await expect.poll(() => copiesOf(host)).toBe(2 * names.length);
    const { hosts } = await servicesOf(host);
    expect(hosts.detail.hosts).toHaveLength(1);
    expect(hosts.failures).toBeUndefined();

    await nodes.kill('a');
    const isLost = async (): Promise<boolean> => !('a' in (await servicesOf(host)).repositories.detail.nodes);
    while (!(await isLost())) expect(await unsaid(host)).toEqual([]);
    await expect.poll(() => copiesOf(host)).toBe(2 * names.length);
    await expect.poll(() => hasAll(host)).toBe(true);

    await nodes.start('a');
    await expect.poll(async () => 'a' in (await servicesOf(host)).repositories.detail.nodes).toBe(true);
    expect(await unsaid(host)).toEqual([]);
    await expect.poll(() => hasAll(host)).toBe(true);
  } finally {
    await host.stop();
  }
});
