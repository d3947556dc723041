import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { BuildThreads } from './build-threads.ts';

const idOf = (text: string): string => Buffer.from(text).toString('hex').padEnd(40, '0');

/** What git prints of blobs. */
async function* printed(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(`${idOf(text)} blob ${text.length}\n${text}\n`);
}

async function* failing(): AsyncGenerator<Uint8Array> {
  yield* printed(['one']);
  throw new Error('git ended');
}

test('parts become shards side by side; where one fails nothing is left of the others', async () => {
  using folder = temporaryFolder();
  const shards = join(folder.path, 'shards');
  const threads = new BuildThreads();
  const common = { folder: shards, number: 3, onObjects: () => undefined };
  const built = await threads.build({ ...common, parts: [printed(['one', 'two']), printed(['three'])] });
  expect(built.map((name) => Number.parseInt(name, 10))).toEqual([3, 4]);
  const files = readdirSync(shards);
  expect(files).toHaveLength(6);
  const parts = [printed(['four']), failing(), printed(['five'])];
  await expect(threads.build({ ...common, parts })).rejects.toThrow('git ended');
  expect(readdirSync(shards)).toEqual(files);
  await threads.close();
});
