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

interface StartedIndex {
  readonly shared: SharedIndex;
  readonly build: (folder: string, files: number) => Promise<BuiltAndLoaded>;
}

function startIndex({ megabytes }: { megabytes: number }): StartedIndex {
  const bytes = megabytes * mebibyte;
  const shared = new SharedIndex({
    part: Arena.create(bytes + mebibyte).split(bytes),
    texts: { mostTaken: 0, mostOpen: 1 },
  });
  onTestFinished(() => shared.close());
  let number = 0;
  const build: StartedIndex['build'] = async (folder, files) => {
    if (!existsSync(folder)) await shared.load(folder);
    number += 1;
    const ids = Array.from({ length: files }, (_, n) => `${number}${n}`.padStart(40, 'a'));
    const building = { isUrgent: false, isContinued: false, onObjects: () => undefined };
    return shared.build({ ...building, folder, number, output: { ids, batches: textsOf(ids) } });
  };
  return { shared, build };
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
  const { build } = startIndex({ megabytes: 48 });
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
  const { build } = startIndex({ megabytes: 8 });
  const shop = join(folder.path, 'shop');
  await expect(build(shop, 100)).rejects.toMatchObject({ code: 'LimitError' });
  expect(readdirSync(shop)).toEqual([]);
});

test('a repository that is removed gives back its memory and leaves no folder', async () => {
  using folder = temporaryFolder();
  const { build, shared } = startIndex({ megabytes: 8 });
  const shop = join(folder.path, 'shop');
  for (let time = 0; time < 3; time += 1) {
    const { shards } = await build(shop, 16);
    await shared.remove(shop, shards);
    expect(existsSync(shop)).toBe(false);
  }
});
