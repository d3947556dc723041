import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
import type { SearchResult } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { isSextantError } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { describe, expect, test } from 'vitest';
import { startSearch } from './testing/start-search.ts';
import type { StartedSearch } from './testing/start-search.ts';

const { signal } = new AbortController();
const count = 1500;
const refusals = ['unavailable', 'not_found'];

async function find({ search }: StartedSearch, query: string): Promise<SearchResult> {
  return search.find(callerOf('alice'), { ...parseQuery(query), mode: 'keyword', limits: defaultSearchLimits }, signal);
}

interface Shop extends AsyncDisposable {
  readonly builder: RepositoryBuilder;
  readonly started: StartedSearch;
  /** The commit whose files nothing else has: so many that reading them takes a while. */
  readonly old: string;
  /** What is left of shards that were not finished. */
  unfinished(): string[];
}

async function servedShop(): Promise<Shop> {
  const folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  const paths = Array.from({ length: count }, (_, i) => `src/n${i}.ts`);
  const textOf = (path: string): string => `export const needle = '${path}';\n${path.repeat(1000)}\n`;
  const old = builder.commit({ files: Object.fromEntries(paths.map((path) => [path, textOf(path)])) });
  builder.commit({ files: Object.fromEntries([...paths.map((path) => [path, null] as const), ['now.ts', 'needle']]) });
  const started = await startSearch({ folder: folder.path, repositories: { shop: builder.folder } });
  await started.ready();
  expect((await find(started, 'needle')).fileCount).toBe(1);
  return {
    builder,
    started,
    old,
    unfinished: () =>
      readdirSync(join(folder.path, 'data'), { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.partial'),
      ),
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** What an answer says: how many files, whether that is all, or which error, which must be one that a caller is told. */
async function outcomeOf(search: Promise<SearchResult>): Promise<number | string> {
  try {
    const { fileCount, limitHit, notes } = await search;
    return limitHit && notes.length > 0 ? 'not all' : fileCount;
  } catch (error) {
    if (!isSextantError(error)) throw error;
    return error.code;
  }
}

test('a repository whose files were not in order for a while is searched again, though nothing else asks for it', async () => {
  await using shop = await servedShop();
  const { builder, started } = shop;
  const head = join(builder.folder, 'HEAD');
  renameSync(head, `${head}.gone`);
  const repository = await started.repositories.open(callerOf('alice'), 'shop');
  await expect(repository.resolve(undefined, signal)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await outcomeOf(find(started, 'needle'))).toBe('unavailable');
  renameSync(`${head}.gone`, head);
  await expect.poll(() => outcomeOf(find(started, 'needle'))).toBe(1);
});

describe('while a search reads a revision that no index has', () => {
  // So long it has been going on: git lists the tree, prints blobs, or has just ended.
  const moments = [0, 50, 150];

  test.each(moments)('the repository may be removed (after %i ms)', async (milliseconds) => {
    await using shop = await servedShop();
    const { builder, started, old } = shop;
    const answers = [`needle rev:${old} count:all`, `needle rev:${old}:main count:all`].map((query) =>
      outcomeOf(find(started, query)),
    );
    await setTimeout(milliseconds);
    renameSync(builder.folder, `${builder.folder}.gone`);
    for (const outcome of await Promise.all(answers))
      expect([count, count + 1, 'not all', ...refusals]).toContain(outcome);
    // The newest commit may be written down at this moment.
    await expect.poll(() => shop.unfinished()).toEqual([]);
    renameSync(`${builder.folder}.gone`, builder.folder);
    await expect.poll(() => find(started, `needle rev:${old} count:all`)).toMatchObject({ fileCount: count });
  });

  test.each(moments)(
    'its history may be rewritten, and what nothing names any more be removed (after %i ms)',
    async (milliseconds) => {
      await using shop = await servedShop();
      const { builder, started, old } = shop;
      const answer = outcomeOf(find(started, `needle rev:${old} count:all`));
      await setTimeout(milliseconds);
      const tree = builder.git('rev-parse', 'main^{tree}');
      const rewritten = builder.git('commit-tree', '-m', 'rewritten', tree);
      builder.git('update-ref', 'refs/heads/main', rewritten);
      builder.git('gc', '-q', '--prune=now');
      expect([count, ...refusals]).toContain(await answer);
      // The newest commit may be written down at this moment.
      await expect.poll(() => shop.unfinished()).toEqual([]);
      expect((await find(started, 'needle')).fileCount).toBe(1);
      // What was read of it may still be searched.
      expect([count, ...refusals]).toContain(await outcomeOf(find(started, `needle rev:${old} count:all`)));
    },
  );
});
