import { mkdirSync, readFileSync, readdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitStore, Symbols } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { silentLogger } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import git from '@sextant/service-git';
import search from '@sextant/service-search-index';
import { expect, it, onTestFinished } from 'vitest';
import plugin from '../index.ts';
import { bash } from '../languages/bash.ts';
import { LanguageTable } from '../languages/language-table.ts';
import { typescript } from '../languages/typescript.ts';
import { ParsePool } from '../parse/parse-pool.ts';
import { BackgroundIndexer } from './background-indexer.ts';
import { contentKey } from './file-key.ts';
import { HeadFiles } from './head-files.ts';
import { ParsedFiles } from './parsed-files.ts';
import { SymbolStore } from './symbol-store.ts';

const { signal } = new AbortController();
const minified = `var a=1;${'f(a);'.repeat(10_000)}`;

interface Scene {
  readonly builder: RepositoryBuilder;
  readonly dataFolder: string;
  start(config?: object): Promise<StartedPlugins>;
}

function scene(branches: readonly string[] = []): Scene {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop') });
  builder.commit({
    files: { 'a.ts': 'export const a = 1;\n', 'b.py': 'b = 1\n', 'min.js': minified, 'notes.txt': 'n\n' },
  });
  const dataFolder = join(folder.path, 'data');
  mkdirSync(dataFolder);
  const start = async (config: object = {}): Promise<StartedPlugins> => {
    const started = await startPlugins(dataFolder, [
      [git, { repositories: [{ path: builder.folder, name: 'shop', branches }] }],
      [search, { threads: 1, memoryBytes: 64 << 20 }],
      [plugin, config],
    ]);
    await started.ready();
    return started;
  };
  return { builder, dataFolder, start };
}

const detailOf = (started: StartedPlugins): unknown => started.status()['symbols']?.detail;
const untilRead = (started: StartedPlugins, counts: object): Promise<void> =>
  expect.poll(() => detailOf(started)).toMatchObject({ repositories: 1, ...counts, waiting: 0 });
const outline = async ({ services }: StartedPlugins, path: string): Promise<string[]> => {
  const { symbols } = services.resolve({ symbols: Symbols });
  const { definitions } = await symbols.outline(callerOf('alice'), { repo: 'shop', path }, signal);
  return definitions.map(({ name }) => name);
};

it('files of the branches that are indexed are read before anyone asks, each content once, and those skipped are counted', async () => {
  const { builder, start } = scene(['release/*']);
  builder.commit({
    branch: 'release/1',
    parents: ['main'],
    files: { 'a.ts': null, 'same.ts': 'export const a = 1;\n', 'c.ts': 'let c;\n' },
  });
  builder.commit({ branch: 'apart', parents: ['main'], files: { 'd.ts': 'let d;\n' } });
  await using started = await start();
  await untilRead(started, { parsed: 3, skipped: 1 });
});

it('what was read is there after a restart; a push costs what it changed', async () => {
  const { builder, start } = scene();
  {
    await using started = await start();
    await untilRead(started, { parsed: 2, skipped: 1 });
  }
  await using again = await start();
  await untilRead(again, { parsed: 0, skipped: 0 });
  expect(await outline(again, 'a.ts')).toEqual(['a']);
  builder.commit({ files: { 'new.ts': 'export const fresh = 1;\n' } });
  await untilRead(again, { parsed: 1, skipped: 0 });
});

it('what is damaged on disk is read anew', async () => {
  const { dataFolder, start } = scene();
  {
    await using started = await start();
    await untilRead(started, { parsed: 2 });
  }
  const folder = join(dataFolder, 'symbols');
  for (const file of readdirSync(folder)) truncateSync(join(folder, file), 10);
  await using again = await start();
  await untilRead(again, { parsed: 2 });
  expect(await outline(again, 'a.ts')).toEqual(['a']);
});

it('what was overwritten on disk is read anew', async () => {
  const { dataFolder, start } = scene();
  {
    await using started = await start();
    await untilRead(started, { parsed: 2 });
  }
  const folder = join(dataFolder, 'symbols');
  const file = join(folder, 'symbols.db');
  const header = readFileSync(file).subarray(0, 8192);
  writeFileSync(file, Buffer.concat([header, Buffer.alloc(100_000, 'x')]));
  await using again = await start();
  expect(await outline(again, 'a.ts')).toEqual(['a']);
});

it('without room on disk files are read when they are wanted', async () => {
  const { start } = scene();
  await using started = await start({ storedBytes: 0 });
  await untilRead(started, {});
  expect(await outline(started, 'b.py')).toEqual(['b']);
});

it('a repository that cannot be read is told once and read by itself once it can', async () => {
  const { builder, dataFolder } = scene();
  const tree = builder.git('rev-parse', 'HEAD^{tree}');
  const object = join(builder.folder, '.git/objects', tree.slice(0, 2), tree.slice(2));
  renameSync(object, `${object}.away`);
  await using started = await startPlugins(dataFolder, [
    [git, { repositories: [{ path: builder.folder, name: 'shop' }] }],
  ]);
  const stored = new SymbolStore({ folder: join(dataFolder, 'symbols'), maxBytes: 0, log: silentLogger });
  const threads = new ParsePool({ threads: 1, limit: 1000 });
  const warnings: string[] = [];
  const indexer = new BackgroundIndexer({
    git: started.services.resolve({ git: GitStore }).git,
    languages: new LanguageTable([]),
    parsed: new ParsedFiles({ threads, stored, cachedFiles: 1, retryMs: 0 }),
    heads: new HeadFiles(),
    atOnce: 1,
    log: { ...silentLogger, warn: (_, message) => void warnings.push(message) },
  });
  indexer.start();
  await indexer.idle();
  expect(indexer.status().detail).toMatchObject({ repositories: 0, waiting: 0 });
  renameSync(`${object}.away`, object);
  await expect.poll(() => indexer.status().detail).toMatchObject({ repositories: 1, waiting: 0 });
  await indexer.close();
  await threads.close();
  stored.close();
  expect(warnings).toEqual(['the symbols of a repository could not be read ahead']);
});

