import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { hashesIn } from '@sextant/contracts';
import { callerOf } from '@sextant/core/testing';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { describe, expect, it } from 'vitest';
import { startGit } from './testing/start-git.ts';
import type { StartedGit } from './testing/start-git.ts';

const { signal } = new AbortController();
const alice = callerOf('alice');
const makeFifo = (path: string): void => {
  rmSync(path, { recursive: true, force: true });
  execFileSync('mkfifo', [path]);
};

/** A bare repository with two commits and a branch besides. */
function build(...path: readonly string[]): RepositoryBuilder {
  const builder = new RepositoryBuilder({ folder: join(...path), isBare: true });
  builder.commit({ files: { 'a.ts': 'one\n', 'b.bin': 'x\0y' } });
  builder.commit({ files: { 'a.ts': 'one\ntwo\n' } });
  builder.git('branch', 'other', 'main~1');
  return builder;
}

/** The same under other names, in less time. */
function buildMany(names: readonly string[], ...path: readonly string[]): string[] {
  const { folder } = build(...path, 'healthy');
  const copies = names.map((name) => join(...path, name));
  for (const copy of copies) cpSync(folder, copy, { recursive: true });
  return copies;
}

/** Every call that reads a repository, none of which may hang. */
async function useAll(git: StartedGit, name: string): Promise<void> {
  const repository = await git.open(name);
  const calls = [
    repository.resolve(undefined, signal),
    repository.resolve('x', signal),
    repository.resolve('deep/x', signal),
    repository.listRefs({ types: ['branch', 'tag'], limit: 9 }, signal),
    repository.readText('1'.repeat(40), 'a.ts', signal),
    repository.mergeBase('main', 'other', signal),
  ];
  const stored = await git.store.find(name);
  await Promise.allSettled([...calls, ...(stored ? [stored.refs(signal), stored.head(signal)] : [])]);
}

describe('a description', () => {
  it('is never that of a file elsewhere, nor waited for', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'key'), 'a signing key');
    const descriptions: Record<string, (file: string) => void> = {
      linked: (file) => symlinkSync(join(folder.path, 'key'), file),
      inside: (file) => symlinkSync('config', file),
      fifo: makeFifo,
      folder: (file) => mkdirSync(file),
      device: (file) => symlinkSync('/dev/zero', file),
      long: (file) => writeFileSync(file, 'long '.repeat(1_000_000)),
    };
    for (const [name, make] of Object.entries(descriptions)) {
      const { folder: gitFolder } = build(folder.path, 'srv', name);
      rmSync(join(gitFolder, 'description'));
      make(join(gitFolder, 'description'));
    }
    await using git = await startGit(folder.path, { repositories: [{ path: 'srv' }] });
    const shown = (await git.repositories.list(alice)).map(({ name, description }) => [name, description]);
    const others = ['device', 'fifo', 'folder', 'inside', 'linked'].map((name) => [name, '']);
    expect(shown).toEqual([...others, ['long', 'long '.repeat(200)]]);
  });
});

describe('what git would wait for', () => {
  const files: Record<string, string> = {
    HEAD: 'HEAD',
    config: 'config',
    'packed-refs': 'packed-refs',
    shallow: 'shallow',
    branch: 'refs/heads/x',
    'deep-branch': 'refs/heads/deep/x',
    alternates: 'objects/info/alternates',
    graph: 'objects/info/commit-graph',
    pack: `objects/pack/pack-${'1'.repeat(40)}.idx`,
    object: `objects/11/${'1'.repeat(38)}`,
  };

  it('is found before git runs: the repository is named, the others are served', async () => {
    using folder = temporaryFolder();
    const srv = join(folder.path, 'srv');
    buildMany([...Object.keys(files), 'common'], srv);
    for (const [name, file] of Object.entries(files)) {
      mkdirSync(join(srv, name, file, '..'), { recursive: true });
      makeFifo(join(srv, name, file));
    }
    makeFifo(join(srv, 'common', 'commondir'));
    mkdirSync(join(srv, 'tree'));
    makeFifo(join(srv, 'tree', '.git'));
    await using git = await startGit(folder.path, { repositories: [{ path: 'srv' }] });
    await git.ready();
    await expect.poll(() => git.status().isReady).toBe(true);
    expect(git.status().failures?.map(({ name }) => name)).toEqual(Object.keys(files).sort());
    for (const { reason } of git.status().failures ?? []) expect(reason).toMatch(/named pipe|no regular file/);
    for (const name of [...Object.keys(files), 'common', 'healthy']) await useAll(git, name);
    const [common, healthy] = await Promise.all(['common', 'healthy'].map((name) => git.open(name)));
    expect(await common?.resolve('main', signal)).toBe(await healthy?.resolve('main', signal));
  });

  it('that appears while it is served is found before its next use', async () => {
    using folder = temporaryFolder();
    buildMany(Object.keys(files), folder.path, 'srv');
    await using git = await startGit(folder.path, { repositories: [{ path: 'srv' }] });
    for (const [name, file] of Object.entries(files)) {
      await useAll(git, name);
      const path = join(folder.path, 'srv', name, file);
      mkdirSync(join(path, '..'), { recursive: true });
      makeFifo(path);
      await expect((await git.open(name)).resolve('main', signal)).rejects.toMatchObject({ code: 'unavailable' });
    }
  });

  it('is a link in a circle among refs, which git follows for ever', async () => {
    using folder = temporaryFolder();
    const { folder: gitFolder } = build(folder.path, 'srv', 'circle');
    for (const name of ['x', 'y']) symlinkSync('.', join(gitFolder, 'refs', 'heads', name));
    await using git = await startGit(folder.path, { repositories: [{ path: 'srv' }] });
    await useAll(git, 'circle');
    expect(git.status().failures).toMatchObject([
      { name: 'circle', reason: expect.stringContaining('link to a folder') },
    ]);
  });
});

