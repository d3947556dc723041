import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitStore, parseQuery } from '@sextant/contracts';
import type { StoredRepository } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import type { TemporaryFolder } from '@sextant/contracts/testing';
import { SextantError, silentLogger } from '@sextant/core';
import { startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import git from '@sextant/service-git';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HistoryPatterns } from './request/patterns.ts';
import type { Wanted } from './request/wanted.ts';
import { SearchFailures } from './search-failures.ts';
import { HistoryIndex } from './history-index.ts';
import { inspectShards } from './shards/inspect-shards.ts';
import { HistorySearch, commitResults } from './history-search.ts';
import type { FoundInIndex } from './history-index.ts';

const { signal } = new AbortController();
let folder: TemporaryFolder;
let builder: RepositoryBuilder;
let plugins: StartedPlugins;
let store: GitStore;
let index: HistoryIndex | undefined;
beforeEach(async () => {
  folder = temporaryFolder();
  builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  await serve(builder.folder);
});
afterEach(async () => {
  await index?.close();
  await plugins[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function serve(path: string, names = ['shop']): Promise<void> {
  const repositories = names.map((name) => ({ name, path }));
  plugins = await startPlugins(folder.path, [[git, { repositories, watchSeconds: 0.1 }]]);
  ({ store } = plugins.services.resolve({ store: GitStore }));
}

const open = (from: GitStore = store): HistoryIndex =>
  new HistoryIndex({
    store: from,
    folder: join(folder.path, 'index'),
    log: silentLogger,
    unreachableDays: 14,
    indexBytes: 2 ** 34,
  });

/** An index that has read everything. */
async function indexed(from?: GitStore): Promise<HistoryIndex> {
  await index?.close();
  index = open(from);
  index.start();
  await index.settled();
  return index;
}

/** Work in the background is waited for as long as a busy machine takes. */
const eventually = (check: () => Promise<void> | void): Promise<void> => vi.waitFor(check, { timeout: 120_000 });

const clause = (regex: string) => ({ regex, foldCase: true, isNegated: false });
const wanted: Wanted = {
  window: {},
  authors: [],
  messages: [],
  paths: [],
  content: undefined,
  sides: ['added', 'removed'],
};

async function search(from: HistoryIndex, asked: Partial<Wanted> = {}, tip = 'main'): Promise<FoundInIndex> {
  const repository = await store.find('shop');
  if (!repository) throw new Error('it is served');
  const tips = { include: [builder.git('rev-parse', tip)], exclude: [] };
  return from.search(
    repository,
    { tips, wanted: { ...wanted, ...asked }, finds: 'commits', most: 100, order: 'newest', isWhole: false },
    signal,
  );
}

const hashes = ({ commits }: FoundInIndex): string[] => commits.map(({ record }) => record.hash);
const pending = (found: FoundInIndex): string[] => found.pending.map(({ hash }) => hash);
const lines = (regex: string): Partial<Wanted> => ({ content: clause(regex) });
const files = (): string[] => readdirSync(join(folder.path, 'index'), { recursive: true }).map(String);
const shards = (): string[] => files().filter((file) => file.endsWith('.tables'));

describe('the index finds commits', () => {
  test('by the lines they change, in any case, binary files left out', async () => {
    const one = builder.commit({ files: { a: 'Alpha\nbeta\n' } });
    const two = builder.commit({ files: { a: 'beta\n', b: Buffer.from('gr\xf6\xdfe\n', 'latin1') } });
    builder.commit({ files: { c: 'gamma\n', d: Buffer.from('\0alpha') } });
    const from = await indexed();
    expect(hashes(await search(from, lines('alpha')))).toEqual([two, one]);
    expect(hashes(await search(from, lines('^alp?ha$|nothing')))).toEqual([two, one]);
    expect(hashes(await search(from, { ...lines('alpha'), sides: ['removed'] }))).toEqual([two]);
    expect(hashes(await search(from, { ...lines('beta'), paths: [clause('^b$')] }))).toEqual([]);
    expect(hashes(await search(from, lines('größe')))).toEqual([two]);
    expect(pending(await search(from, lines('absent')))).toEqual([]);
    expect(from.status()).toEqual({ isReady: true, detail: { indexedCommits: 3, waitingRepositories: 0 } });
  });

  test('by what all the conditions say, and the opposite of those that are negated', async () => {
    builder.commit({ message: 'fix the cart\n\nfor good', author: { name: 'Ada', email: 'ada@x' } });
    const two = builder.commit({ message: 'fix it', author: { name: 'Bob', email: 'bob@x' } });
    const from = await indexed();
    const not = (regex: string) => ({ ...clause(regex), isNegated: true });
    expect(hashes(await search(from, { messages: [clause('^fix'), not('good')] }))).toEqual([two]);
    expect(hashes(await search(from, { messages: [clause('fix')], authors: [not('ada')] }))).toEqual([two]);
  });

  test('by an author as the mailmap names them, before an index is looked after again', async () => {
    const author = { name: 'Grace', email: 'grace@old' };
    const one = builder.commit({ files: { '.mailmap': 'Grace Hopper <grace@new> Grace <grace@old>\n' }, author });
    await (await indexed()).close();
    index = open();
    expect(hashes(await search(index, { authors: [clause('hopper')] }))).toEqual([one]);
    const repository = await store.find('shop');
    expect(repository && (await index.contributors(repository, one, signal))).toMatchObject([
      { mapped: 'Grace Hopper <grace@new>', commits: 1 },
    ]);
  });

  test('whose newest is late or early in what other tips reach', async () => {
    const one = builder.commit({ files: { a: 'alpha\n' } });
    const two = builder.commit({ files: { a: 'alpha\nalpha\n' }, branch: 'topic', parents: [one] });
    const from = await indexed();
    expect(hashes(await search(from, lines('alpha')))).toEqual([one]);
    expect(hashes(await search(from, lines('alpha'), 'topic'))).toEqual([two, one]);
    builder.git('update-ref', 'refs/heads/main', two);
    builder.git('update-ref', '-d', 'refs/heads/topic');
    expect(hashes(await search(from, lines('alpha')))).toEqual([two, one]);
  });

  test('but not those that it has not read: they are left to git', async () => {
    const one = builder.commit({ files: { a: 'alpha\n' } });
    index = open();
    expect(pending(await search(index, lines('absent')))).toEqual([one]);
    expect(index.status()).toMatchObject({
      isReady: false,
      progress: { done: 0, total: 1, unit: 'histories indexed' },
    });
    const from = await indexed();
    const two = builder.commit({ files: { a: 'beta\n' } });
    expect(pending(await search(from, lines('absent')))).toEqual([two]);
    await eventually(async () => expect(pending(await search(from, lines('absent')))).toEqual([]));
    expect(hashes(await search(from, lines('alpha')))).toEqual([two, one]);
  });

  test('also after a restart, without reading again', async () => {
    const one = builder.commit({ files: { a: 'alpha\n' } });
    builder.commit({ files: { b: 'beta\n' } });
    await indexed();
    const before = files();
    expect(hashes(await search(await indexed(), lines('alpha')))).toEqual([one]);
    expect(files()).toEqual(before);
  });

  test('of which a blob is missing only by what is there; the others as always', async () => {
    const one = builder.commit({ files: { a: 'alpha\n' } });
    const two = builder.commit({ files: { b: 'alpha alpha\n' }, message: 'lost' });
    const three = builder.commit({ files: { c: 'alpha\n' } });
    const blob = builder.git('rev-parse', `${two}:b`);
    rmSync(looseObject(blob));
    const from = await indexed();
    const found = await search(from, lines('alpha'));
    expect([hashes(found), pending(found)]).toEqual([[three, one], [two]]);
    expect(hashes(await search(from, { messages: [clause('lost')] }))).toEqual([two]);
    expect(from.status()).toMatchObject({
      isReady: true,
      failures: [{ name: 'shop', reason: expect.stringContaining('the changes of a commit could not be read') }],
    });
  });
});

const looseObject = (hash: string): string => join(builder.folder, 'objects', hash.slice(0, 2), hash.slice(2));

/** The store, with the commits whose changes are asked for. */
function watchedStore(onRead: (name: string, hashes: readonly string[]) => void): GitStore {
  const watched = (stored: StoredRepository): StoredRepository => ({
    name: stored.name,
    branches: stored.branches,
    object: (id, options) => stored.object(id, options),
    defaultBranch: () => stored.defaultBranch(),
    head: (abort) => stored.head(abort),
    resolve: (revision, abort) => stored.resolve(revision, abort),
    refs: (abort) => stored.refs(abort),
    tree: (commit, options) => stored.tree(commit, options),
    changes: (from, to, options) => stored.changes(from, to, options),
    blobs: (ids, options) => stored.blobs(ids, options),
    sizes: (ids, abort) => stored.sizes(ids, abort),
    graph: (range, run) => stored.graph(range, run),
    mailmap: (people, run) => stored.mailmap(people, run),
    shallow: (abort) => stored.shallow(abort),
    patches(range, options) {
      if ('commits' in range) onRead(stored.name, range.commits);
      return stored.patches(range, options);
    },
  });
  return {
    list: async () => (await store.list()).map(watched),
    names: () => store.names(),
    find: async (name) => (await store.list()).map(watched).find((each) => each.name === name),
    onChange: (listener) => store.onChange(listener),
    putFirst: (work) => store.putFirst(work),
    untilQuiet: (signal) => store.untilQuiet(signal),
    whyAbsent: (name) => store.whyAbsent(name),
  };
}

test('a repository that somebody searches comes before others that wait', async () => {
  const commit = builder.commit({ files: { a: 'alpha\n' } });
  await plugins[Symbol.asyncDispose]();
  await serve(builder.folder, ['a', 'b', 'shop']);
  const read: string[] = [];
  index = open(watchedStore((name) => read.push(name)));
  index.start();
  expect(pending(await search(index))).toEqual([commit]);
  await index.settled();
  expect(read).toEqual(['a', 'shop', 'b']);
});

test('git reads nothing for a search that the index answers alone', async () => {
  builder.commit({ files: { a: 'alpha\n' } });
  const read: string[] = [];
  const watched = watchedStore((name) => read.push(name));
  const parts = {
    store: watched,
    patterns: new HistoryPatterns(),
    index: await indexed(watched),
    failures: new SearchFailures(silentLogger),
    settings: { answerSeconds: 120, repositoriesAtOnce: 1 },
  };
  read.length = 0;
  const picked = { names: ['shop'], areNamed: false, notes: [] };
  const question = { picked, revisions: [], wanted, count: 10, query: parseQuery('type:commit') };
  const { results } = await new HistorySearch(parts, { question, kind: commitResults, signal }).run();
  expect(results).toHaveLength(1);
  expect(read).toEqual([]);
});

test('what was in shards when it was stopped is not read again', async () => {
  const one = builder.commit({ files: { a: 'alpha 1\n' } });
  await indexed();
  await index?.close();
  const manifest = join(folder.path, 'index', files().find((file) => file.endsWith('manifest.json')) ?? '');
  // As before the last shard was written.
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), heads: [] }));
  const two = builder.commit({ files: { a: 'alpha 2\n' } });
  const asked: string[] = [];
  const from = await indexed(watchedStore((_name, hashes) => asked.push(...hashes)));
  expect(asked).toEqual([two]);
  expect(hashes(await search(from, lines('alpha')))).toEqual([two, one]);
});