it('of a default branch that moves to the commit of another one that is read, the files are known', async () => {
  const { builder, dataFolder } = scene();
  const commit = builder.commit({ branch: 'release/1', parents: ['main'], files: { 'c.ts': 'let c;\n' } });
  await using started = await startPlugins(dataFolder, [
    [git, { repositories: [{ path: builder.folder, name: 'shop', branches: ['release/*'] }] }],
  ]);
  const stored = new SymbolStore({ folder: join(dataFolder, 'symbols'), maxBytes: 1 << 20, log: silentLogger });
  const threads = new ParsePool({ threads: 1, limit: 60_000 });
  const heads = new HeadFiles();
  const indexer = new BackgroundIndexer({
    git: started.services.resolve({ git: GitStore }).git,
    languages: new LanguageTable([typescript]),
    parsed: new ParsedFiles({ threads, stored, cachedFiles: 1, retryMs: 0 }),
    heads,
    atOnce: 1,
    log: silentLogger,
  });
  indexer.start();
  await indexer.idle();
  builder.git('update-ref', 'refs/heads/main', commit);
  const content = contentKey(builder.git('rev-parse', `${commit}:c.ts`));
  await expect.poll(() => heads.withContent(content), { timeout: 60_000 }).toEqual(['shop']);
  await indexer.close();
  await threads.close();
  stored.close();
});

it('where no thread parses any more the repository is told of once, and no failure is left uncaught', async () => {
  const { builder, dataFolder } = scene();
  const names = Array.from({ length: 500 }, (_, number) => `f${number}.ts`);
  builder.commit({ files: Object.fromEntries(names.map((name) => [name, `let ${'x'.repeat(5000)} = '${name}';\n`])) });
  await using started = await startPlugins(dataFolder, [
    [git, { repositories: [{ path: builder.folder, name: 'shop' }] }],
  ]);
  const stored = new SymbolStore({ folder: join(dataFolder, 'symbols'), maxBytes: 0, log: silentLogger });
  const threads = new ParsePool({ threads: 1, limit: 1000 });
  await threads.close();
  const failures: unknown[] = [];
  const indexer = new BackgroundIndexer({
    git: started.services.resolve({ git: GitStore }).git,
    languages: new LanguageTable([typescript]),
    parsed: new ParsedFiles({ threads, stored, cachedFiles: 1, retryMs: 0 }),
    heads: new HeadFiles(),
    atOnce: 4,
    log: { ...silentLogger, warn: (fields) => void failures.push(fields) },
  });
  indexer.start();
  await indexer.idle();
  await indexer.close();
  stored.close();
  expect(failures).toEqual([
    { repository: 'shop', err: expect.objectContaining({ message: 'the server is stopping' }) },
  ]);
});

it('a repository whose files take too long is named, and others are read before it is', async () => {
  using folder = temporaryFolder();
  const write = (name: string, files: Record<string, string>): string => {
    const builder = new RepositoryBuilder({ folder: join(folder.path, name) });
    builder.commit({ files });
    return builder.folder;
  };
  const [slow, fine] = [`${'a'.repeat(50)}b`, 'greet() { :; }\n'];
  const repositories = [
    { name: 'first', path: write('first', { 'a.sh': slow, 'b.sh': `${slow}c`, 'c.sh': fine }) },
    { name: 'second', path: write('second', { 'a.sh': 'other() { :; }\n' }) },
  ];
  const dataFolder = join(folder.path, 'data');
  mkdirSync(dataFolder);
  await using started = await startPlugins(dataFolder, [[git, { repositories }]]);
  const stored = new SymbolStore({ folder: join(dataFolder, 'symbols'), maxBytes: 0, log: silentLogger });
  const threads = new ParsePool({ threads: 1, limit: 500, grace: 1000 });
  const parsed = new ParsedFiles({ threads, stored, cachedFiles: 1, retryMs: 0 });
  const order: string[] = [];
  const backtracking = { ...bash, repairs: [{ find: '(a+)+$', with: '' }] };
  const indexer = new BackgroundIndexer({
    git: started.services.resolve({ git: GitStore }).git,
    languages: new LanguageTable([backtracking]),
    parsed: {
      has: (file) => parsed.has(file),
      prepare: async (file, text) => {
        const prepared = await parsed.prepare(file, text);
        order.push(`${text.slice(0, 5)} ${prepared}`);
        return prepared;
      },
    },
    heads: new HeadFiles(),
    atOnce: 1,
    log: silentLogger,
    turnSeconds: 0,
  });
  indexer.start();
  await indexer.idle();
  await indexer.close();
  await threads.close();
  stored.close();
  expect(order).toEqual(['aaaaa givenUp', 'other parsed', 'aaaaa givenUp', 'greet parsed']);
  expect(indexer.status()).toMatchObject({
    detail: { repositories: 2, parsed: 2, skipped: 0, waiting: 0 },
    failures: [{ name: 'first', reason: expect.stringContaining('2 of its files') }],
  });
});
