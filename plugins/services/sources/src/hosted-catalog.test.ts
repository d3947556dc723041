import { setTimeout } from 'node:timers/promises';
import { Database, HostedRepositories, Identities, SourceTypes, defineSourceType } from '@sextant/contracts';
import type { HostRepository, RepositorySource } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { SextantError, contribute, definePlugin } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import sqlite from '@sextant/service-sqlite';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import plugin from './index.ts';
import { Sources } from './sources.ts';
import type { SourcesTables } from './tables.ts';
import { migrations } from './tables.ts';
import { emptySource, repositoryOf } from './testing/fake-source.ts';

const { signal } = new AbortController();
const host = 'git.example.com';
const ann = callerOf('ann', { id: 7 });
const root = callerOf('root', { id: 1, isSiteAdmin: true });

/** A host whose answers a test changes. */
interface Host {
  repositories: HostRepository[];
  /** What a list waits for before each page. */
  beforePage?: () => Promise<void>;
  /** Ids that each account reads, by its id. */
  readable: Record<string, readonly string[]>;
  isAway: boolean;
  /** Milliseconds since 1970 at which it was told what accounts read; undefined: now. */
  toldAt?: number;
  /** What the host waits for before it tells what an account reads. */
  pause?: () => Promise<void>;
  /** Accounts that the host was asked about. */
  asked: number;
}

const hostOf = (...repositories: HostRepository[]): Host => ({ repositories, readable: {}, isAway: false, asked: 0 });

function sourceOf(state: Host): RepositorySource {
  const present = (): void => {
    if (state.isAway) throw new SextantError('unavailable', 'git.example.com cannot be reached');
  };
  return emptySource(host, {
    async *list() {
      // A page at a time, so that a failure may come between two.
      for (const each of state.repositories) {
        await state.beforePage?.();
        present();
        yield [each];
      }
      present();
    },
    login: async () => ({ username: 'sextant', password: 'a token' }),
    account: async ({ subject }) => {
      present();
      state.asked += 1;
      return subject in state.readable ? { id: subject, login: `login-${subject}` } : undefined;
    },
    readable: async ({ id }) => {
      const ids = state.readable[id] ?? [];
      await state.pause?.();
      return { whole: ['public', 'internal'], ids, ...(state.toldAt !== undefined && { asOf: state.toldAt }) };
    },
  });
}

interface Served extends StartedPlugins {
  readonly hosted: HostedRepositories;
  readable(caller: Caller): Promise<string[]>;
}

/** The plugin with one host. Ann signed in there as account 70. */
async function serve(folder: string, state: Host, keys: object = {}): Promise<Served> {
  const type = defineSourceType({ type: 'fake', config: z.object({}), open: () => sourceOf(state) });
  const fake = definePlugin({ name: 'source-fake', contributions: [contribute(SourceTypes, type)] });
  const people = definePlugin({
    name: 'test-identities',
    provides: { identities: Identities },
    start: async () => ({
      identities: { value: { of: async (id) => (id === 7 ? [{ issuer: `https://${host}`, subject: '70' }] : []) } },
    }),
  });
  const sources = [{ type: 'fake', permissions: 'sync', accessSeconds: 1, ...keys }];
  const started = await startPlugins(folder, [[sqlite], [people], [fake], [plugin, { sources }]]);
  const { hosted } = started.services.resolve({ hosted: HostedRepositories });
  return {
    ...started,
    hosted,
    async readable(caller) {
      const reader = await hosted.readerFor(caller);
      return hosted.all().flatMap((each) => (reader.canRead(each) ? [each.name.slice(host.length + 1)] : []));
    },
  };
}

const names = ({ hosted }: Served): string[] => hosted.all().map(({ name }) => name.slice(host.length + 1));

