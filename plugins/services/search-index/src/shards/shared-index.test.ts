import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BlobBatch } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { Arena } from '@sextant/library-block-index';
import { expect, onTestFinished, test } from 'vitest';
import { SharedIndex } from './shared-index.ts';
import type { BuiltAndLoaded } from './shared-index.ts';

const mebibyte = 1 << 20;

function startIndex({ megabytes }: { megabytes: number }): (folder: string, files: number) => Promise<BuiltAndLoaded> {
  const bytes = megabytes * mebibyte;
  const shared = new SharedIndex({
    part: Arena.create(bytes + mebibyte).split(bytes),
    texts: { mostTaken: 0, mostOpen: 1 },
  });
  onTestFinished(() => shared.close());
  let number = 0;
  return async (folder, files) => {
    if (!existsSync(folder)) await shared.load(folder);
    number += 1;
    const ids = Array.from({ length: files }, (_, n) => `${number}${n}`.padStart(40, 'a'));
    const building = { isUrgent: false, isContinued: false, onObjects: () => undefined };
    return shared.build({ ...building, folder, number, output: { ids, batches: textsOf(ids) } });
  };
}

/** Texts of 128 KB without two blocks that are alike: their index is as large as any. */
async function* textsOf(ids: readonly string[]): AsyncGenerator<BlobBatch, void, void> {
  for (const id of ids) {
    const bytes = new Uint8Array(Buffer.from(randomBytes(96 * 1024).toString('base64')));
    yield { ids: [id], sizes: [bytes.length], bytes };
  }
}

test('a repository among others is built up to its share of the memory, and the others have the rest', async () => {
  using folder = temporaryFolder();
  const build = startIndex({ megabytes: 48 });
  const [greedy, shop] = [join(folder.path, 'greedy'), join(folder.path, 'shop')];
  await build(shop, 1);
  const untilRefused = async (): Promise<unknown> => {
    for (;;) await build(greedy, 16);
  };
  await expect(untilRefused()).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('raise memoryBytes of service-search-index'),
  });
  const kept = readdirSync(greedy);
  await expect(build(greedy, 16)).rejects.toMatchObject({ code: 'too_large' });
  expect(readdirSync(greedy)).toEqual(kept);
  expect((await build(shop, 8)).shards).toHaveLength(1);
});

test('what does not fit into the memory leaves no files', async () => {
  using folder = temporaryFolder();
  const build = startIndex({ megabytes: 8 });
  const shop = join(folder.path, 'shop');
  await expect(build(shop, 100)).rejects.toMatchObject({ code: 'LimitError' });
  expect(readdirSync(shop)).toEqual([]);
});
