import { readdirSync } from 'node:fs';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { BuildThreads } from './build-threads.ts';

test('a thread that a repository makes run out of memory fails that repository, and the next one has another thread', async () => {
  using folder = temporaryFolder();
  const threads = new BuildThreads({ maxOldGenerationSizeMb: 24 });
  const build = (output: AsyncIterable<Uint8Array>): Promise<string[]> =>
    threads.build({ folder: folder.path, number: 1, withKeys: true, outputs: [output], onObjects: () => undefined });
  await expect(build(lacksAll())).rejects.toMatchObject({ code: 'ERR_WORKER_OUT_OF_MEMORY' });
  const [shard] = await build(hasOne());
  expect(readdirSync(folder.path)).toContain(`${shard}.table`);
  await threads.close();
});

/** What git prints of objects that are not there is remembered of each. */
async function* lacksAll(): AsyncGenerator<Uint8Array, void, void> {
  for (let id = 0; ; id += 1000)
    yield Buffer.from(
      Array.from({ length: 1000 }, (_, at) => `${'0'.repeat(32)}${10_000_000 + id + at} missing\n`).join(''),
    );
}

async function* hasOne(): AsyncGenerator<Uint8Array, void, void> {
  yield Buffer.from('a1 blob 4\ntext\n');
}
