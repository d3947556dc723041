import { join } from 'node:path';
import { contentsIn } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { describe, expect, test } from 'vitest';
import { startGit } from '../testing/start-git.ts';
import { blobBatches } from './blob-batches.ts';
import { listedEntries, treeListing } from './listings.ts';

const { signal } = new AbortController();

/** In pieces of so many bytes, each with memory of its own. */
async function* inPieces(output: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < output.length; at += size) yield Buffer.from(output.subarray(at, at + size));
}

async function blobsOf(batches: ReturnType<typeof blobBatches>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const batch of batches)
    for (const { id, content } of contentsIn(batch)) found.push([id, content?.toString('latin1')]);
  return found;
}

describe('the output of git cat-file --batch', () => {
  const output = Buffer.from('a1 blob 5\none\n2\nb2 missing\nc3 blob 0\n\nd4 tree 3\nx\ny\ne5 blob 1\n\n\n');
  const wanted = [
    ['a1', 'one\n2'],
    ['b2', undefined],
    ['c3', ''],
    ['d4', undefined],
    ['e5', '\n'],
  ];

  test.each([1, 2, 3, 7, 100])('is read alike in pieces of %d bytes', async (size) =>
    expect(await blobsOf(blobBatches(inPieces(output, size), 5))).toEqual(wanted),
  );

  test.each([3, 12, 15])('that ends in the middle, after %d bytes, is refused', async (end) =>
    expect(blobsOf(blobBatches(inPieces(output.subarray(0, end), 4), 5))).rejects.toMatchObject({
      code: 'unavailable',
    }),
  );

  test('that has more than was asked for is refused', async () =>
    expect(blobsOf(blobBatches(inPieces(output, 100), 4))).rejects.toMatchObject({ code: 'unavailable' }));
});

test('a listing is read alike in pieces of any size', async () => {
  const ids = [...'abcd'].map((digit) => digit.repeat(40));
  const kinds = ['100644 blob', '120000 blob', '160000 commit', '100755 blob'];
  const paths = ['a b\tc.ts', 'link', 'lib', 'new\nline'];
  const output = Buffer.from(kinds.map((kind, at) => `${kind} ${ids[at]}\t${paths[at]}\0`).join(''));
  const limits = { entries: 4, pathBytes: 100, bytes: 1000, seconds: 1 };
  for (const size of [1, 7, output.length]) {
    const found: unknown[] = [];
    for await (const entries of listedEntries(inPieces(output, size), treeListing('c'), limits))
      found.push(...entries.map(({ mode, type, id, path }) => [mode, type, id, path]));
    expect(found).toEqual([
      ['100644', 'blob', ids[0], 'a b\tc.ts'],
      ['120000', 'blob', ids[1], 'link'],
      ['160000', 'commit', ids[2], 'lib'],
      ['100755', 'blob', ids[3], 'new\nline'],
    ]);
  }
});

test('few and many blobs are read alike: in order, without those that are too large, in batches of bounded memory', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
  const texts = Array.from({ length: 100 }, (_, n) => `${n}\n`.repeat(n === 7 ? 300_000 : 10_000));
  builder.commit({ files: Object.fromEntries(texts.map((text, n) => [`${n}`, text])) });
  const ids = texts.map((_, n) => builder.git('rev-parse', `main:${n}`));
  ids.splice(3, 0, '0'.repeat(40));
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
  const read = async (some: readonly string[], isBackground: boolean): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const batch of (await git.store.find('r'))?.blobs(some, { maxBytes: 100_000, isBackground, signal }) ??
      []) {
      expect(batch.bytes.length).toBeLessThanOrEqual(1 << 20);
      for (const { id, content } of contentsIn(batch)) found.push([id, content?.toString()]);
    }
    return found;
  };
  const wanted: unknown[] = texts.flatMap((text, n) => (n === 7 ? [] : [[ids[n < 3 ? n : n + 1], text]]));
  wanted.splice(3, 0, ['0'.repeat(40), undefined]);
  expect(await read(ids, false)).toEqual(wanted);
  for (const isBackground of [true, false])
    expect(await read(ids.slice(0, 20), isBackground)).toEqual(wanted.slice(0, 19));
  const checked = { maxBytes: 100_000, areChecked: true, signal };
  const tooLarge = blobsOf(((await git.store.find('r'))?.blobs(ids, checked) ?? []) as ReturnType<typeof blobBatches>);
  await expect(tooLarge).rejects.toMatchObject({ code: 'unavailable' });
});