it('a damaged index over several packs is not used', async () => {
  using folder = temporaryFolder();
  const builder = build(folder.path, 'srv', 'r');
  for (const text of ['1\n', '2\n', '3\n']) {
    builder.commit({ files: { a: text } });
    builder.git('repack', '--quiet', '-d');
  }
  const index = join(builder.folder, 'objects', 'pack', 'multi-pack-index');
  builder.git('multi-pack-index', 'write');
  await using git = await startGit(folder.path, { repositories: [{ path: 'srv' }] });
  const read = async (): Promise<string> => {
    const r = await git.open('r');
    return (await r.readText(await r.resolve('main', signal), 'a', signal)).text;
  };
  expect(await read()).toBe('3\n');
  // The first table says how many objects there are up to each first byte. Git ends with a signal where that is too much.
  const damaged = readFileSync(index);
  damaged.fill(0x7f, damaged.indexOf('OIDF') + 400, damaged.indexOf('OIDF') + 1000);
  rmSync(index);
  writeFileSync(index, damaged);
  expect(spawnSync('git', ['-C', builder.folder, 'cat-file', '-e', 'main']).status).not.toBe(0);
  expect(await read()).toBe('3\n');
  expect(git.status().failures ?? []).toEqual([]);
});

it('a file that keeps each command of git busy is found before git runs', async () => {
  using folder = temporaryFolder();
  const { folder: gitFolder } = build(folder.path, 'srv', 'r');
  const shallow = join(gitFolder, 'shallow');
  writeFileSync(shallow, `${'1'.repeat(40)}\n`.repeat(30_000));
  await using git = await startGit(folder.path, { repositories: [{ path: 'srv' }] });
  const isFound = async (): Promise<void> => {
    await useAll(git, 'r');
    expect(git.status().failures).toMatchObject([
      { name: 'r', reason: expect.stringMatching(/"shallow" is longer than \d+ bytes/) },
    ]);
  };
  await isFound();
  // Longer than any text: whoever reads all of it keeps the whole server waiting, and fails.
  truncateSync(shallow, 1_500_000_000);
  const r = await git.open('r');
  await expect(r.resolve('main', signal)).rejects.toMatchObject({ code: 'unavailable' });
  await isFound();
});

it('a list of first commits behind a link is read where git may read it, and nowhere else', async () => {
  using folder = temporaryFolder();
  const builder = build(folder.path, 'srv', 'r');
  const shallow = join(builder.folder, 'shallow');
  const elsewhere = join(folder.path, 'elsewhere');
  const [head = '', first = ''] = ['main', 'main~1'].map((name) => builder.git('rev-parse', name));
  await using git = await startGit(folder.path, { repositories: [{ path: 'srv' }] });
  const stored = await git.store.find('r');
  expect(await stored?.shallow(signal)).toBe('');
  writeFileSync(elsewhere, `${head}\n`);
  symlinkSync(elsewhere, shallow);
  const r = await git.open('r');
  await expect(r.readCommit(head, signal)).rejects.toMatchObject({ code: 'unavailable' });
  expect(git.status().failures).toMatchObject([{ name: 'r', reason: expect.stringContaining('leads to') }]);
  rmSync(shallow);
  writeFileSync(join(builder.folder, 'listed'), `${head}\n`);
  symlinkSync('listed', shallow);
  await expect(r.readCommit(head, signal)).resolves.toMatchObject({ isCut: true });
  expect(await stored?.shallow(signal)).toMatch(/./);
  rmSync(shallow);
  expect((await r.readCommit(head, signal)).isCut).toBe(undefined);
  expect((await r.readCommit(first, signal)).isCut).toBe(undefined);
});

