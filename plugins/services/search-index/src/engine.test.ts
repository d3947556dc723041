import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
import type { SearchRequest, SearchResult } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import type { ServiceStatus } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { indexFolderOf } from '@sextant/library-workers';
import { startSearch } from './testing/start-search.ts';
import type { StartedSearch } from './testing/start-search.ts';

const { signal } = new AbortController();
const find = async (
  { search }: StartedSearch,
  query: string,
  mode: SearchRequest['mode'] = 'keyword',
): Promise<SearchResult> =>
  search.find(callerOf('alice'), { ...parseQuery(query), mode, limits: defaultSearchLimits }, signal);

function repositoryIn(folder: string, name: string): RepositoryBuilder {
  const builder = new RepositoryBuilder({ folder: join(folder, `${name}.git`), isBare: true });
  builder.commit({ files: { 'a.ts': 'export const needle = 1;\n' } });
  return builder;
}

/** Ends a thread that begins what is said: when it has answered all before. Counts how often. */
function endOn(isDeadly: (message: { name?: string; argument?: { folder?: string } }) => boolean): {
  count: number;
} {
  const ended = { count: 0 };
  const asked = new WeakMap<Worker, Set<number>>();
  const post = Worker.prototype.postMessage;
  const spy = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, message, transfer) {
    const open = asked.get(this) ?? new Set();
    if (!asked.has(this)) this.on('message', ({ id }) => open.delete(id));
    asked.set(this, open);
    if (isDeadly(message)) {
      ended.count += 1;
      const before = new Set(open);
      const answered = ({ id }: { id?: number }): void => {
        before.delete(id ?? 0);
        if (before.size === 0) void this.terminate();
      };
      this.on('message', answered);
      answered({});
      return;
    }
    open.add(message.id);
    post.call(this, message, transfer as never);
  });
  onTestFinished(() => spy.mockRestore());
  return ended;
}

test('where a repository ends the thread that holds all indexes it is named and left alone, and others are searched and indexed', async () => {
  using folder = temporaryFolder();
  const [shop, deadly] = [repositoryIn(folder.path, 'shop'), repositoryIn(folder.path, 'deadly')];
  const ended = endOn(
    ({ name, argument }) => name === 'paths' && argument?.folder?.endsWith(indexFolderOf('deadly')) === true,
  );
  const repositories = { shop: shop.folder, deadly: deadly.folder };
  await using started = await startSearch({ folder: folder.path, repositories });
  await started.ready();
  const search = (): ServiceStatus | undefined => started.status()['search'];
  await expect.poll(() => ended.count === 1 && search()?.isReady).toBe(true);
  const [failure, ...others] = search()?.failures ?? [];
  expect([failure, others]).toMatchObject([
    { name: 'deadly', reason: expect.stringMatching(/the thread that holds all indexes ended/) },
    [],
  ]);
  expect(Date.parse(failure?.nextTry ?? '') - Date.parse(failure?.since ?? '')).toBeGreaterThan(30_000);
  const { files, notes } = await find(started, 'needle');
  expect([files.map(({ repo }) => repo), notes]).toEqual([
    ['shop'],
    [expect.stringMatching(/^Not searched: deadly since /)],
  ]);
  shop.commit({ files: { 'b.ts': 'export const another = 1;\n' } });
  await expect.poll(async () => (await find(started, 'another')).fileCount).toBe(1);
  expect(ended.count).toBe(1);
});

test('a search whose thread ends is told so, and the next one is answered', async () => {
  using folder = temporaryFolder();
  const shop = repositoryIn(folder.path, 'shop');
  await using started = await startSearch({ folder: folder.path, repositories: { shop: shop.folder } });
  await started.ready();
  await expect.poll(() => started.status()['search']?.isReady).toBe(true);
  const ended = endOn(({ name }) => name === 'run' && ended.count === 0);
  // A question is always searched in a thread.
  const ask = (): Promise<SearchResult> => find(started, 'what is needle', 'natural');
  await expect(ask()).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('try again') });
  expect((await ask()).fileCount).toBe(1);
});
