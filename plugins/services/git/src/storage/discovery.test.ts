import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { describe, expect, it, vi } from 'vitest';
import { startGit } from '../testing/start-git.ts';
import type { StartedGit } from '../testing/start-git.ts';

const root = callerOf('root', { isSiteAdmin: true });
const build = (...path: readonly string[]): RepositoryBuilder => new RepositoryBuilder({ folder: join(...path) });
const buildBare = (...path: readonly string[]): RepositoryBuilder =>
  new RepositoryBuilder({ folder: join(...path), isBare: true });
const namesIn = async (git: StartedGit): Promise<string[]> =>
  (await git.repositories.list(root)).map(({ name }) => name);

describe('repositories are found', () => {
  it('at a path under their folder’s name, below it by their path from there, without .git', async () => {
    using folder = temporaryFolder();
    const at = join(folder.path, 'srv');
    build(at, 'acme', 'shop');
    buildBare(at, 'acme', 'tools.git');
    buildBare(at, '.github');
    build(at, 'acme', 'shop', 'vendored');
    build(at, 'node_modules', 'x');
    build(at, '.cache', 'x');
    buildBare(folder.path, 'lone.git');
    build(folder.path, 'here');
    const paths = ['srv', 'lone.git', 'here/.git'];
    await using git = await startGit(folder.path, { repositories: paths.map((path) => ({ path })) });
    expect(await namesIn(git)).toEqual(['.github', 'acme/shop', 'acme/tools', 'here', 'lone']);
  });

  it('under the name that the configuration gives, which prefixes those of a scanned folder', async () => {
    using folder = temporaryFolder();
    build(folder.path, 'srv', 'shop');
    build(folder.path, 'tool');
    const repositories = [
      { path: 'srv', name: 'acme' },
      { path: join(folder.path, 'tool'), name: 'acme/hammer', description: 'Hits', archived: true, fork: true },
    ];
    await using git = await startGit(folder.path, { repositories });
    expect(await namesIn(git)).toEqual(['acme/hammer', 'acme/shop']);
    expect((await git.open('acme/hammer')).info).toEqual({
      name: 'acme/hammer',
      description: 'Hits',
      isPrivate: false,
      isArchived: true,
      isFork: true,
      defaultBranch: 'main',
    });
  });

  it('with the description that git keeps of them', async () => {
    using folder = temporaryFolder();
    const builder = buildBare(folder.path, 'r');
    writeFileSync(join(builder.folder, 'description'), 'All about R\n');
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    expect((await git.open('r')).info.description).toBe('All about R');
  });

  it('once each, though links lead in circles', async () => {
    using folder = temporaryFolder();
    const at = join(folder.path, 'srv');
    build(at, 'a', 'r');
    build(folder.path, 'elsewhere', 'far');
    symlinkSync('..', join(at, 'a', 'up'));
    symlinkSync('a', join(at, '0-link'));
    symlinkSync('nowhere', join(at, 'broken'));
    symlinkSync(join(folder.path, 'elsewhere'), join(at, 'out'));
    const settings = { repositories: [{ path: 'srv' }], sharedObjectStores: ['elsewhere'] };
    await using git = await startGit(folder.path, settings);
    expect(await namesIn(git)).toEqual(['a/r', 'out/far']);
  });

  it('down to a depth and up to a number of folders, and what was left out is logged', async () => {
    using folder = temporaryFolder();
    build(folder.path, 'srv', 'near');
    build(folder.path, 'srv', 'b', 'c', 'd', 'deep');
    const warn = vi.fn<Logger['warn']>();
    const log = { ...silentLogger, warn };
    await using shallow = await startGit(folder.path, { repositories: [{ path: 'srv' }], scanDepth: 2 }, log);
    expect(await namesIn(shallow)).toEqual(['near']);
    expect(warn.mock.calls[0]?.[1]).toMatch(/deeper than 2/);
    await using narrow = await startGit(folder.path, { repositories: [{ path: 'srv' }], scanFolders: 3 }, log);
    expect(await namesIn(narrow)).toEqual(['near']);
    expect(warn.mock.calls[1]?.[1]).toMatch(/more than 3 folders/);
  });

  it('but not under a name that could pass for something else', async () => {
    using folder = temporaryFolder();
    build(folder.path, 'srv', '-rf');
    build(folder.path, 'srv', 'a..b');
    build(folder.path, 'srv', 'new\nline');
    const warn = vi.fn<Logger['warn']>();
    await using git = await startGit(folder.path, { repositories: [{ path: 'srv' }] }, { ...silentLogger, warn });
    expect(await namesIn(git)).toEqual([]);
    expect(warn).toHaveBeenCalledTimes(3);
  });

  it('when they come and go while the server runs', async () => {
    using folder = temporaryFolder();
    build(folder.path, 'srv', 'one');
    await using git = await startGit(folder.path, { repositories: [{ path: 'srv' }] });
    build(folder.path, 'srv', 'two');
    await git.fetch('', root);
    await expect.poll(() => namesIn(git)).toEqual(['one', 'two']);
    renameSync(join(folder.path, 'srv', 'one'), join(folder.path, 'one'));
    await git.fetch('', root);
    await expect.poll(() => namesIn(git)).toEqual(['two']);
    await expect(git.open('one')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('what cannot be served is named, and the rest is served', () => {
  it('a path that is no folder', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'file'), '');
    build(folder.path, 'r');
    const repositories = ['none', 'file', 'r'].map((path) => ({ path }));
    await using git = await startGit(folder.path, { repositories });
    expect(await namesIn(git)).toEqual(['r']);
    expect(git.status().failures).toEqual(
      ['none', 'file'].map((name) => ({
        name: join(folder.path, name),
        reason: expect.stringContaining(`there is no folder ${join(folder.path, name)}`),
      })),
    );
  });

  it('a repository that was found under a name that the configuration gives to another', async () => {
    using folder = temporaryFolder();
    build(folder.path, 'srv', 'shop');
    const own = build(folder.path, 'own').commit();
    const repositories = [{ path: 'srv' }, { path: 'own', name: 'shop' }];
    await using git = await startGit(folder.path, { repositories });
    expect(await (await git.open('shop')).resolve(undefined, new AbortController().signal)).toBe(own);
    expect(git.status().failures).toMatchObject([
      { name: 'shop', reason: expect.stringContaining('two repositories') },
    ]);
  });

  it('a .git file that leads to no repository', async () => {
    using folder = temporaryFolder();
    build(folder.path, 'srv', 'r');
    const own = join(folder.path, 'data', 'own');
    for (const path of [own, join(folder.path, 'srv', 'x'), join(folder.path, 'y')])
      mkdirSync(path, { recursive: true });
    for (const place of ['srv/x', 'y']) writeFileSync(join(folder.path, place, '.git'), `gitdir: ${own}\n`);
    await using git = await startGit(folder.path, { repositories: [{ path: 'srv' }, { path: 'y' }] });
    expect(await namesIn(git)).toEqual(['r']);
    const reason = expect.stringContaining(`leads to ${JSON.stringify(own)}, where no git repository is`);
    expect(git.status().failures).toEqual(['srv/x', 'y'].map((place) => ({ name: join(folder.path, place), reason })));
  });

  it('a link that leads outside the folder that is scanned', async () => {
    using folder = temporaryFolder();
    build(folder.path, 'srv', 'r');
    build(folder.path, 'elsewhere', 'far');
    symlinkSync(join(folder.path, 'elsewhere'), join(folder.path, 'srv', 'out'));
    await using git = await startGit(folder.path, { repositories: [{ path: 'srv' }] });
    expect(await namesIn(git)).toEqual(['r']);
    expect(git.status().failures).toMatchObject([
      { name: join(folder.path, 'srv', 'out'), reason: expect.stringContaining('sharedObjectStores') },
    ]);
  });
});

describe('the server does not start', () => {
  it('with two repositories of one name, and names both places', async () => {
    using folder = temporaryFolder();
    build(folder.path, 'a', 'shop');
    buildBare(folder.path, 'b', 'shop.git');
    const start = startGit(folder.path, { repositories: [{ path: 'a/shop' }, { path: 'b/shop.git' }] });
    await expect(start).rejects.toThrow(
      `two repositories are named "shop": ${join(folder.path, 'a/shop')} and ${join(folder.path, 'b/shop.git')}`,
    );
  });

  it('with an entry that is neither path nor url, or both, or has a bad name', async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, 'x'));
    await expect(startGit(folder.path, { repositories: [{}] })).rejects.toThrow(/either/);
    await expect(
      startGit(folder.path, { repositories: [{ path: 'x', url: 'https://example.com/x' }] }),
    ).rejects.toThrow(/either/);
    for (const name of ['', '-x', 'a/../b', 'a\nb', '/x', 'x'.repeat(1001)])
      await expect(startGit(folder.path, { repositories: [{ path: 'x', name }] })).rejects.toThrow(/must not be empty/);
  });
});