test('shards of another format are made again at the start, and until then the index is not ready', async () => {
  const commit = builder.commit({ files: { a: 'alpha\n' } });
  await indexed();
  await index?.close();
  const manifest = join(folder.path, 'index', files().find((file) => file.endsWith('manifest.json')) ?? '');
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), version: 'another' }));
  const states: boolean[] = [];
  const from = await indexed(watchedStore(() => states.push(index?.status().isReady ?? false)));
  expect([states, from.status().isReady]).toEqual([[false], true]);
  expect(hashes(await search(from, lines('alpha')))).toEqual([commit]);
});

test('what could not be written is indexed by itself once it can', async () => {
  const commit = builder.commit({ files: { a: 'alpha\n' } });
  const inTheWay = join(folder.path, 'index');
  symlinkSync(join(folder.path, 'not/there'), inTheWay);
  const from = await indexed();
  expect(pending(await search(from))).toEqual([commit]);
  rmSync(inTheWay);
  await eventually(async () => expect(hashes(await search(from, lines('alpha')))).toEqual([commit]));
});

test('small shards become one, which finds the same', async () => {
  const found: string[] = [];
  let from: HistoryIndex | undefined;
  for (const text of ['alpha 1', 'alpha 2', 'alpha 3', 'alpha 4']) {
    found.unshift(builder.commit({ files: { [text]: `${text}\n` }, message: text }));
    from ??= await indexed();
    const now = from;
    await eventually(async () => expect(hashes(await search(now, lines('alpha')))).toEqual(found));
  }
  await eventually(() => expect(shards()).toHaveLength(1));
  const second = await search(await indexed(), { messages: [clause('alpha 2')], paths: [clause('alpha 2')] });
  expect(second.commits).toMatchObject([
    { record: { hash: found[2], message: 'alpha 2', parents: [found[3]] }, files: { paths: ['alpha 2'], total: 1 } },
  ]);
});

