import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { HostedRepositories, HostedRepository } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { silentLogger } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { describe, expect, it } from 'vitest';
import { startGit } from './testing/start-git.ts';

const { signal } = new AbortController();
const ann = callerOf('ann');

interface FakeHost extends HostedRepositories {
  repositories: HostedRepository[];
  /** Tells that something changed. */
  tell(): void;
}

/** A code host with these repositories; what is private nobody but administrators may read. */
function fakeHost(...repositories: HostedRepository[]): FakeHost {
  const listeners = new Set<() => void>();
  return {
    repositories,
    all() {
      return this.repositories;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    login: async () => undefined,
    sshLogin: () => undefined,
    readerFor: async ({ user }) => ({
      canRead: ({ isPrivate }) => user.isSiteAdmin || !isPrivate,
      explain: () => 'the test says so',
    }),
    tell() {
      for (const listener of listeners) listener();
    },
  };
}

const hostedOf = (path: string, facts: Partial<HostedRepository> = {}): HostedRepository => ({
  key: path,
  name: `git.example.com/${path}`,
  formerNames: [],
  cloneURL: 'file:///nowhere',
  description: '',
  visibility: 'public',
  isArchived: false,
  isFork: false,
  topics: ['web'],
  isPrivate: false,
  branches: [],
  changed: '1',
  ...facts,
});

describe('repositories of code hosts', () => {
  it('are cloned, fetched when they changed, and keep their clone when they are renamed', async () => {
    using folder = temporaryFolder();
    const upstream = new RepositoryBuilder({ folder: join(folder.path, 'upstream'), isBare: true });
    const first = upstream.commit({ files: { a: '1\n' } });
    const shop = hostedOf('acme/shop', { cloneURL: `file://${upstream.folder}` });
    const hosted = fakeHost(shop);
    await using git = await startGit(folder.path, {}, silentLogger, hosted);
    await git.ready();
    const head = async (name: string): Promise<string> => (await git.open(name, ann)).resolve(undefined, signal);
    await expect.poll(() => head('git.example.com/acme/shop').catch(() => '')).toBe(first);
    const second = upstream.commit({ parents: [first], files: { a: '2\n' } });
    hosted.repositories = [{ ...shop, changed: '2' }];
    hosted.tell();
    await expect.poll(() => head('git.example.com/acme/shop')).toBe(second);

    // What cannot be cloned again shows that it was not.
    renameSync(upstream.folder, join(folder.path, 'moved'));
    const [name, formerNames] = ['git.example.com/acme/store', [shop.name]];
    hosted.repositories = [{ ...shop, changed: '2', name, formerNames, cloneURL: 'file:///nowhere' }];
    hosted.tell();
    expect(await head(name)).toBe(second);
    const { info } = await git.open(shop.name, ann);
    expect(info.name).toBe(name);
    hosted.repositories = [];
    hosted.tell();
    await expect(git.open(name, ann)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('that a caller may not read are as if there were none, by each of their names', async () => {
    using folder = temporaryFolder();
    const known = { stars: 5, pushed: '2026-01-01T00:00:00.000Z' };
    const secret = hostedOf('acme/secret', { isPrivate: true, formerNames: ['git.example.com/acme/old'] });
    await using git = await startGit(folder.path, {}, silentLogger, fakeHost(secret, hostedOf('acme/open', known)));
    const told = (name: string): Promise<string> =>
      git.open(name, ann).then(
        () => 'opened',
        (error: Error) => error.message.replace(name, 'NAME'),
      );
    const nothing = await told('git.example.com/acme/none-at-all-like-that');
    for (const name of ['git.example.com/acme/secret', 'git.example.com/acme/old', 'acme/secret', 'secret'])
      expect((await told(name)).replace(/ Did you mean.*/, '')).toBe(nothing.replace(/ Did you mean.*/, ''));
    expect((await git.repositories.list(ann)).map(({ name }) => name)).toEqual(['git.example.com/acme/open']);
    const root = callerOf('root', { isSiteAdmin: true });
    expect((await git.repositories.list(root)).map(({ isPrivate }) => isPrivate)).toEqual([false, true]);
    const facts = (await git.repositories.list(root)).map(({ topics, stars, pushed }) => ({ topics, stars, pushed }));
    expect(facts).toEqual([{ topics: ['web'], ...known }, { topics: ['web'] }]);
  });

  it('are told of when the host no longer lists them, also where they were never cloned', async () => {
    using folder = temporaryFolder();
    const hosted = fakeHost(hostedOf('acme/shop'));
    await using git = await startGit(folder.path, { watchSeconds: 0.1 }, silentLogger, hosted);
    await git.ready();
    const told: string[] = [];
    git.store.onChange((name) => void told.push(name));
    hosted.repositories = [];
    hosted.tell();
    await expect.poll(() => told).toContain('git.example.com/acme/shop');
  });

  it('give way to one that the configuration gives the same name', async () => {
    using folder = temporaryFolder();
    const own = new RepositoryBuilder({ folder: join(folder.path, 'own') });
    const commit = own.commit({ files: { a: 'own\n' } });
    const name = 'git.example.com/acme/shop';
    const hosted = fakeHost(hostedOf('acme/shop', { isPrivate: true }));
    await using git = await startGit(folder.path, { repositories: [{ path: own.folder, name }] }, silentLogger, hosted);
    expect(await (await git.open(name, ann)).resolve(undefined, signal)).toBe(commit);
    expect(git.status().failures?.map(({ reason }) => reason)).toContainEqual(
      expect.stringContaining(`two repositories are named "${name}"`),
    );
  });
});
