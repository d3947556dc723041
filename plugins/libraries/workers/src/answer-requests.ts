import { parentPort, workerData } from 'node:worker_threads';
import type { Transferable } from 'node:worker_threads';
import { ready } from './protocol.ts';
import type { Posted, Reply, ThreadData } from './protocol.ts';

export interface Answered<A> {
  readonly answer: A;
  /** Memory of the answer that is moved instead of copied. */
  readonly transfer?: readonly Transferable[];
}

/** Whether nobody waits for the answer any more; cheap enough to be asked often. */
export type IsCanceled = () => boolean;

/** Makes the thread that calls it one of a `WorkerPool`. What `answer` throws ends the thread: nobody knows what state it is in. */
export function answerRequests<Q, A>(answer: (request: Q, isCanceled: IsCanceled) => Promise<Answered<A>>): void {
  const { canceled }: ThreadData = workerData;
  let last: Promise<void> = Promise.resolve();
  const answerAfter = async (before: Promise<void>, { request, slot }: Posted<Q>): Promise<void> => {
    await before;
    const answered = await answer(request, () => Atomics.load(canceled, slot) > 0);
    const reply: Reply<A> = { answer: answered.answer, heldBytes: process.memoryUsage().external };
    parentPort?.postMessage(reply, answered.transfer ?? []);
  };
  parentPort?.on('message', (posted: Posted<Q>) => {
    last = answerAfter(last, posted);
  });
  parentPort?.postMessage(ready);
}