describe('the configuration of a served repository', () => {
  const hostile = [
    '[core]',
    'bigFileThreshold = 1',
    'commitGraph = false',
    'worktree = /etc',
    'bare = false',
    'attributesFile = attributes',
    'abbrev = 4',
    'quotePath = false',
    'ignoreCase = true',
    '[diff]',
    'renames = copies',
    'noPrefix = true',
    'mnemonicPrefix = true',
    'context = 0',
    'interHunkContext = 9',
    'algorithm = patience',
    'suppressBlankEmpty = true',
    'ignoreSubmodules = all',
    '[diff "evil"]',
    'binary = true',
    'xfuncname = x',
    '[grep]',
    'patternType = fixed',
    'lineNumber = true',
    'column = true',
    '[log]',
    'showSignature = true',
    'date = relative',
    'mailmap = false',
    'follow = true',
    '[i18n]',
    'logOutputEncoding = UTF-16',
    'commitEncoding = UTF-16',
    '[color]',
    'ui = always',
    '[format]',
    'pretty = raw',
    '[transfer]',
    'hideRefs = refs/heads',
    '[versionsort]',
    'suffix = x',
    '[include]',
    'path = pipe',
    '',
  ].join('\n');

  it('changes no answer', async () => {
    using folder = temporaryFolder();
    const plain = build(folder.path, 'srv', 'plain');
    plain.commit({ files: { 'a.ts': '\n\none\ntwo\n', 'c.ts': 'one\ntwo\n', 'grün.ts': 'x\n', 'a.tſ': 'y' } });
    const other = join(folder.path, 'srv', 'other');
    cpSync(plain.folder, other, { recursive: true });
    appendFileSync(join(other, 'config'), hostile);
    makeFifo(join(other, 'pipe'));
    for (const file of ['info/attributes', 'attributes'])
      writeFileSync(join(other, file), '* diff=evil -text binary\n');
    await using git = await startGit(folder.path, { repositories: [{ path: 'srv' }] });
    const answers = await Promise.all(['plain', 'other'].map((name) => answersOf(git, name)));
    expect(answers[1]).toEqual(answers[0]);
    expect(JSON.stringify(answers[0])).toContain('+two');
  });

  it('still says how objects are stored', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true, objectFormat: 'sha256' });
    const commit = builder.commit({ files: { a: '1\n' } });
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    expect((await r.readText(commit, 'a', signal)).text).toBe('1\n');
    const config = readFileSync(join(builder.folder, 'config'), 'utf8');
    for (const wrong of [
      config.replace('= 1', '= 9'),
      `${config}\n[extensions]\nunheardOf = true\n`,
      '[extensions\n',
    ]) {
      writeFileSync(join(builder.folder, 'config'), wrong);
      await expect(r.readText(commit, 'a', signal).then(() => r.resolve('main', signal))).rejects.toMatchObject({
        code: 'unavailable',
      });
    }
    writeFileSync(join(builder.folder, 'config'), config);
    expect(await r.resolve('main', signal)).toBe(commit);
  });

  async function answersOf(git: StartedGit, name: string): Promise<unknown[]> {
    const repository = await git.open(name);
    const stored = await git.store.find(name);
    if (!stored) throw new Error('it is served');
    const { base, head } = await repository.mergeBase('other', 'main', signal);
    const commits = await stored.graph({ include: [head] }, { signal });
    const allOf = async <T>(pieces: AsyncIterable<T>): Promise<T[]> => {
      const all: T[] = [];
      for await (const piece of pieces) all.push(piece);
      return all;
    };
    const textOf = async (pieces: AsyncIterable<Uint8Array>): Promise<string> =>
      Buffer.concat(await allOf(pieces)).toString();
    const outputs = [
      textOf(stored.patches({ commits: hashesIn(commits) }, { wants: 'hunks', signal })),
      textOf(stored.patches({ from: base, to: head }, { wants: 'hunks', signal })),
      textOf(stored.patches({ commits: hashesIn(commits) }, { wants: 'commits', signal })),
      allOf(stored.tree(head, { wantsSizes: true, signal })),
      stored.refs(signal),
      commits,
    ];
    return Promise.all([
      repository.compare({ base, head, offset: 0, limit: 9 }, signal),
      repository.listRefs({ types: ['branch', 'tag'], limit: 9 }, signal),
      repository.readCommit(head, signal),
      ...outputs,
    ]);
  }
});