describe('who may read', () => {
  it('is everyone, or the named roles and users, and always site administrators', async () => {
    using folder = temporaryFolder();
    for (const name of ['open', 'team', 'bobs', 'nobodys']) build(folder.path, name);
    const repositories = [
      { path: 'open' },
      { path: 'team', access: { roles: ['team-shop'] } },
      { path: 'bobs', access: { users: ['bob'] } },
      { path: 'nobodys', access: {} },
    ];
    await using git = await startGit(folder.path, { repositories });
    const visibleTo = async (caller: ReturnType<typeof callerOf>): Promise<string> =>
      (await git.repositories.list(caller)).map(({ name }) => name).join(' ');
    expect(await visibleTo(callerOf('alice'))).toBe('open');
    expect(await visibleTo(callerOf('alice', { roles: ['team-shop'] }))).toBe('open team');
    expect(await visibleTo(callerOf('Bob'))).toBe('bobs open');
    expect(await visibleTo(root)).toBe('bobs nobodys open team');
  });

  it('is not told by suggestions: only visible names are suggested', async () => {
    using folder = temporaryFolder();
    for (const name of ['payments', 'payment-docs']) build(folder.path, name);
    await using git = await startGit(folder.path, {
      repositories: [{ path: 'payments', access: {} }, { path: 'payment-docs' }],
    });
    await expect(git.open('paymentz')).rejects.toMatchObject({
      message: 'repository "paymentz" not found; list_repos shows the names you can use.',
    });
    await expect(git.open('paymentz', root)).rejects.toMatchObject({
      message: expect.stringContaining('Did you mean "payments"?'),
    });
    await expect(git.open('payment-doc')).rejects.toMatchObject({
      message: expect.stringContaining('Did you mean "payment-docs"?'),
    });
  });
});
