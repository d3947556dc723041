import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import type { Logger } from '@sextant/core';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { describe, expect, it, vi } from 'vitest';
import { startGit } from './testing/start-git.ts';

const { signal } = new AbortController();

describe('a hostile repository', () => {
  it('runs no program of its own: hooks, fsmonitor, textconv, external diff, filters, pagers, helpers', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
    const long = 'a line that stays\n'.repeat(20);
    const attributes = '* diff=evil filter=evil\n';
    const first = builder.commit({ files: { '.gitattributes': attributes, 'a.ts': 'one\n', old: long } });
    const second = builder.commit({ files: { 'a.ts': 'two\n', 'b.ts': 'new\n', old: null, renamed: `${long}more\n` } });
    builder.git('reset', '--hard', '--quiet');
    const canary = join(folder.path, 'canary');
    const evil = join(folder.path, 'evil');
    writeFileSync(evil, `#!/bin/sh\ntouch ${canary}\ncat "$1"\n`);
    chmodSync(evil, 0o755);
    const gitFolder = join(builder.folder, '.git');
    const drivers = [
      '[diff "evil"]',
      `textconv = ${evil}`,
      `command = ${evil}`,
      '[filter "evil"]',
      `clean = ${evil}`,
      `smudge = ${evil}`,
      `process = ${evil}`,
    ];
    const core = [
      '[core]',
      'repositoryformatversion = 1',
      `fsmonitor = ${evil}`,
      `pager = ${evil}`,
      `sshCommand = ${evil}`,
      `hooksPath = ${join(folder.path, 'hooks')}`,
      `alternateRefsCommand = ${evil}`,
    ];
    const promisor = [
      '[extensions]',
      'partialClone = origin',
      '[remote "origin"]',
      `url = ext::${evil}`,
      `uploadpack = ${evil}`,
      'promisor = true',
      '[protocol]',
      'allow = always',
      '[protocol "ext"]',
      'allow = always',
    ];
    appendFileSync(
      join(gitFolder, 'config'),
      [
        ...drivers,
        ...core,
        ...promisor,
        '[diff]',
        `external = ${evil}`,
        `orderFile = ${evil}`,
        '[pager]',
        'diff = true',
        '',
      ].join('\n'),
    );
    writeFileSync(join(gitFolder, 'info', 'attributes'), attributes);
    mkdirSync(join(folder.path, 'hooks'));
    for (const hook of ['post-index-change', 'reference-transaction', 'pre-auto-gc', 'post-checkout'])
      for (const place of [join(folder.path, 'hooks', hook), join(gitFolder, 'hooks', hook)]) {
        mkdirSync(join(place, '..'), { recursive: true });
        writeFileSync(place, `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
      }
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    expect((await r.readText(await r.resolve('main', signal), 'a.ts', signal)).text).toBe('two\n');
    const comparison = await r.compare({ base: first, head: second, offset: 0, limit: 9 }, signal);
    expect(comparison.files.map(({ path, hunks }) => [path, hunks[0]?.lines])).toEqual([
      ['a.ts', ['-one', '+two']],
      ['b.ts', ['+new']],
      ['renamed', [...Array.from({ length: 3 }, () => ' a line that stays'), '+more']],
    ]);
    await r.listRefs({ types: ['branch', 'tag'], containsCommit: first, limit: 9 }, signal);
    // What is missing in a partial clone is not fetched: that would run the remote's program.
    await expect(r.resolve('1'.repeat(40), signal)).rejects.toMatchObject({ code: 'not_found' });
    await expect(r.readText('1'.repeat(40), 'a', signal)).rejects.toMatchObject({ code: 'not_found' });
    expect(existsSync(canary)).toBe(false);
    // The canary sings when git is left to itself.
    spawnSync('git', ['-C', builder.folder, 'diff', first, second]);
    expect(existsSync(canary)).toBe(true);
  });

  it('cannot make a hash mean something else by replacement or graft', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
    const good = builder.commit({ files: { a: 'good\n' } });
    const evil = builder.commit({ files: { a: 'evil\n' } });
    builder.git('replace', good, builder.commit({ branch: 'x', parents: [], files: { a: 'evil\n' } }));
    writeFileSync(join(builder.folder, '.git', 'info', 'grafts'), `${evil}\n`);
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    expect((await r.readText(good, 'a', signal)).text).toBe('good\n');
    expect(await r.resolve(`${evil}~1`, signal)).toBe(good);
  });

  it('shows odd names as data and reaches nothing outside', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
    writeFileSync(join(folder.path, 'secret'), 'secret\n');
    const blob = builder.writeObject('blob', Buffer.from('inside\n'));
    const entry = (mode: string, name: string, id: string): Buffer =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]);
    const inner = builder.writeObject('tree', entry('100644', 'config', blob));
    const tree = builder.writeObject(
      'tree',
      Buffer.concat([
        entry('100644', '..', blob),
        entry('40000', '.git', inner),
        entry('120000', 'link', builder.writeObject('blob', Buffer.from('../secret'))),
      ]),
    );
    const commit = builder.git('commit-tree', '-m', 'x', tree);
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    expect((await r.listTree({ commit, path: '', limit: 9 }, signal)).entries.map(({ path }) => path)).toEqual([
      '.git',
      '..',
      'link',
    ]);
    expect((await r.readText(commit, '.git/config', signal)).text).toBe('inside\n');
    expect((await r.readText(commit, 'link', signal)).text).toBe('../secret');
    for (const path of ['..', '../secret', '.git/../../secret', '/etc/passwd', '.', './link', 'link/x'])
      await expect(r.readText(commit, path, signal)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('shows no ref whose name is longer than a revision, and says so', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
    const commit = builder.commit({ files: { a: '1\n' } });
    const long = Array.from({ length: 15 }, () => 'b'.repeat(250)).join('/');
    builder.git('update-ref', `refs/heads/${long}`, commit);
    writeFileSync(join(builder.folder, '.git', 'HEAD'), `ref: refs/heads/${long}\n`);
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    expect((await git.repositories.list(callerOf('alice'))).map(({ defaultBranch }) => defaultBranch)).toEqual(['']);
    const r = await git.open('r');
    expect(await r.resolve(undefined, signal)).toBe(commit);
    expect(await r.listRefs({ types: ['branch'], limit: 9 }, signal)).toEqual({
      refs: [expect.objectContaining({ name: 'main' })],
      hasMore: false,
      notes: ['One ref is left out: a name of over 1000 characters is no revision.'],
    });
    writeFileSync(join(builder.folder, '.git', 'HEAD'), `ref: refs/heads/${long}/unborn\n`);
    await expect(r.resolve(undefined, signal)).rejects.toThrow('the default branch "HEAD" has no commits yet');
  });

  it('with malformed and missing objects is an error, never a hang', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
    const garbage = builder.writeObject('tree', Buffer.from('100644 no end'));
    const lost = builder.writeObject(
      'tree',
      Buffer.concat([
        Buffer.from('100644 lost\0'),
        Buffer.alloc(20, 1),
        Buffer.from('40000 self\0'),
        Buffer.alloc(20, 2),
      ]),
    );
    const commits = [garbage, lost].map((tree) =>
      builder.writeObject('commit', Buffer.from(`tree ${tree}\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nx\n`)),
    );
    const [malformed = '', missing = ''] = commits;
    const noTree = builder.writeObject('commit', Buffer.from('nonsense\n'));
    const warn = vi.fn<Logger['warn']>();
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] }, { ...silentLogger, warn });
    const r = await git.open('r');
    expect((await r.listTree({ commit: malformed, path: '', limit: 9 }, signal)).entries).toEqual([]);
    await expect(r.readText(missing, 'lost', signal)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('lacks the content'),
    });
    await expect(r.listTree({ commit: missing, path: 'self', limit: 9 }, signal)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('lacks the tree'),
    });
    await expect(r.listTree({ commit: noTree, path: '', limit: 9 }, signal)).rejects.toMatchObject({
      code: 'unavailable',
    });
    await expect(r.compare({ base: malformed, head: missing, offset: 0, limit: 9 }, signal)).rejects.toMatchObject({
      code: 'unavailable',
    });
    // What the caller is told not to see, the operator finds.
    expect(warn.mock.calls.at(-1)?.[0]).toMatchObject({
      repository: 'r',
      reason: expect.stringContaining('the repository lacks the tree'),
    });
  });
});