describe('what no branch or tag reaches any more', () => {
  const stored = (): string =>
    files()
      .filter((file) => file.endsWith('-text'))
      .map((file) => readFileSync(join(folder.path, 'index', file), 'utf8'))
      .join('');
  // Files that change get the time of the system: a clock that stands still would say that they change all the time.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true }));
  afterEach(() => void vi.useRealTimers());

  async function afterDays(days: number): Promise<HistoryIndex> {
    vi.setSystemTime(Date.now() + days * 86_400_000);
    return indexed();
  }

  test('is dropped after 14 days, and indexed again when something reaches it again', async () => {
    const one = builder.commit({ files: { a: 'alpha\n' } });
    const two = builder.commit({ files: { b: 'secret\n' }, message: 'said too much', branch: 'topic', parents: [one] });
    await indexed();
    builder.git('update-ref', '-d', 'refs/heads/topic');
    await indexed();
    await afterDays(13);
    expect(stored()).toContain('secret');
    const from = await afterDays(2);
    expect(stored()).not.toMatch(/secret|said too much/);
    expect(hashes(await search(from))).toEqual([one]);
    expect(from.status().detail).toEqual({ indexedCommits: 1, waitingRepositories: 0 });
    builder.git('update-ref', 'refs/heads/topic', two);
    const again = await indexed();
    expect(hashes(await search(again, lines('secret'), 'topic'))).toEqual([two]);
    expect(pending(await search(again, lines('secret'), 'topic'))).toEqual([]);
  });

  test('is kept when something reaches it again in time', async () => {
    const one = builder.commit({ files: { a: 'alpha\n' } });
    const two = builder.commit({ files: { b: 'beta\n' }, branch: 'topic', parents: [one] });
    await indexed();
    builder.git('update-ref', '-d', 'refs/heads/topic');
    await indexed();
    await afterDays(10);
    builder.git('update-ref', 'refs/heads/main', two);
    await afterDays(10);
    expect(hashes(await search(await afterDays(10), lines('beta')))).toEqual([two]);
    expect(stored()).toContain('beta');
  });
});

