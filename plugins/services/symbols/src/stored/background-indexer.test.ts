import { appendFileSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Symbols } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { callerOf, startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import git from '@sextant/service-git';
import search from '@sextant/service-search-index';
import { expect, it, onTestFinished, vi } from 'vitest';
import plugin from '../index.ts';

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
  vi.waitFor(() => expect(detailOf(started)).toMatchObject({ repositories: 1, ...counts, waiting: 0 }), 60_000);
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
  for (const file of readdirSync(folder))
    if (file.endsWith('.values')) truncateSync(join(folder, file), 10);
    else appendFileSync(join(folder, file), 'torn');
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
  for (const file of readdirSync(folder))
    if (file.endsWith('.values')) writeFileSync(join(folder, file), Buffer.alloc(100_000, 'x'));
  await using again = await start();
  expect(await outline(again, 'a.ts')).toEqual(['a']);
});

it('without room on disk files are read when they are wanted', async () => {
  const { start } = scene();
  await using started = await start({ storedBytes: 0 });
  await untilRead(started, {});
  expect(await outline(started, 'b.py')).toEqual(['b']);
});
