import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import type { Transferable } from 'node:worker_threads';

/** Whether nobody waits for the answer any more; cheap enough to be asked often. */
export type IsCanceled = () => boolean;

/** Takes the milliseconds that a call had of the processor. */
export type Spend = (milliseconds: number) => void;

/** A function that a thread offers. One that returns a promise tells by `spend` what it had; of others that is known. */
type Offered = (argument: never, isCanceled: IsCanceled, spend: Spend) => unknown;

/** The functions that a thread offers, each of one argument. */
export type Calls<C> = { [K in keyof C]: Offered };

/** What the caller of a function gets. */
export type AnswerOf<F extends Offered> = Awaited<ReturnType<F>>;

/** Milliseconds that this thread had of the processor; of the clock where Node does not know (before 23.9). */
export function threadMilliseconds(): number {
  if (!('threadCpuUsage' in process)) return performance.now();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

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
  /** Milliseconds that the call had of the processor. */
  readonly spent: number;
}
/** The first message of a thread, sent once its module is loaded. */
export const ready = 'ready';

/** Makes this thread answer the calls of a `Thread`. Functions that return promises run at the same time, all others in turn. */
export function answerCalls<C extends Calls<C>>(calls: C): void {
  parentPort?.on('message', ({ id, name, argument, canceled }: CallMessage) => {
    let spent = 0;
    const begun = threadMilliseconds();
    const fail = (error: unknown): void => send({ id, failure: failureOf(error), spent });
    const isCanceled = (): boolean => canceled !== undefined && Atomics.load(canceled, 0) > 0;
    const spend: Spend = (milliseconds) => void (spent += milliseconds);
    try {
      // Messages have no types; those of `Thread.call` are the types of the functions.
      const call = calls[name as keyof C] as unknown as (...given: [unknown, IsCanceled, Spend]) => unknown;
      const answer = call.call(calls, argument, isCanceled, spend);
      if (answer instanceof Promise) answer.then((value: unknown) => send({ id, answer: value, spent })).catch(fail);
      else send({ id, answer, spent: threadMilliseconds() - begun });
    } catch (error) {
      spent = threadMilliseconds() - begun;
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
  answer(request: Q, isCanceled: IsCanceled, spend: Spend): Promise<A>;
}

/** Makes this thread one of a `WorkerPool`: requests are answered one after the other. What `answer` throws ends the thread. */
export function answerRequests<Q, A>(answer: (request: Q, isCanceled: IsCanceled) => Promise<A>): void {
  let last: Promise<unknown> = Promise.resolve();
  answerCalls<PoolCalls<Q, A>>({
    answer: (request, isCanceled, spend) => {
      const { promise, resolve } = Promise.withResolvers<A>();
      const answered = last.then(async () => {
        const begun = threadMilliseconds();
        const value = await answer(request, isCanceled);
        spend(threadMilliseconds() - begun);
        return value;
      });
      // Without a handler of failures: they end the thread.
      last = answered.then(resolve);
      return promise;
    },
  });
}
