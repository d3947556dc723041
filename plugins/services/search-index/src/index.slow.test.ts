import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
import type { SearchResult } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { describe, expect, test } from 'vitest';
import { searchIndexer } from './commands.ts';
import { startSearch } from './testing/start-search.ts';
import type { StartedSearch } from './testing/start-search.ts';

const { signal } = new AbortController();
const find = async ({ search }: StartedSearch, query: string): Promise<SearchResult> =>
  search.find(callerOf('alice'), { ...parseQuery(query), mode: 'keyword', limits: defaultSearchLimits }, signal);
const pathsOf = async (started: StartedSearch, query: string): Promise<string[]> =>
  (await find(started, `${query} count:all`)).files.map(({ path }) => path).sort();

interface Place extends Disposable {
  readonly folder: string;
  readonly builder: RepositoryBuilder;
  start(settings?: object): Promise<StartedSearch>;
  /** Files of the index with this ending, and when they were written. */
  written(ending: string): { path: string; time: number }[];
}

function place(): Place {
  const folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  builder.commit({
    files: { 'src/a.ts': 'export const first = 1;\n', 'src/b.ts': 'export const second = 2;\n', 'b.bin': '\0' },
  });
  const index = join(folder.path, 'data/search-index');
  return {
    folder: folder.path,
    builder,
    start: (settings = {}) => startSearch({ folder: folder.path, repositories: { shop: builder.folder }, settings }),
    written: (ending) =>
      readdirSync(index, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith(ending))
        .map((name) => ({ path: join(index, name), time: statSync(join(index, name)).mtimeMs })),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

describe('the index on disk', () => {
  test('is used again after a restart', async () => {
    using shop = place();
    await during(shop.start(), (started) => pathsOf(started, 'first'));
    const before = shop.written('');
    expect(await during(shop.start(), (started) => pathsOf(started, 'export'))).toEqual(['src/a.ts', 'src/b.ts']);
    expect(shop.written('')).toEqual(before);
  });

  test('has what a commit consists of also where a search met it first', async () => {
    using shop = place();
    await during(shop.start(), async (started) => {
      await started.ready();
      expect(await pathsOf(started, 'first')).toEqual(['src/a.ts']);
      const commit = shop.builder.commit({ files: { 'c.ts': 'third\n' } });
      expect(await pathsOf(started, 'third')).toEqual(['c.ts']);
      const stored = (): string[] => shop.written('.snapshot').map(({ path }) => basename(path));
      await expect.poll(() => stored()).toEqual([`${commit}.snapshot`]);
    });
  });

  test('has the files of a commit that came while nothing ran', async () => {
    using shop = place();
    const stored = (): string[] => shop.written('.snapshot').map(({ path }) => basename(path));
    await during(shop.start(), async (started) => {
      await started.ready();
      await expect.poll(() => stored()).toHaveLength(1);
    });
    const commit = shop.builder.commit({ files: { 'src/c.ts': 'export const third = 3;\n', 'src/a.ts': null } });
    const paths = await during(shop.start(), async (started) => {
      await started.ready();
      await expect.poll(() => stored()).toEqual([`${commit}.snapshot`]);
      return pathsOf(started, 'export');
    });
    expect(paths).toEqual(['src/b.ts', 'src/c.ts']);
  });

  test.each([
    ['cut', 'shard', (path: string) => truncateSync(path, 100)],
    ['cut', 'text', (path: string) => truncateSync(path, 10)],
    ['changed', 'text', (path: string) => rewrite(path, (byte, i) => (i === 9 ? byte ^ 1 : byte))],
    ['changed', 'shard', (path: string) => rewrite(path, (byte, i) => (i === 90 ? byte ^ 1 : byte))],
    ['of another version', 'table', (path: string) => writeFileSync(path, '{"version":1,"documents":[]}')],
    ['of another version', 'shard', (path: string) => rewrite(path, (byte, i) => (i === 4 ? 1 : byte))],
    ['without end', 'table', (path: string) => truncateSync(path, 5)],
    ['changed', 'table', (path: string) => rewrite(path, (byte, i) => (i === 30 ? byte ^ 1 : byte))],
    ['gone', 'text', (path: string) => rmSync(path)],
    ['gone', 'table', (path: string) => rmSync(path)],
  ])('that is %s (%s) is built anew', async (_how, ending, damage) => {
    using shop = place();
    await during(shop.start(), (started) => pathsOf(started, 'first'));
    for (const { path } of shop.written(`.${ending}`)) damage(path);
    const dead = spawnSync(process.execPath, ['--version']).pid;
    for (const left of ['7.text.partial', `7-${dead}-aa.text.partial`, `7-${dead}-aa.shard`])
      writeFileSync(join(shop.written('.shard')[0]?.path ?? '', '..', left), 'left by a process that was killed');
    expect(await during(shop.start(), (started) => pathsOf(started, 'export'))).toEqual(['src/a.ts', 'src/b.ts']);
    expect(shop.written('').filter(({ path }) => /\.partial$|-aa\./.test(path))).toEqual([]);
  });

  test('that is damaged while it is searched is built anew before the answer', async () => {
    using shop = place();
    const text = `${'text that is read by position\n'.repeat(2000)}needle\n`;
    shop.builder.commit({ files: Object.fromEntries(Array.from({ length: 700 }, (_, i) => [`f${i}.txt`, i + text])) });
    await using started = await shop.start({ memoryBytes: 32 << 20 });
    expect(await pathsOf(started, 'first')).toEqual(['src/a.ts']);
    const written = shop.written('.text');
    for (const { path } of written) writeFileSync(path, Buffer.alloc(statSync(path).size, 'x'), { flag: 'r+' });
    expect(await pathsOf(started, 'file:f1.txt needle')).toEqual(['f1.txt']);
    expect(shop.written('.text').map(({ path }) => path)).not.toEqual(written.map(({ path }) => path));
  });

  test('that is damaged in several shards at once, and repaired by others too, is built anew before the answer', async () => {
    using shop = place();
    await during(shop.start(), async (started) => {
      await pathsOf(started, 'first');
      for (const name of ['c', 'd']) {
        shop.builder.commit({ files: { [`src/${name}.ts`]: `export const ${name} = 'first';\n` } });
        await pathsOf(started, `file:${name}.ts first`);
      }
    });
    const written = shop.written('.text');
    expect(written.length).toBe(3);
    for (const { path } of written) rewrite(path, (byte) => byte ^ 1);
    await using started = await shop.start();
    const { indexer } = started.services.resolve({ indexer: searchIndexer });
    const wanted = ['src/a.ts', 'src/c.ts', 'src/d.ts'];
    await started.ready();
    const [first] = written.map(({ path }) => basename(path, '.text'));
    await expect.poll(() => started.status()['search']?.isReady).toBe(true);
    void indexer.repair(first ?? '');
    await indexer.repair(first ?? '');
    expect(await Promise.all(Array.from({ length: 4 }, () => pathsOf(started, 'first')))).toEqual(
      Array.from({ length: 4 }, () => wanted),
    );
  });

  test('may be shared: who starts later removes nothing that another has begun, nor needs', async () => {
    using shop = place();
    await using first = await shop.start();
    await first.ready();
    expect(await pathsOf(first, 'export')).toHaveLength(2);
    const begun = join(shop.written('.shard')[0]?.path ?? '', '..', `9-${process.pid}-aa.text.partial`);
    writeFileSync(begun, 'goes on');
    await using second = await shop.start();
    expect(await pathsOf(second, 'export')).toHaveLength(2);
    expect(shop.written('.partial').map(({ path }) => path)).toEqual([begun]);
    shop.builder.commit({ files: { 'src/c.ts': 'export const third = 3;\n' } });
    // While it is written, a repository is searched as it was.
    await expect
      .poll(() => Promise.all([first, second].map((each) => pathsOf(each, 'export'))))
      .toEqual(Array.from({ length: 2 }, () => ['src/a.ts', 'src/b.ts', 'src/c.ts']));
  });

  test('that several processes wrote at once is kept once', async () => {
    using shop = place();
    await during(shop.start(), (started) => pathsOf(started, 'first'));
    const written = ['shard', 'text', 'table'].flatMap((ending) => shop.written(`.${ending}`));
    for (const { path } of written) copyFileSync(path, path.replace(/1-[^/]*\./, '1-1-aa.'));
    expect(shop.written('.shard')).toHaveLength(2);
    expect(await during(shop.start(), (started) => pathsOf(started, 'export'))).toEqual(['src/a.ts', 'src/b.ts']);
    expect(shop.written('.shard')).toHaveLength(1);
  });

  test('is searched by position where the memory is too small for the content, also when another process removed it', async () => {
    using shop = place();
    const filler = `${'filler text '.repeat(80)}\n`.repeat(1000);
    const files = Array.from({ length: 30 }, (_, i) => [`f${i}.txt`, `needle${i}\n${filler}${i}\n`]);
    shop.builder.commit({ files: Object.fromEntries(files) });
    await using started = await shop.start({ memoryBytes: 32 << 20 });
    expect(await pathsOf(started, 'needle7')).toEqual(['f7.txt']);
    for (const { path } of shop.written('.text')) rmSync(path);
    expect(await pathsOf(started, '/needle[12]\\b/')).toEqual(['f1.txt', 'f2.txt']);
  });
});

test('many old commits that are searched do not make the index grow for ever, and what a branch has stays', async () => {
  using shop = place();
  shop.builder.commit({ files: { 'large.txt': `${'text '.repeat(40_000)}\n` } });
  const commits = Array.from({ length: 14 }, (_, i) => shop.builder.commit({ files: { 'n.txt': `number ${i}\n` } }));
  await using started = await shop.start();
  expect(await pathsOf(started, 'text')).toEqual(['large.txt']);
  for (const [i, commit] of commits.entries())
    expect(await pathsOf(started, `"number ${i}" rev:${commit}`)).toEqual(['n.txt']);
  await expect.poll(() => shop.written('.shard').length).toBeLessThan(13);
  expect(await pathsOf(started, 'text OR number')).toEqual(['large.txt', 'n.txt']);
});

test('a commit with hundreds of files that no index has is found whole', async () => {
  using shop = place();
  const many = Array.from({ length: 600 }, (_, i): [string, string] => [`many/${i}.txt`, `number ${i} of many\n`]);
  const old = shop.builder.commit({ files: Object.fromEntries(many) });
  shop.builder.commit({ files: Object.fromEntries(many.map(([path]) => [path, null])) });
  await using started = await shop.start();
  expect(await pathsOf(started, '"of many"')).toEqual([]);
  expect(await pathsOf(started, `"of many" rev:${old}`)).toEqual(many.map(([path]) => path).sort());
});

test('what many revisions of one search need is built together', async () => {
  using shop = place();
  const commits = Array.from({ length: 10 }, (_, i) =>
    shop.builder.commit({ files: { [`${i}.txt`]: `number ${i}\n` } }),
  );
  shop.builder.commit({ files: Object.fromEntries(commits.map((_, i) => [`${i}.txt`, null])) });
  await using started = await shop.start();
  const found = await pathsOf(started, `number rev:${commits.join(':')}`);
  expect(found.filter((path) => path === '0.txt')).toHaveLength(10);
  expect(new Set(found).size).toBe(10);
  expect(shop.written('.shard').length).toBeLessThan(3);
});

test('what a search holds stays, however many commits are searched and shards built anew before it ends', async () => {
  using shop = place();
  const commits = Array.from({ length: 15 }, (_, i) => shop.builder.commit({ files: { 'n.txt': `number ${i}\n` } }));
  const [first = '', last = '', ...others] = commits;
  await using started = await shop.start();
  const { indexer } = started.services.resolve({ indexer: searchIndexer });
  const snapshot = await indexer.snapshot('shop', first, signal);
  const before = new Set(shop.written('.shard').map(({ path }) => path));
  const isThere = (): boolean => [...before].every((path) => existsSync(path));
  for (const commit of others) await pathsOf(started, `number rev:${commit}`);
  await pathsOf(started, `number rev:${last}`);
  expect(isThere()).toBe(true);
  snapshot.release();
  await expect.poll(() => shop.written('.shard').length).toBeLessThan(13);
});

describe('a push', () => {
  test('is found soon, and what it removed is not', async () => {
    using shop = place();
    await using started = await shop.start();
    await started.ready();
    expect(await pathsOf(started, 'first')).toEqual(['src/a.ts']);
    shop.builder.commit({ files: { 'src/a.ts': 'export const third = 3;\n' } });
    await expect.poll(() => pathsOf(started, 'third')).toEqual(['src/a.ts']);
    expect(await pathsOf(started, 'first')).toEqual([]);
    expect(await pathsOf(started, 'first rev:main~1')).toEqual(['src/a.ts']);
  });

  test('after many others leads to one shard again', async () => {
    using shop = place();
    await using started = await shop.start();
    await started.ready();
    for (let i = 0; i < 14; i += 1) {
      shop.builder.commit({ files: { [`n${i}.txt`]: `number ${i}\n` } });
      expect(await pathsOf(started, `"number ${i}"`)).toContain(`n${i}.txt`);
    }
    await expect.poll(() => shop.written('.shard').length).toBeLessThan(13);
    expect(await pathsOf(started, 'number')).toHaveLength(14);
  });
});

test('the default branch and configured branches are indexed, and the state says so', async () => {
  using shop = place();
  await using started = await shop.start();
  expect(started.status()['search']).toMatchObject({ isReady: false, detail: { repositories: 1, indexed: 0 } });
  await started.ready();
  await expect
    .poll(() => started.status()['search'])
    .toEqual({
      isReady: true,
      detail: {
        repositories: 1,
        indexed: 1,
        failed: 0,
        files: 3,
        binary: 1,
        tooLarge: 0,
        withoutText: 0,
        missing: 0,
        generated: 0,
      },
    });
});

test('`sextant index` brings every repository up to date and says what of it is not searched', async () => {
  using shop = place();
  const [large, link] = ['x'.repeat(2000), { mode: '120000', content: 'src/a.ts' } as const];
  shop.builder.commit({ files: { 'large.txt': large, link, 'dist/a.js': 'generated', 'copy.bin': '\0' } });
  await using started = await shop.start({ maxFileBytes: 1024 });
  expect(await started.run('index', {})).toBe(
    '7 files of 1 repositories; by name only: 2 binary, 1 too large, 1 without text, 0 that the repository lacks; 1 generated',
  );
  expect(shop.written('.shard')).toHaveLength(1);
});

test('many searches at once, some of them slow, are all answered', async () => {
  using shop = place();
  await using started = await shop.start();
  const queries = Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? '/(a+)+$/' : i % 3 === 1 ? 'export' : 'second'));
  const results = await Promise.all(queries.map((query) => find(started, query)));
  expect(results.map(({ fileCount }) => fileCount).slice(1, 3)).toEqual([2, 1]);
});