/** As if so many seconds had gone by since lists of access were made. */
async function makeListsOlder(server: Served, seconds: number): Promise<void> {
  const { database } = server.services.resolve({ database: Database });
  const db = await database.open<SourcesTables>({ name: 'sources', migrations });
  await db
    .updateTable('sources_access')
    .set(({ eb }) => ({ listed_at: eb('listed_at', '-', seconds * 1000) }))
    .execute();
}

describe('the repositories of code hosts', () => {
  it('are readable for whom the host shows them to, and for site administrators', async () => {
    using folder = temporaryFolder();
    const state = hostOf(
      repositoryOf('a/secret'),
      repositoryOf('b/other'),
      repositoryOf('c/inside', { visibility: 'internal' }),
      repositoryOf('d/open', { visibility: 'public' }),
    );
    state.readable = { '70': ['a/secret'] };
    await using server = await serve(folder.path, state);
    await server.ready();
    await expect.poll(() => names(server)).toHaveLength(4);
    expect(await server.readable(ann)).toEqual(['a/secret', 'c/inside', 'd/open']);
    expect(await server.readable(callerOf('bob', { id: 8 }))).toEqual(['d/open']);
    expect(await server.readable(root)).toHaveLength(4);
  });

  it('stay gone where another process finds that while a list is under way', async () => {
    using folder = temporaryFolder();
    const state = hostOf(repositoryOf('a/shop'), repositoryOf('b/gone'));
    await using server = await serve(folder.path, state);
    await server.ready();
    await expect.poll(() => names(server)).toHaveLength(2);
    const { sources, database } = server.services.resolve({ sources: Sources, database: Database });
    const synchroniser = sources.followed[0]?.synchroniser;
    if (!synchroniser) throw new Error('it is followed');
    const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    state.beforePage = () => (reached.resolve(), go.promise);
    const look = synchroniser.look({ atAll: true });
    await reached.promise;
    const db = await database.open<SourcesTables>({ name: 'sources', migrations });
    await db.updateTable('sources_repository').set({ is_gone: 1 }).where('host_id', '=', 'b/gone').execute();
    const noted = synchroniser.noteGone();
    await Promise.race([noted, setTimeout(50)]);
    go.resolve();
    await Promise.all([look, noted]);
    await expect.poll(() => names(server)).toEqual(['a/shop']);
    const kept = await db.selectFrom('sources_repository').select(['host_id', 'is_gone']).orderBy('host_id').execute();
    expect(kept).toEqual([
      { host_id: 'a/shop', is_gone: 0 },
      { host_id: 'b/gone', is_gone: 1 },
    ]);
  });

  it('are cloned over ssh or with a helper where the operator says so, and then no token is asked for', async () => {
    using folder = temporaryFolder();
    const sshURL = `git@${host}:a/shop.git`;
    // Kept first, so that it is there after the restart.
    const state = hostOf(repositoryOf('b/untold'), repositoryOf('a/shop', { sshURL }));
    const facts = ({ hosted }: Served) => hosted.all().map(({ cloneURL }) => cloneURL);
    {
      await using server = await serve(folder.path, state, { ssh: 'account' });
      await server.ready();
      await expect.poll(() => facts(server)).toEqual([sshURL]);
      const [{ key = '' } = {}] = server.hosted.all();
      expect(server.hosted.sshLogin(key)).toBe('account');
      expect(await server.hosted.login(key, signal)).toBeUndefined();
    }
    {
      await using server = await serve(folder.path, state, { credentialHelper: 'store' });
      const [{ key = '' } = {}] = server.hosted.all();
      expect(await server.hosted.login(key, signal)).toEqual({ helper: 'store' });
    }
    await using server = await serve(folder.path, state);
    expect(facts(server)).toEqual([`https://${host}/a/shop.git`, `https://${host}/b/untold.git`]);
    const [{ key = '' } = {}] = server.hosted.all();
    expect(server.hosted.sshLogin(key)).toBeUndefined();
    expect(await server.hosted.login(key, signal)).toEqual({ username: 'sextant', password: 'a token' });
  });

  it('have the stars and the last push that their host tells, also after a restart and once it tells none', async () => {
    using folder = temporaryFolder();
    const told = { stars: 7, pushed: '2026-01-02T00:00:00.000Z' };
    const state = hostOf(repositoryOf('a/told', told), repositoryOf('b/untold'));
    const facts = ({ hosted }: Served) => hosted.all().map(({ stars, pushed }) => ({ stars, pushed }));
    {
      await using server = await serve(folder.path, state);
      await server.ready();
      await expect.poll(() => facts(server)).toEqual([told, {}]);
    }
    await using server = await serve(folder.path, state);
    expect(facts(server)).toEqual([told, {}]);
    state.repositories = [repositoryOf('a/told'), repositoryOf('b/untold')];
    await server.ready();
    await expect.poll(() => facts(server)).toEqual([{}, {}]);
  });

  it('are not readable any more once the host says so, at the next call after the list is old', async () => {
    using folder = temporaryFolder();
    const state = hostOf(repositoryOf('a/secret'));
    state.readable = { '70': ['a/secret'] };
    await using server = await serve(folder.path, state);
    await server.ready();
    await expect.poll(() => server.readable(ann)).toEqual(['a/secret']);
    state.readable = { '70': [] };
    await expect.poll(() => server.readable(ann)).toEqual([]);
    state.readable = {};
    await expect.poll(() => server.readable(ann)).toEqual([]);
  });

  it('are not readable by what was asked before a message of the host, for whoever calls after it', async () => {
    using folder = temporaryFolder();
    const state = hostOf(repositoryOf('a/secret'));
    state.readable = { '70': ['a/secret'] };
    const asked = Promise.withResolvers<void>();
    const told = Promise.withResolvers<void>();
    state.pause = () => {
      asked.resolve();
      return told.promise;
    };
    await using server = await serve(folder.path, state, { accessSeconds: 3600 });
    await server.ready();
    await expect.poll(() => names(server)).toHaveLength(1);
    const before = server.readable(ann);
    await asked.promise;
    state.readable = { '70': [] };
    const { sources } = server.services.resolve({ sources: Sources });
    const [followed] = sources.followed;
    if (!followed) throw new Error('it follows a source');
    await sources.note(followed, { kind: 'access' });
    const after = server.readable(ann);
    told.resolve();
    await before;
    expect(await after).toEqual([]);
  });

  it('stay readable by the last list while the host is away, and after a limit not any more', async () => {
    using folder = temporaryFolder();
    const state = hostOf(repositoryOf('a/secret'));
    state.readable = { '70': ['a/secret'] };
    const keys = { maxAccessAgeSeconds: 60 };
    {
      await using server = await serve(folder.path, state, keys);
      await server.ready();
      await expect.poll(() => server.readable(ann)).toEqual(['a/secret']);
    }
    state.isAway = true;
    {
      await using server = await serve(folder.path, state, keys);
      await server.ready();
      expect(names(server)).toEqual(['a/secret']);
      expect(await server.readable(ann)).toEqual(['a/secret']);
      await expect
        .poll(() => server.status()['sources']?.failures?.map(({ name }) => name))
        .toContain(`source ${host}`);
      await makeListsOlder(server, 100);
    }
    await using server = await serve(folder.path, state, keys);
    await server.ready();
    expect(await server.readable(ann)).toEqual([]);
    const reader = await server.hosted.readerFor(ann);
    const [repository] = server.hosted.all();
    expect(repository && reader.explain(repository)).toContain('is too old');
  });

  it('are not readable by what the source was told too long ago, although it was asked now', async () => {
    using folder = temporaryFolder();
    const state = hostOf(repositoryOf('a/secret'));
    state.readable = { '70': ['a/secret'] };
    state.toldAt = Date.now() - 90_000;
    await using server = await serve(folder.path, state, { maxAccessAgeSeconds: 60 });
    await server.ready();
    await expect.poll(() => names(server)).toEqual(['a/secret']);
    expect(await server.readable(ann)).toEqual([]);
    expect(state.asked).toBe(1);
    state.toldAt = Date.now() - 30_000;
    await expect.poll(() => server.readable(ann)).toEqual(['a/secret']);
  });

  it('are not readable by a list from the future: the clock was set back', async () => {
    using folder = temporaryFolder();
    const state = hostOf(repositoryOf('a/secret'));
    state.readable = { '70': ['a/secret'] };
    {
      await using server = await serve(folder.path, state);
      await server.ready();
      await expect.poll(() => server.readable(ann)).toEqual(['a/secret']);
      await makeListsOlder(server, -3600);
    }
    state.isAway = true;
    await using server = await serve(folder.path, state);
    await server.ready();
    expect(await server.readable(ann)).toEqual([]);
  });

  it('are removed only by a complete list', async () => {
    using folder = temporaryFolder();
    const state = hostOf(repositoryOf('a'), repositoryOf('b'));
    {
      await using server = await serve(folder.path, state);
      await server.ready();
      await expect.poll(() => names(server)).toEqual(['a', 'b']);
    }
    // The host goes away after the first page.
    state.repositories = [repositoryOf('c')];
    const failing = { ...state, isAway: false };
    const { repositories } = failing;
    let asked = 0;
    Object.defineProperty(failing, 'isAway', { get: () => (asked += 1) > 1 });
    const current: Served = await serve(folder.path, failing);
    await current.ready();
    await expect.poll(() => current.status()['sources']?.failures).toHaveLength(1);
    await expect.poll(() => names(current)).toEqual(['a', 'b', 'c']);
    await current[Symbol.asyncDispose]();
    await using server = await serve(folder.path, hostOf(...repositories));
    await server.ready();
    await expect.poll(() => names(server)).toEqual(['c']);
  });

  it('keep their key and their old names when they are renamed', async () => {
    using folder = temporaryFolder();
    const state = hostOf(repositoryOf('old', { id: '5' }));
    {
      await using server = await serve(folder.path, state);
      await server.ready();
      await expect.poll(() => names(server)).toEqual(['old']);
    }
    state.repositories = [repositoryOf('new', { id: '5' })];
    await using server = await serve(folder.path, state);
    await server.ready();
    await expect.poll(() => names(server)).toEqual(['new']);
    expect(server.hosted.all()).toMatchObject([{ key: `${host}#5`, formerNames: [`${host}/old`] }]);
  });

  it('ask the host once for callers that come together, and not again while the list is new', async () => {
    using folder = temporaryFolder();
    const state = hostOf(repositoryOf('a/secret'));
    state.readable = { '70': ['a/secret'] };
    await using server = await serve(folder.path, state, { accessSeconds: 3600 });
    await server.ready();
    await expect.poll(() => names(server)).toHaveLength(1);
    await Promise.all(Array.from({ length: 20 }, () => server.readable(ann)));
    await server.readable(ann);
    expect(state.asked).toBe(1);
  });

  it('are for site administrators where nobody says who may read them, unless they are public', async () => {
    using folder = temporaryFolder();
    const state = hostOf(repositoryOf('a'), repositoryOf('b', { visibility: 'public' }));
    state.readable = { '70': ['a'] };
    await using server = await serve(folder.path, state, { permissions: 'none' });
    await server.ready();
    await expect.poll(() => server.readable(root)).toEqual(['a', 'b']);
    expect(await server.readable(ann)).toEqual(['b']);
  });

  it('are for whom the operator names, and then for nobody else', async () => {
    using folder = temporaryFolder();
    const state = hostOf(repositoryOf('a'), repositoryOf('b', { visibility: 'public' }));
    await using server = await serve(folder.path, state, { permissions: 'none', access: { users: ['ann'] } });
    await server.ready();
    await expect.poll(() => server.readable(ann)).toEqual(['a', 'b']);
    expect(await server.readable(callerOf('bob', { id: 8 }))).toEqual([]);
  });
});
