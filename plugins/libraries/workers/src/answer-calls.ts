import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import type { Transferable } from 'node:worker_threads';

/** Whether nobody waits for the answer any more; cheap enough to be asked often. */
export type IsCanceled = () => boolean;

/** The functions that a thread offers, each of one argument. */
export type Calls<C> = { [K in keyof C]: (argument: never, isCanceled: IsCanceled) => unknown };

/** What the caller of a function gets. */
export type AnswerOf<F extends (argument: never, isCanceled: IsCanceled) => unknown> = Awaited<ReturnType<F>>;

const moved = new WeakMap<object, readonly Transferable[]>();

/** Marks memory of an answer that is moved to the caller instead of being copied. */
export function moving<T extends object>(answer: T, transfer: readonly Transferable[]): T {
  moved.set(answer, transfer);
  return answer;
}

/** The messages to a thread and from it. */
export interface CallMessage {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
  /** Its number becomes 1 when nobody waits for the answer any more. */
  readonly canceled?: Int32Array<SharedArrayBuffer> | undefined;
}
export interface AnswerMessage {
  readonly id: number;
  readonly answer?: unknown;
  readonly failure?: { readonly code: string; readonly stack: string };
  /** Bytes that the thread holds outside of its heap. */
  readonly heldBytes: number;
}
/** The first message of a thread, sent once its module is loaded. */
export const ready = 'ready';

/** Makes this thread answer the calls of a `Thread`. Functions that return promises run at the same time, all others in turn. */
export function answerCalls<C extends Calls<C>>(calls: C): void {
  parentPort?.on('message', ({ id, name, argument, canceled }: CallMessage) => {
    const fail = (error: unknown): void => send({ id, failure: failureOf(error) });
    const isCanceled = (): boolean => canceled !== undefined && Atomics.load(canceled, 0) > 0;
    try {
      // Messages have no types; those of `Thread.call` are the types of the functions.
      const call = calls[name as keyof C] as unknown as (argument: unknown, isCanceled: IsCanceled) => unknown;
      const answer = call.call(calls, argument, isCanceled);
      if (answer instanceof Promise) answer.then((value: unknown) => send({ id, answer: value })).catch(fail);
      else send({ id, answer });
    } catch (error) {
      fail(error);
    }
  });
  parentPort?.postMessage(ready);
}

function send(message: Omit<AnswerMessage, 'heldBytes'>): void {
  const { answer } = message;
  const heldBytes = getHeapStatistics().external_memory;
  const transfer = typeof answer === 'object' && answer !== null ? moved.get(answer) : undefined;
  parentPort?.postMessage({ ...message, heldBytes } satisfies AnswerMessage, transfer);
}

/** An error loses its class and its code on the way out of a thread. */
function failureOf(error: unknown): Required<AnswerMessage>['failure'] {
  if (!(error instanceof Error)) return { code: 'unknown', stack: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return { code, stack: error.stack ?? error.message };
}

/** The calls of a thread of a `WorkerPool`. */
export interface PoolCalls<Q, A> {
  answer(request: Q, isCanceled: IsCanceled): Promise<A>;
}

/** Makes this thread one of a `WorkerPool`: requests are answered one after the other. What `answer` throws ends the thread. */
export function answerRequests<Q, A>(answer: PoolCalls<Q, A>['answer']): void {
  let last: Promise<unknown> = Promise.resolve();
  answerCalls<PoolCalls<Q, A>>({
    answer: (request, isCanceled) => {
      const { promise, resolve } = Promise.withResolvers<A>();
      const answered = last.then(() => answer(request, isCanceled));
      // Without a handler of failures: they end the thread.
      last = answered.then(resolve);
      return promise;
    },
  });
}
