import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  Identities,
  Repositories,
  SourceTypes,
  defaultSearchLimits,
  defineSourceType,
  parseQuery,
} from '@sextant/contracts';
import type { HostEvent } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { contribute, definePlugin, silentLogger } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import postgres from '@sextant/service-postgres';
import { postgresSettings } from '@sextant/service-postgres/testing';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { CallerSigner } from '../../plugins/libraries/node-protocol/src/claims.ts';
import { startCluster } from '../../plugins/services/code-nodes/src/testing/start-cluster.ts';
import type { StartedCluster } from '../../plugins/services/code-nodes/src/testing/start-cluster.ts';
import sources from '../../plugins/services/sources/src/index.ts';
import sqlite from '../../plugins/services/sqlite/src/index.ts';
import { emptySource, repositoryOf } from '../../plugins/services/sources/src/testing/fake-source.ts';

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

const codeHost = 'git.example.com';
const ann = callerOf('ann', { id: 7 });
const bob = callerOf('bob', { id: 8 });
const carl = callerOf('carl', { id: 9 });

/** What a code host says of its accounts: 70 is Ann's, 80 is Bob's. */
interface Said {
  readable: Record<string, readonly string[]>;
  /** Milliseconds since 1970 at which it was told; undefined: now. */
  toldAt?: number;
}

/** A code host whose repositories are in a folder, with its messages, and who signed in there. */
function codeHostIn(folder: string, said: Said) {
  const listed = ['open', 'alpha', 'beta'].map((name) => {
    const builder = new RepositoryBuilder({ folder: join(folder, `${name}.git`), isBare: true });
    builder.commit({ files: { 'a.ts': `needle of ${name}\n` } });
    const visibility = name === 'open' ? 'public' : 'private';
    return repositoryOf(`acme/${name}`, { visibility, cloneURL: `file://${builder.folder}` });
  });
  const source = emptySource(codeHost, {
    // The origin of URLs of files.
    cloneOrigins: ['null'],
    async *list() {
      yield listed;
    },
    account: async ({ subject }) => ({ id: subject, login: `login-${subject}` }),
    readable: async ({ id }) => ({
      whole: ['public'],
      ids: said.readable[id] ?? [],
      ...(said.toldAt !== undefined && { asOf: said.toldAt }),
    }),
    readMessage: (): HostEvent => ({ kind: 'access' }),
  });
  const type = defineSourceType({ type: 'fake', config: z.object({}), open: () => source });
  return [
    definePlugin({ name: 'source-fake', contributions: [contribute(SourceTypes, type)] }),
    definePlugin({
      name: 'test-identities',
      provides: { identities: Identities },
      start: async () => ({
        identities: { value: { of: async (id) => [{ issuer: `https://${codeHost}`, subject: `${id}0` }] } },
      }),
    }),
  ] as const;
}

const shortNames = (repositories: readonly { readonly name: string }[]): string[] =>
  repositories.map(({ name }) => name.slice(`${codeHost}/acme/`.length)).toSorted();

/** What a search finds, with the lists and each read of the host beside it: they say the same. */
async function seenBy(caller: Caller, { search, repositories }: StartedCluster): Promise<string[]> {
  const all = await repositories.list(caller);
  const listed = all.map(({ name }) => name);
  const request = { ...parseQuery('needle count:all'), mode: 'keyword', limits: defaultSearchLimits } as const;
  const { files, missing } = await search.find(caller, request, signal);
  expect(missing ?? []).toEqual([]);
  expect(files.map(({ repo }) => repo).toSorted()).toEqual(listed.toSorted());
  for (const name of listed) {
    const repository = await repositories.open(caller, name);
    const { file } = await repository.readTextAt(undefined, 'a.ts', signal);
    expect(file.text).toBe(`needle of ${name.split('/').at(-1)}\n`);
  }
  return shortNames(all);
}

/** What each node itself shows somebody, whatever a host says. */
async function shownByNodes(caller: Caller, { nodes }: StartedCluster): Promise<string[][]> {
  const lists = [...nodes.values()].map((node) =>
    node.services.resolve({ repositories: Repositories }).repositories.list(caller),
  );
  return (await Promise.all(lists)).map(shortNames);
}

const onBoth = (shown: string[]): string[][] => [shown, shown];