test.each([
  ['nested repetition', '/(a+)+$/'],
  ['large counts', '/.{1,1000}.{1,1000}/'],
  ['a huge count', '/(x?){5000}/'],
  ['many choices', `/${'a?'.repeat(2000)}/`],
  ['no literal', '/[^\\x00]{900}/'],
])('a hostile expression with %s is answered or refused with a reason', async (_what, query) => {
  using shop = place();
  await using started = await shop.start();
  const outcome = await find(started, query).then(
    () => 'answered',
    (error: unknown) => error,
  );
  if (outcome !== 'answered') expect(outcome).toMatchObject({ name: 'SextantError', code: 'invalid_argument' });
});

test('select:repo lists repositories with few and bad files beside those with more than an answer has room for', async () => {
  using folder = temporaryFolder();
  const [many, few] = ['many', 'few'].map(
    (name) => new RepositoryBuilder({ folder: join(folder.path, name), isBare: true }),
  );
  const long = 'folder/'.repeat(30);
  many?.commit({ files: Object.fromEntries(Array.from({ length: 1200 }, (_, i) => [`${long}${i}.ts`, 'found\n'])) });
  few?.commit({ files: { 'vendor/notes.txt': 'found\n' } });
  const repositories = { many: many?.folder ?? '', few: few?.folder ?? '' };
  await using started = await startSearch({ folder: folder.path, repositories });
  const { files, limitHit } = await find(started, 'found select:repo');
  expect([files.map(({ repo }) => repo), limitHit]).toEqual([['many', 'few'], false]);
});

