import { expect, test } from 'vitest';
import { RunReader } from './ingest.ts';
import type { IngestThread } from './ingest.ts';

/** A thread that fails with the parts of these numbers, and holds what the others had. */
function threadWithout(...failing: number[]): IngestThread {
  let parts = 0;
  let held = 0;
  const read = async (bytes: number): Promise<number> => {
    parts += 1;
    if (failing.includes(parts)) throw new Error('the thread has ended');
    return (held += bytes);
  };
  // Of all calls this reader makes one.
  return { call: (_, argument) => read((argument as { bytes: Uint8Array }).bytes.length) } as IngestThread;
}

const part = (): Uint8Array => new Uint8Array(600 << 10);

test('what git prints goes to the thread in parts, and it is known what the thread holds', async () => {
  const reader = new RunReader(1, threadWithout());
  for (let i = 0; i < 3; i += 1) await reader.add(part());
  await reader.add(new Uint8Array(5));
  await reader.finish();
  expect(reader.held).toBe(3 * (600 << 10) + 5);
});

test('a part that is lost is told when all are read, though those behind it arrived', async () => {
  const reader = new RunReader(1, threadWithout(2));
  for (let i = 0; i < 3; i += 1) await reader.add(part());
  await expect(reader.finish()).rejects.toThrow('the thread has ended');
});