test('a shallow clone that is deepened is indexed again', async () => {
  for (const text of ['one', 'two', 'three']) builder.commit({ files: { a: `${text}\n` } });
  const cut = join(folder.path, 'cut.git');
  execFileSync('git', ['clone', '--quiet', '--bare', '--depth=1', `file://${builder.folder}`, cut]);
  await plugins[Symbol.asyncDispose]();
  await serve(cut);
  const from = await indexed();
  const before = await search(from, lines('three|two'));
  // What the first commit here changed is not known.
  expect([hashes(before), before.isShallow]).toEqual([[], true]);
  execFileSync('git', ['-C', cut, 'fetch', '--quiet', '--unshallow']);
  expect(pending(await search(from, lines('two')))).toHaveLength(3);
  await eventually(async () => {
    const after = await search(from, lines('two'));
    expect([hashes(after).length, after.isShallow, pending(after)]).toEqual([2, false, []]);
  });
});

test('identities are mapped by the mailmap of HEAD, the newest one', async () => {
  builder.commit({ author: { name: 'Ada', email: 'ada@old' } });
  const from = await indexed();
  const byNew = { authors: [clause('ada@new')] };
  expect(hashes(await search(from, byNew))).toEqual([]);
  builder.commit({ files: { '.mailmap': 'Ada L <ada@new> <ada@old>\n' }, author: { name: 'B', email: 'b@x' } });
  await eventually(async () =>
    expect((await search(from, byNew)).commits).toMatchObject([
      { record: { mapped: { name: 'Ada L', email: 'ada@new' } } },
    ]),
  );
});

