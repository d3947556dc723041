import { readdirSync } from 'node:fs';
import type { BlobBatch } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { BuildThreads } from './build-threads.ts';

test('a thread that a repository makes run out of memory fails that repository, and the next one has another thread', async () => {
  using folder = temporaryFolder();
  const threads = new BuildThreads(64);
  const build = (output: AsyncIterable<BlobBatch>): Promise<unknown> =>
    threads.build({
      folder: folder.path,
      number: 1,
      output: { ids: ['a1'], batches: output },
      isOver: () => false,
      onObjects: () => undefined,
    });
  await expect(build(binaryAll())).rejects.toMatchObject({ code: 'ERR_WORKER_OUT_OF_MEMORY' });
  expect(await build(batchesOf(['a1']))).toEqual({ names: [expect.any(String)], left: [] });
  expect(readdirSync(folder.path).filter((file) => file.endsWith('.table'))).toHaveLength(1);
  await threads.close();
});

test('a build whose turn is over has what ended by then, and tells what is left', async () => {
  using folder = temporaryFolder();
  const threads = new BuildThreads();
  const all = ['a1', 'a2', 'a3'];
  let built = 0;
  let turns = 0;
  let left: readonly string[] = all;
  for (; left.length > 0; turns += 1) {
    const output = { ids: left, batches: batchesOf(left) };
    const options = { folder: folder.path, number: turns, output };
    const next = await threads.build({ ...options, isOver: () => true, onObjects: (count) => void (built += count) });
    expect(next.names).toHaveLength(1);
    left = next.left;
  }
  expect([built, turns]).toEqual([3, 3]);
  await threads.close();
});

async function* batchesOf(ids: readonly string[]): AsyncGenerator<BlobBatch, void, void> {
  for (const id of ids) yield { ids: [id], sizes: [4], bytes: new Uint8Array(Buffer.from('text')) };
}

/** Objects without text are remembered each. */
async function* binaryAll(): AsyncGenerator<BlobBatch, void, void> {
  for (let id = 0; ; id += 1000) {
    const ids = Array.from({ length: 1000 }, (_, at) => `${'0'.repeat(32)}${10_000_000 + id + at}`);
    yield { ids, sizes: ids.map(() => 1), bytes: new Uint8Array(ids.length) };
  }
}
