import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { GitStore, Repositories, Search } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { Turn, silentLogger } from '@sextant/core';
import { startPlugins } from '@sextant/core/testing';
import git from '@sextant/service-git';
import search from '@sextant/service-search-index';
import { expect, it } from 'vitest';
import { LanguageTable } from '../languages/language-table.ts';
import { typescript } from '../languages/typescript.ts';
import { ParsePool } from '../parse/parse-pool.ts';
import { FileTrees } from '../snapshot/file-tree.ts';
import { Snapshots } from '../snapshot/snapshot.ts';
import { HeadFiles } from '../store/head-files.ts';
import { ParsedFiles } from '../store/parsed-files.ts';
import { SymbolStore } from '../store/symbol-store.ts';
import { alice, startSymbols } from '../testing/start-symbols.ts';
import { Candidates } from './candidates.ts';
import { Manifests } from './manifests.ts';
import { NameIndex } from './name-index.ts';

const { signal } = new AbortController();
const shop = {
  'package.json': '{ "name": "@acme/shop", "main": "store.ts" }\n',
  'store.ts': 'export class Store {\n  restock() {}\n}\n',
};
const use = 'export const stock = (store: Store) => store.restock();\n';

it('a repository that is read ahead while a name is looked up is searched by its text', async () => {
  using folder = temporaryFolder();
  const late = new RepositoryBuilder({ folder: join(folder.path, 'late') });
  late.commit({ files: { 'b.ts': use } });
  const dataFolder = join(folder.path, 'data');
  mkdirSync(dataFolder);
  await using started = await startPlugins(dataFolder, [
    [git, { repositories: [{ name: 'late', path: late.folder }] }],
    [search, { threads: 1, memoryBytes: 64 << 20 }],
  ]);
  await started.ready();
  const services = started.services.resolve({ store: GitStore, repositories: Repositories, search: Search });
  const heads = new HeadFiles();
  /** The repository is read ahead as soon as the names were looked up. */
  class StoreThatGrows extends SymbolStore {
    override *having(...wanted: Parameters<SymbolStore['having']>): ReturnType<SymbolStore['having']> {
      yield* super.having(...wanted);
      heads.add('late', [late.git('rev-parse', 'main:b.ts')]);
    }
  }
  const stored = new StoreThatGrows({ folder: join(folder.path, 'symbols'), maxBytes: 1 << 20, log: silentLogger });
  const threads = new ParsePool({ threads: 1, limit: 60_000 });
  const turn = new Turn(4);
  const languages = new LanguageTable([typescript]);
  const parsed = new ParsedFiles({ threads, stored, cachedFiles: 10, retryMs: 0 });
  const trees = new FileTrees(services.store, 1000, turn);
  const snapshots = new Snapshots({ ...services, languages, trees, parsed, answerMs: 60_000, turn }, alice, signal);
  const names = new NameIndex({ stored, parsed, languages, heads, turn });
  const sources = { names, manifests: new Manifests(), search: services.search };
  const candidates = new Candidates(sources, snapshots);
  const wanted = { name: 'restock', role: 'use', language: typescript, limit: 10 } as const;
  const { files } = await candidates.elsewhere({ repo: 'shop', languages }, wanted);
  await threads.close();
  stored.close();
  expect(files.map(({ snapshot, path }) => `${snapshot.repo} ${path}`)).toEqual(['late b.ts']);
});

it('files of other repositories in another encoding than UTF-8 are found by their names', async () => {
  const text = `import { Store } from '@acme/shop';\n${use}// caf\xe9\n`;
  const files = { 'latin.ts': Buffer.from(text, 'latin1'), 'utf16.ts': Buffer.from(`\uFEFF${text}`, 'utf16le') };
  await using served = await startSymbols({ shop, customer: files });
  await served.untilReadAhead();
  expect(await served.references('shop store.ts', 'restock')).toEqual(['customer latin.ts:2', 'customer utf16.ts:2']);
});

it('what was pushed is found before it is read ahead', async () => {
  await using served = await startSymbols({ shop, customer: { 'a.ts': 'export {};\n' } });
  await served.untilReadAhead();
  const held = Promise.withResolvers<void>();
  served.store.putFirst(held.promise);
  served.builders['customer']?.commit({ files: { 'b.ts': `import { Store } from '@acme/shop';\n${use}` } });
  const uses = (): Promise<string[]> => served.references('shop store.ts', 'restock');
  await expect.poll(uses, { timeout: 60_000 }).toEqual(['customer b.ts:2']);
  held.resolve();
});

it('without room on disk for their names other repositories are searched by their text', async () => {
  await using served = await startSymbols(
    {
      shop,
      customer: { 'a.ts': `import { Store } from '@acme/shop';\n${use}` },
    },
    { settings: { storedBytes: 0 } },
  );
  await served.untilReadAhead();
  expect(await served.references('shop store.ts', 'restock')).toEqual(['customer a.ts:2']);
});
