import { matchesGlob } from '@sextant/contracts';
import type { ListedEntry } from '@sextant/contracts';
import { describe, expect, test } from 'vitest';
import type { StoredShard } from '../shards/loaded-shard.ts';
import { ShardSet } from '../shards/shard-set.ts';
import { packTable } from '../shards/shard-files.ts';
import { indexedText } from '@sextant/library-keyword-search';
import { IndexScheduler } from '../shards/shared-index.ts';
import { pathText } from '../snapshot/build-snapshot.ts';
import { readTree } from '../snapshot/tree.ts';

const listed = (...[mode, type, id, size, path]: [string, 'blob' | 'commit', string, number, string]): ListedEntry => {
  return { mode, type, id, size, path };
};
const batchesOf = async function* (...batches: ListedEntry[][]): AsyncGenerator<ListedEntry[]> {
  yield* batches;
};

test('a tree has files, names of links, and no submodules', async () => {
  const entries = [
    listed('100644', 'blob', 'aa', 12, 'a b\tc.ts'),
    listed('120000', 'blob', 'bb', 3, 'link'),
    listed('160000', 'commit', 'cc', Number.NaN, 'lib'),
    listed('100755', 'blob', 'dd', 1, 'new\nline'),
  ];
  const tree = await readTree(batchesOf(entries.slice(0, 2), entries.slice(2)));
  expect(tree).toEqual({
    paths: ['a b\tc.ts', 'link', 'new\nline'],
    blobs: ['aa', undefined, 'dd'],
    sizes: [12, 3, 1],
  });
});

test('a tree whose paths are more than an index holds is read no further', async () => {
  let read = 0;
  const listing = async function* (): AsyncGenerator<ListedEntry[]> {
    for (; read < 1000; read += 1) yield [listed('100644', 'blob', 'aa', 1, 'a'.repeat(1 << 20))];
  };
  await expect(readTree(listing())).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('of paths'),
  });
  expect(read).toBeLessThan(40);
});

test('paths are one text; a line end within a path is kept elsewhere', async () => {
  const { text, odd } = await pathText(['a', 'ü/b', 'c\nd']);
  expect(Buffer.from(text).toString()).toBe('a\nü/b\nc d\n');
  expect([...odd]).toEqual([[2, 'c\nd']]);
});

test.each([
  ['UTF-8', Buffer.from('naïve'), 'naïve'],
  ['UTF-8 with a mark', Buffer.from('\ufeffa'), 'a'],
  ['UTF-16', Buffer.from('\ufeffaé', 'utf16le'), 'aé'],
  ['Latin-1', Buffer.from('caf\u00e9', 'latin1'), 'café'],
  ['binary', Buffer.from('a\0b'), undefined],
  ['empty', Buffer.alloc(0), ''],
])('text of %s', (_kind, bytes, expected) => expect(indexedText(bytes)?.toString()).toBe(expected));

test.each([
  ['main', 'main', true],
  ['release/*', 'release/1/2', true],
  ['release/*', 'releases', false],
  ['*a*b?', 'xxaxxbc', true],
  ['*a*b?', 'xxaxxb', false],
  ['**', '', true],
  [`${'*a'.repeat(40)}b`, 'a'.repeat(5000), false],
])('the pattern %s and the name %s: %s', (glob, name, expected) => expect(matchesGlob(glob, name)).toBe(expected));

describe('when small shards become one', () => {
  const content = { path: '', descriptor: undefined, address: new Uint32Array(1) };
  const shardOf = (name: string, bytes: number, ...documents: string[]): StoredShard => ({
    name,
    handle: { address: 0, bytes },
    content,
    documents: documents.length,
    table: packTable({ documents, binary: [] }),
    memoryBytes: bytes,
  });

  test('large ones stay as long as half of them is wanted', () => {
    const set = new ShardSet([
      shardOf('large', 20 << 20, 'aa', 'bb'),
      shardOf('gone', 20 << 20, 'cc', 'dd', 'ee'),
      shardOf('small', 1000, 'ff'),
    ]);
    expect(set.worthKeeping(new Set(['aa', 'cc', 'ff'])).map(({ name }) => name)).toEqual(['large']);
  });

  test('the largest of small ones stays', () => {
    const set = new ShardSet([shardOf('most', 1000, 'aa'), shardOf('new', 10, 'bb'), shardOf('newer', 10, 'cc')]);
    expect(set.worthKeeping(new Set(['aa', 'bb', 'cc'])).map(({ name }) => name)).toEqual(['most']);
  });
});

describe('turns', () => {
  const noted = (order: string[], name: string) => async (): Promise<void> => {
    order.push(name);
    await Promise.resolve();
    order.push(`/${name}`);
  };

  test('what someone waits for, and what is read, goes on beside what is done in the background; what may wait is alone', async () => {
    const turns = new IndexScheduler(1);
    const order: string[] = [];
    await Promise.all([
      turns.run(noted(order, 'patient'), 'patient'),
      turns.run(noted(order, 'idle'), 'idle'),
      turns.run(noted(order, 'next'), 'patient'),
      turns.run(noted(order, 'urgent'), 'urgent'),
      turns.run(noted(order, 'loading'), 'loading'),
      turns.run(() => Promise.reject(new Error('no')), 'urgent').catch(() => undefined),
    ]);
    expect(order.slice(0, 3)).toEqual(['patient', 'urgent', 'loading']);
    expect(order.indexOf('next')).toBeGreaterThan(order.indexOf('/patient'));
    expect(order.slice(-2)).toEqual(['idle', '/idle']);
  });

  test('of what someone waits for the latest goes first', async () => {
    const turns = new IndexScheduler(1);
    const order: string[] = [];
    const names = ['begun', 'one of many', 'another of many', 'a single one'];
    await Promise.all(names.map((name) => turns.run(async () => void order.push(name), 'urgent')));
    expect(order).toEqual(['begun', 'a single one', 'another of many', 'one of many']);
  });

  test.each(['patient', 'urgent'] as const)(
    '%s work that had its turn ends for others, and goes on after them',
    async (kind) => {
      const turns = new IndexScheduler(1, 0);
      const order: string[] = [];
      const inTurns = async (name: string): Promise<void> => {
        const parts = [name, name, name];
        const work = async (isOver: () => boolean): Promise<void> => {
          for (let part = parts.pop(); part !== undefined; part = isOver() ? undefined : parts.pop()) {
            order.push(part);
            await Promise.resolve();
          }
        };
        while (parts.length > 0) await turns.run(work, kind, { isContinued: parts.length < 3 });
      };
      await Promise.all([inTurns('large'), turns.run(async () => void order.push('other'), kind)]);
      expect(order).toEqual(['large', 'other', 'large', 'large']);
    },
  );

  test('who comes in the moment that one ends does not run beside the next one', async () => {
    const turns = new IndexScheduler(2);
    let running = 0;
    let most = 0;
    const counted = async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
    };
    const late = Array.from({ length: 20 }, async (_, moments) => {
      for (let i = 0; i < moments; i += 1) await Promise.resolve();
      await turns.run(counted, 'patient');
    });
    await Promise.all([turns.run(counted, 'patient'), turns.run(counted, 'patient'), ...late]);
    expect(most).toBe(2);
  });
});