describe('what is damaged is read from git, and indexed again', () => {
  const damages: Readonly<Record<string, (path: string) => void>> = {
    tables: (path) => truncateSync(path, 100),
    lines: (path) => truncateSync(path, 100),
    'lines-text': (path) => truncateSync(path, 0),
    'manifest.json': (path) => writeFileSync(path, '{'),
  };

  test.each(Object.entries(damages))('%s', async (ending, damage) => {
    const one = builder.commit({ files: { a: 'alpha\n' } });
    const two = builder.commit({ files: { b: 'beta\n' } });
    await indexed();
    await index?.close();
    const problems = (): unknown[] => [...inspectShards(join(folder.path, 'index'))].map(({ problem }) => problem);
    expect(problems()).toEqual([undefined]);
    damage(join(folder.path, 'index', files().find((file) => file.endsWith(ending)) ?? ''));
    expect(problems()).toEqual([{ isOfOtherVersion: false, reason: expect.any(String) }]);
    const from = await indexed();
    const found = await search(from, lines('alpha'));
    expect([...hashes(found), ...pending(found)]).toContain(one);
    await eventually(async () => {
      expect(hashes(await search(from, lines('alpha')))).toEqual([one]);
      expect(hashes(await search(from, lines('beta')))).toEqual([two]);
    });
  });

  test('files that vanish under it', async () => {
    const one = builder.commit({ files: { a: 'alpha\n' } });
    const from = await indexed();
    rmSync(join(folder.path, 'index'), { recursive: true });
    const found = await search(from, lines('alpha'));
    expect([...hashes(found), ...pending(found)]).toEqual([one]);
  });
});

test('of a repository that cannot be read now everything is kept; one that is served no more leaves nothing behind', async () => {
  builder.commit({ files: { a: 'alpha\n' } });
  const gone = {
    list: async () => [],
    find: async () => undefined,
    onChange: () => () => undefined,
    putFirst: () => undefined,
    untilQuiet: async () => undefined,
    whyAbsent: async () => new SextantError('unavailable', 'gone'),
  };
  await indexed();
  const before = files();
  await indexed({ ...gone, names: async () => ['shop'] });
  expect(files()).toEqual(before);
  await indexed({ ...gone, names: async () => [] });
  expect(files()).toEqual([]);
});