const rewrite = (path: string, change: (byte: number, index: number) => number): void =>
  writeFileSync(path, readFileSync(path).map(change));

/** Uses what was started, and ends it. */
async function during<T>(starting: Promise<StartedSearch>, use: (started: StartedSearch) => Promise<T>): Promise<T> {
  await using started = await starting;
  return await use(started);
}

test('few lines, and those of a file that is left alone, are all shown where it is asked for', async () => {
  using shop = place();
  const few = Array.from({ length: 12 }, (_, line) => `few ${line}\n\n\n\n`).join('');
  const many = Array.from({ length: 40 }, (_, line) => `many ${line}\n\n\n\n`).join('');
  shop.builder.commit({
    files: { 'few.txt': few, 'few-too.txt': few, 'many.txt': many, 'others.txt': `few\n${many}` },
  });
  await during(shop.start(), async ({ search }) => {
    const chunksOf = async (query: string): Promise<number[]> => {
      const limits = { ...defaultSearchLimits, linesShownWhole: 30 };
      const request = { ...parseQuery(query), mode: 'keyword' as const, limits };
      return (await search.find(callerOf('alice'), request, signal)).files.map(({ chunks }) => chunks.length);
    };
    expect(await chunksOf('few')).toEqual([12, 12, 1]);
    expect(await chunksOf('many file:many')).toEqual([40]);
    expect(await chunksOf('many')).toEqual([3, 3]);
  });
});
