import { parentPort } from 'node:worker_threads';

/** What a thread can be asked: functions of one argument. */
export type Calls<C> = { [K in keyof C]: (argument: never) => unknown };

export interface Asked {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}

export interface Answered {
  readonly id: number;
  readonly answer?: unknown;
  readonly failure?: { readonly reason: string; readonly message: string };
}

/** Answers in this thread, one call after the other. */
export function answerCalls<C extends Calls<C>>(calls: C): void {
  parentPort?.on('message', ({ id, name, argument }: Asked) => {
    let answered: Answered;
    try {
      // The client's types are those of the calls; messages have none.
      const call = calls[name as keyof C] as unknown as (argument: unknown) => unknown;
      answered = { id, answer: call(argument) };
    } catch (error) {
      answered = { id, failure: failureOf(error) };
    }
    parentPort?.postMessage(answered);
  });
}

/** An error loses its class and its code on the way out of a thread. */
function failureOf(error: unknown): { reason: string; message: string } {
  if (!(error instanceof Error)) return { reason: 'unknown', message: String(error) };
  const reason = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return { reason, message: error.stack ?? error.message };
}
