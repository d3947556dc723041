import { threadId } from 'node:worker_threads';
import { answerRequests } from '../answer-calls.ts';

/** What the thread is to do before it answers with its id. */
export type Order = 'answer' | 'wait' | 'hang' | 'throw' | 'fill-heap' | 'grow-array' | 'hold-memory';

const held: unknown[] = [];

answerRequests<Order, number>(async (order, isCanceled) => {
  if (order === 'wait') while (!isCanceled());
  else if (order === 'hang') for (;;);
  else if (order === 'throw') throw new Error('as it was told');
  else if (order === 'fill-heap') for (;;) held.push(Array.from({ length: 10_000 }, () => ({})));
  else if (order === 'grow-array') for (;;) held.push(held.length);
  else if (order === 'hold-memory') held.push(new WebAssembly.Memory({ initial: 1600 }));
  return threadId;
});
