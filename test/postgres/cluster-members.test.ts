import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import postgres from '@sextant/service-postgres';
import { postgresSettings } from '@sextant/service-postgres/testing';
import { expect, test } from 'vitest';
import { startCluster } from '../../plugins/services/code-nodes/src/testing/start-cluster.ts';
import type { StartedCluster } from '../../plugins/services/code-nodes/src/testing/start-cluster.ts';

const server = process.env['SEXTANT_TEST_POSTGRES'] ?? '';
const { signal } = new AbortController();
const alice = callerOf('alice');
const names = Array.from({ length: 6 }, (_, index) => `acme/part-${index}`);

const namesOf = (nodes: readonly { readonly name: string }[]): string[] => nodes.map(({ name }) => name).toSorted();

/** As many repositories as a search finds, and who does not answer. */
async function found({ search }: StartedCluster): Promise<unknown> {
  const request = { ...parseQuery('needle count:all'), mode: 'keyword', limits: defaultSearchLimits } as const;
  const { fileCount, missing = [] } = await search.find(alice, request, signal);
  return { fileCount, missing };
}
const all = { fileCount: names.length, missing: [] };

const status = ({ host }: StartedCluster): Promise<string> => host.run('cluster status', {});
const isWhole = expect.stringContaining(`${names.length} repositories, all copies are there.`);

test('nodes that the database knows: one is lost, comes back, and one leaves when others have all that it had', async () => {
  using folder = temporaryFolder();
  const built = names.map((name): [string, string] => {
    const builder = new RepositoryBuilder({ folder: join(folder.path, `${name.slice(5)}.git`), isBare: true });
    builder.commit({ files: { 'a.ts': 'needle\n' } });
    return [name, builder.folder];
  });
  const settings = await postgresSettings(server, `members_${randomUUID().replaceAll('-', '')}`);
  await using started = await startCluster({
    folder: folder.path,
    repositories: Object.fromEntries(built),
    hidden: [],
    database: [postgres, settings],
    more: { lostSeconds: 5 },
  });
  const { cluster } = started;
  await expect.poll(() => status(started)).toEqual(isWhole);
  await expect.poll(() => namesOf(cluster.nodes)).toEqual(['a', 'b', 'c']);
  expect(await found(started)).toEqual(all);
  const epoch = cluster.epoch;

  await started.nodes.get('a')?.[Symbol.asyncDispose]();
  expect(await found(started)).toEqual(all);
  await expect.poll(() => namesOf(cluster.nodes)).toEqual(['b', 'c']);
  await expect.poll(() => status(started)).toEqual(isWhole);
  await expect.poll(() => status(started)).toMatch(/a +http\S+ +lost/);
  expect(cluster.epoch).not.toBe(epoch);
  expect(await found(started)).toEqual(all);

  await started.startNode('a');
  await expect.poll(() => cluster.epoch).toBe(epoch);
  await expect.poll(() => status(started)).toEqual(isWhole);
  expect(await found(started)).toEqual(all);
  // What came back is dropped where it was copied meanwhile.
  const copies = (): number => (cluster.members?.all() ?? []).reduce((sum, { repositories }) => sum + repositories, 0);
  await expect.poll(copies).toBe(2 * names.length);

  const said = await started.host.run('cluster drain', { node: 'b' });
  expect(said).toContain('All that b has is on other nodes. It may be stopped.');
  const owners = (): string[] => [...new Set(names.flatMap((name) => namesOf(cluster.ownersOf(name))))].toSorted();
  await expect.poll(owners).toEqual(['a', 'c']);
  await expect.poll(() => status(started)).toMatch(/b +http\S+ +draining: answers/);
  await started.nodes.get('b')?.[Symbol.asyncDispose]();
  expect(await found(started)).toEqual(all);
  await expect.poll(() => started.host.run('cluster rebalance', {})).toContain('b own nothing any more');
  await expect.poll(() => namesOf(cluster.members?.all() ?? [])).toEqual(['a', 'c']);
  await expect(started.host.run('cluster drain', { node: 'z' })).rejects.toMatchObject({ code: 'not_found' });
});
