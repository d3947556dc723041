import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { describe, expect, it, vi } from 'vitest';
import { startGit } from '../testing/start-git.ts';
import type { StartedGit } from '../testing/start-git.ts';
import { LeftClones } from './left-clones.ts';

const { signal } = new AbortController();
const root = callerOf('root', { isSiteAdmin: true });

async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  await expect.poll(() => isSo()).toBe(true);
}

const isReady = (git: StartedGit): Promise<void> => until(() => git.status().isReady);

describe('clones', () => {
  it('answers that a repository is being cloned until it is, and follows its branches, tags and HEAD', async () => {
    using folder = temporaryFolder();
    const upstream = new RepositoryBuilder({ folder: join(folder.path, 'upstream'), isBare: true });
    const first = upstream.commit({ files: { a: '1\n' } });
    upstream.commit({ branch: 'old', parents: [first] });
    await using git = await startGit(folder.path, {
      repositories: [{ url: `file://${upstream.folder}`, name: 'acme/shop' }],
    });
    await expect(git.open('acme/shop')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('is still being cloned'),
    });
    expect(git.status()).toEqual({ isReady: false, detail: { repositories: 1, cloning: 1, failed: 0 } });
    expect(await git.repositories.list(root)).toMatchObject([{ name: 'acme/shop', defaultBranch: '' }]);
    await git.ready();
    await isReady(git);
    const shop = await git.open('acme/shop');
    expect(await shop.resolve(undefined, signal)).toBe(first);
    const second = upstream.commit({ branch: 'next', parents: [first], files: { a: '2\n' } });
    upstream.tag({ name: 'v2', commit: second });
    upstream.git('symbolic-ref', 'HEAD', 'refs/heads/next');
    upstream.git('branch', '-D', 'old');
    const answer = await git.fetch('{"repository":"acme/shop"}', root);
    expect([answer.status, await answer.json()]).toEqual([202, { queued: ['acme/shop'] }]);
    await until(async () => (await git.open('acme/shop')).info.defaultBranch === 'next');
    expect(await shop.resolve(undefined, signal)).toBe(second);
    expect(await shop.resolve('v2', signal)).toBe(second);
    await expect(shop.resolve('old', signal)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('clones what is missing before it goes on to fetch what is there', async () => {
    using folder = temporaryFolder();
    const repositories = ['kept-1', 'kept-2', 'kept-3', 'missing'].map((name) => {
      const upstream = new RepositoryBuilder({ folder: join(folder.path, `${name}.git`), isBare: true });
      upstream.commit({ files: { a: '1\n' } });
      return { url: `file://${upstream.folder}`, name };
    });
    {
      await using git = await startGit(folder.path, { repositories: repositories.slice(0, 3) });
      await git.ready();
      await isReady(git);
    }
    for (const name of ['kept-1', 'kept-2', 'kept-3']) rmSync(join(folder.path, `${name}.git`), { recursive: true });
    const afterClone: boolean[] = [];
    const started: { git?: StartedGit } = {};
    const isCloned = async (): Promise<boolean> =>
      (await started.git?.repositories.list(root))?.every(({ clone }) => clone?.state === 'ready') === true;
    const warn = (): void => void isCloned().then((is) => afterClone.push(is));
    await using git = await startGit(folder.path, { repositories, clonesAtOnce: 1 }, { ...silentLogger, warn });
    started.git = git;
    await git.ready();
    await until(() => afterClone.length >= 3);
    // One may have its turn before it is known what is missing.
    expect(afterClone.slice(0, 3).filter((is) => is).length).toBeGreaterThanOrEqual(2);
  });

  it('fetches on an interval, SHA-256 too', async () => {
    using folder = temporaryFolder();
    const upstream = new RepositoryBuilder({ folder: join(folder.path, 'upstream'), objectFormat: 'sha256' });
    upstream.commit();
    await using git = await startGit(folder.path, {
      repositories: [{ url: join(upstream.folder, '.git'), name: 'r' }],
      fetchSeconds: 1,
    });
    await git.ready();
    await isReady(git);
    const commit = upstream.commit();
    expect(commit).toHaveLength(64);
    await until(async () => (await (await git.open('r')).resolve(undefined, signal)) === commit);
  });

  it('keeps a failure, tries again, and never shows the password', async () => {
    using folder = temporaryFolder();
    const upstream = join(folder.path, 'later');
    const logged: string[] = [];
    const record = (fields: object, message: string): void => void logged.push(JSON.stringify(fields) + message);
    const log: Logger = { debug: record, info: record, warn: record, error: record };
    const repositories = [
      { url: `file://${upstream}`, name: 'later' },
      { url: 'http://bob:hunter2@127.0.0.1:9/x.git', name: 'secret' },
    ];
    await using git = await startGit(folder.path, { repositories }, log);
    await git.ready();
    await until(() => git.status().detail['failed'] === 2);
    await expect(git.open('later')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(
        /could not be cloned yet \(it fails since \S+\): its host knows no such repository; /,
      ),
    });
    new RepositoryBuilder({ folder: upstream }).commit();
    await git.fetch('', root);
    await until(() => git.status().detail['failed'] === 1);
    expect((await git.open('later')).info.defaultBranch).toBe('main');
    expect(logged.join('\n')).toContain('127.0.0.1');
    expect(logged.join('\n')).not.toMatch(/hunter2|Ym9iOmh1bnRlcjI/);
  });

  it('removes what a killed server left behind, and nothing else', async () => {
    using folder = temporaryFolder();
    const clones = join(folder.path, 'data', 'clones');
    const abandoned = join(clones, 'partial-999999999-1-x');
    const kept = join(clones, 'partial-1-1-x');
    for (const path of [abandoned, kept]) mkdirSync(path, { recursive: true });
    const upstream = new RepositoryBuilder({ folder: join(folder.path, 'upstream') });
    upstream.commit();
    const settings = { repositories: [{ url: `file://${upstream.folder}`, name: 'r' }] };
    {
      await using git = await startGit(folder.path, settings);
      await git.ready();
      await isReady(git);
    }
    expect([existsSync(abandoned), existsSync(kept)]).toEqual([false, true]);
    const id = readdirSync(clones).find((name) => !name.startsWith('partial-'));
    // As a process that was killed while it fetched leaves it.
    writeFileSync(join(clones, `${id}.owner`), '999999999-1');
    const commit = upstream.commit();
    await using git = await startGit(folder.path, settings);
    await git.ready();
    await until(async () => (await (await git.open('r')).resolve(undefined, signal)) === commit);
  });

  it('serves the last state while the other side is away', async () => {
    using folder = temporaryFolder();
    const upstream = new RepositoryBuilder({ folder: join(folder.path, 'upstream') });
    const commit = upstream.commit();
    const warn = vi.fn<Logger['warn']>();
    await using git = await startGit(
      folder.path,
      { repositories: [{ url: `file://${upstream.folder}`, name: 'r' }] },
      { ...silentLogger, warn },
    );
    await git.ready();
    await isReady(git);
    renameSync(upstream.folder, `${upstream.folder}-away`);
    await git.fetch('{}', root);
    await until(() => warn.mock.calls.length > 0);
    expect(await (await git.open('r')).resolve(undefined, signal)).toBe(commit);
  });

  it('refuses transports that could run programs', async () => {
    using folder = temporaryFolder();
    for (const url of [
      'ext::sh -c true',
      'ext::true',
      'fd::7',
      '-u/x',
      'ssh://-oProxyCommand=x/y',
      'ftp://example.com/x',
      'relative/path',
    ])
      await expect(startGit(folder.path, { repositories: [{ url, name: 'x' }] })).rejects.toThrow(/must be an https/);
  });
});

describe('the webhook', () => {
  it('answers for a hidden repository as for a missing one', async () => {
    using folder = temporaryFolder();
    new RepositoryBuilder({ folder: join(folder.path, 'hidden') }).commit();
    await using git = await startGit(folder.path, { repositories: [{ path: 'hidden', access: {} }] });
    const bob = callerOf('bob');
    const refusals = await Promise.all(
      ['hidden', 'absent'].map((name) =>
        git.fetch(JSON.stringify({ repository: name }), bob).catch((error: Error) => error.message.replace(name, 'X')),
      ),
    );
    expect(refusals[0]).toMatch(/repository "X" not found/);
    expect(refusals[0]).toBe(refusals[1]);
    expect(await (await git.fetch('', bob)).json()).toEqual({ queued: [] });
    await expect(git.fetch('{"repo":"x"}', bob)).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(git.fetch('nonsense', bob)).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

it('removes a clone that others own once they have it, after its time of grace, and none that is owned again', async () => {
  using folder = temporaryFolder();
  const root = folder.path;
  const [a = '', b = '', c = ''] = ['a', 'b', 'c'].map((name) => join(root, name));
  for (const path of [a, b, c]) {
    mkdirSync(path);
    writeFileSync(`${path}.changed`, 'now');
  }
  let isRetiring = true;
  const left = new LeftClones({ root, graceSeconds: 0, isRetiring: () => isRetiring, log: silentLogger });
  const patient = new LeftClones({ root, graceSeconds: 3600, isRetiring: () => false, log: silentLogger });
  patient.note(a, 'acme/a');
  for (const [path, name] of [
    [a, 'acme/a'],
    [b, 'acme/b'],
    [c, 'acme/c'],
    [join(root, 'none'), 'acme/none'],
  ] as const)
    left.note(path, name);
  left.takeBack(b);
  expect(left.names).toEqual(['acme/a', 'acme/c']);
  expect([await left.remove(['acme/a']), await patient.remove(['acme/a'])]).toEqual([[], []]);
  isRetiring = false;
  expect(await left.remove(['acme/a', 'acme/b', 'acme/none'])).toEqual([a]);
  expect(left.names).toEqual(['acme/c']);
  expect(readdirSync(root).toSorted()).toEqual(['b', 'b.changed', 'c', 'c.changed']);
  // It was renamed meanwhile, and cannot be moved away: no other waits for it.
  left.rename(c, 'acme/c2');
  left.note(b, 'acme/b');
  mkdirSync(`${c}.owner`);
  expect(await left.remove(['acme/b', 'acme/c2'])).toEqual([b]);
  expect([left.names, left.removed]).toEqual([['acme/c2'], 2]);
  rmSync(`${c}.owner`, { recursive: true });
  // The quota of disk may be faster.
  rmSync(c, { recursive: true });
  expect([left.names, await left.remove(['acme/c2']), left.removed]).toEqual([[], [], 2]);
  expect(readdirSync(root)).toEqual([]);
});

it.each([
  ['all of it', 'a watch'],
  ['its HEAD', 'a watch'],
  ['all of it', 'a call'],
])('makes a clone again where %s is gone from the disk, once %s sees it', async (what, who) => {
  using folder = temporaryFolder();
  const upstream = new RepositoryBuilder({ folder: join(folder.path, 'upstream'), isBare: true });
  upstream.commit();
  const repositories = [{ url: `file://${upstream.folder}`, name: 'shop' }];
  await using git = await startGit(folder.path, { repositories, watchSeconds: 0.1 });
  await git.ready();
  await isReady(git);
  using stack = new DisposableStack();
  if (who === 'a watch') stack.defer(git.store.onChange(() => undefined));
  const clones = join(folder.path, 'data', 'clones');
  const clone = readdirSync(clones).find((name) => /^[0-9a-f]{32}$/.test(name)) ?? '';
  rmSync(what === 'its HEAD' ? join(clones, clone, 'HEAD') : join(clones, clone), { recursive: true });
  if (who === 'a call') await git.open('shop').catch(() => undefined);
  await until(() => existsSync(join(clones, clone, 'HEAD')));
  await isReady(git);
  await expect(git.open('shop')).resolves.toBeDefined();
});

it('keeps a clone that the disk does not let it read', async () => {
  using folder = temporaryFolder();
  const upstream = new RepositoryBuilder({ folder: join(folder.path, 'upstream'), isBare: true });
  upstream.commit();
  const settings = { repositories: [{ url: `file://${upstream.folder}`, name: 'shop' }] };
  {
    await using git = await startGit(folder.path, settings);
    await git.ready();
    await isReady(git);
  }
  const clones = join(folder.path, 'data', 'clones');
  const clone = join(clones, readdirSync(clones).find((name) => /^[0-9a-f]{32}$/.test(name)) ?? '');
  const objects = join(clone, 'objects');
  renameSync(objects, `${objects}-away`);
  symlinkSync('objects', objects);
  writeFileSync(join(clone, 'mark'), '');
  await using git = await startGit(folder.path, settings);
  await git.ready();
  await until(() => git.status().failures?.[0]?.reason === 'its files are there, but cannot be read');
  rmSync(objects);
  renameSync(`${objects}-away`, objects);
  await expect(git.open('shop')).resolves.toBeDefined();
  expect(existsSync(join(clone, 'mark'))).toBe(true);
});
