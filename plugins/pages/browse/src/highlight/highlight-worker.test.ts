import { expect, test } from 'vitest';
import { HighlightWorker } from './highlight-worker.ts';

test('a thread that is ended while its answer is on its way has ended', async () => {
  const worker = new HighlightWorker(60_000);
  const request = { file: 'a.ts', language: 'typescript', lines: ['const a = 1;'], isFirst: true, isLast: true };
  expect(await worker.highlight(request)).toHaveLength(1);
  const answer = worker.highlight(request);
  // Nothing is heard of the thread meanwhile, which answers.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  await worker.close();
  await answer;
});