/** Sends the host of the cluster what a code host sends when somebody may read more or less. */
async function tellHost({ host }: StartedCluster): Promise<void> {
  const [webhook] = sources.pages;
  if (!webhook) throw new Error('it has a webhook');
  const request = new Request(`http://localhost/.api/webhooks/sources/${codeHost}`, { method: 'POST', body: '{}' });
  const call = { caller: ann, endpoint: webhook.path, signal, log: silentLogger, reportProgress: () => undefined };
  expect((await webhook.respond(request, host.services.resolve(webhook.needs), call)).status).toBe(202);
}

// A host or node that waited 5 s for a list goes on with the one before; so each is asked until it has the new one.
test('with permissions: sync host and nodes show what the code host shows, and less from its message on', async () => {
  using folder = temporaryFolder();
  const said: Said = { readable: { 70: ['acme/alpha'], 80: ['acme/beta'] } };
  const plugins = codeHostIn(folder.path, said);
  const keys = { type: 'fake', permissions: 'sync', accessSeconds: 86_400, maxAccessAgeSeconds: 3600 };
  const settings = await postgresSettings(server, `sync_${randomUUID().replaceAll('-', '')}`);
  await using started = await startCluster({
    folder: folder.path,
    repositories: {},
    names: ['a', 'b'],
    database: [postgres, settings],
    others: [...plugins.map((plugin) => [plugin] as const), [sources, { sources: [keys] }]],
  });
  await expect.poll(() => status(started)).toContain('3 repositories, all copies are there.');
  const root = callerOf('root', { id: 1, isSiteAdmin: true });
  await expect.poll(() => seenBy(root, started)).toEqual(['alpha', 'beta', 'open']);
  await expect.poll(() => seenBy(ann, started)).toEqual(['alpha', 'open']);
  await expect.poll(() => seenBy(bob, started)).toEqual(['beta', 'open']);
  await expect.poll(() => shownByNodes(ann, started)).toEqual(onBoth(['alpha', 'open']));
  await expect.poll(() => shownByNodes(bob, started)).toEqual(onBoth(['beta', 'open']));

  const asked = vi.spyOn(CallerSigner.prototype, 'claimsFor');
  const refusal = (name: string): Promise<string> =>
    started.repositories.open(carl, `${codeHost}/acme/${name}`).then(
      () => 'opened',
      (error: unknown) => JSON.stringify({ ...(error as Error), message: String(error) }).replaceAll(name, 'NAME'),
    );
  const hidden = await refusal('alpha');
  expect(hidden).toContain('not_found');
  expect(await refusal('gamma')).toBe(hidden);
  const request = { ...parseQuery('repo:alpha needle'), mode: 'keyword', limits: defaultSearchLimits } as const;
  expect((await started.search.find(carl, request, signal)).files).toEqual([]);
  expect(asked.mock.calls.filter(([caller]) => caller?.user.id === carl.user.id)).toEqual([]);
  asked.mockRestore();

  said.readable = { 70: [], 80: ['acme/beta', 'acme/alpha'] };
  await tellHost(started);
  await expect.poll(async () => shortNames(await started.repositories.list(ann))).toEqual(['open']);
  await expect.poll(() => shownByNodes(ann, started)).toEqual(onBoth(['open']));
  await expect.poll(() => shownByNodes(bob, started)).toEqual(onBoth(['alpha', 'beta', 'open']));
  await expect.poll(() => seenBy(ann, started)).toEqual(['open']);
  await expect.poll(() => seenBy(bob, started)).toEqual(['alpha', 'beta', 'open']);

  // What it was told too long ago is as nothing, on the host and on nodes.
  said.toldAt = Date.now() - 2 * 3_600_000;
  await tellHost(started);
  await expect.poll(() => seenBy(bob, started)).toEqual(['open']);
  await expect.poll(() => shownByNodes(bob, started)).toEqual(onBoth(['open']));
});

test('permissions: sync is refused at the start where host and nodes share no database', async () => {
  using folder = temporaryFolder();
  const plugins = codeHostIn(folder.path, { readable: {} });
  const started = startCluster({
    folder: folder.path,
    repositories: {},
    names: ['a'],
    copies: 1,
    others: [
      [sqlite],
      ...plugins.map((plugin) => [plugin] as const),
      [sources, { sources: [{ type: 'fake', permissions: 'sync' }] }],
    ],
  });
  await expect(started).rejects.toThrow('needs service-postgres');
});
