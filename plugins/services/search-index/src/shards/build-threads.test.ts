import { readdirSync } from 'node:fs';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { BuildThreads } from './build-threads.ts';

test('a thread that a repository makes run out of memory fails that repository, and the next one has another thread', async () => {
  using folder = temporaryFolder();
  const threads = new BuildThreads(64);
  const build = (output: AsyncIterable<Uint8Array>): Promise<unknown> =>
    threads.build({
      folder: folder.path,
      number: 1,
      withTrigrams: true,
      outputs: [{ ids: ['a1'], pieces: output }],
      isOver: () => false,
      onObjects: () => undefined,
    });
  await expect(build(lacksAll())).rejects.toMatchObject({ code: 'ERR_WORKER_OUT_OF_MEMORY' });
  expect(await build(hasOne())).toEqual({ names: [expect.any(String)], left: [] });
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
    const output = { ids: left, pieces: piecesOf(left) };
    const options = { folder: folder.path, number: turns, withTrigrams: true, outputs: [output] };
    const next = await threads.build({ ...options, isOver: () => true, onObjects: (count) => void (built += count) });
    expect(next.names).toHaveLength(1);
    left = next.left;
  }
  expect([built, turns]).toEqual([3, 3]);
  await threads.close();
});

/** Each ends with what begins the next. */
async function* piecesOf(ids: readonly string[]): AsyncGenerator<Uint8Array, void, void> {
  for (const id of ids) {
    yield Buffer.from(`${id} blob 4\nte`);
    yield Buffer.from('xt\n');
  }
}

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
