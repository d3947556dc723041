import { SextantError, unlessAborted } from '@sextant/core';
import type { Call } from '@sextant/core';
import type { ReplyValue, SentError, SentService } from '../messages.ts';

/** How a message leaves this process. */
export type Send = (message: object) => void;

/** Marks the call that a tool was given, also where it was copied. The server decides which caller it has. */
export const callMark = Symbol('call');

/** A signal or a function that stays in this process, as the server is told of it. */
export type Marked = { $signal: number; aborted: boolean } | { $function: number };

/** What a call asks of the services of the server: numbered, and answered in any order. */
export class Questions {
  readonly #send: Send;
  readonly #open = new Map<number, { resolve: (value: ReplyValue) => void; reject: (error: Error) => void }>();
  #last = 0;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Rejects when the signal aborts: the server answers nothing more when a call has ended. */
  async ask(message: object, signal: AbortSignal): Promise<ReplyValue> {
    this.#last += 1;
    const id = this.#last;
    const answered = new Promise<ReplyValue>((resolve, reject) => this.#open.set(id, { resolve, reject }));
    this.#send({ ...message, id });
    return unlessAborted(answered, signal).finally(() => this.#open.delete(id));
  }

  answer(id: number, value: ReplyValue): void {
    this.#open.get(id)?.resolve(value);
  }

  fail(id: number, { code, message, retryAfterSeconds }: SentError): void {
    const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    this.#open.get(id)?.reject(new SextantError(code, message, details));
  }
}

interface RemoteCallOptions {
  call: number;
  /** The object that the tool is given as its caller. */
  caller: unknown;
  signal: AbortSignal;
  questions: Questions;
  send: Send;
  /** Told where a tool names another caller. */
  onClaim(): void;
}

/** One call as its services see it: what it may ask, and what of it the server may call back. */
export class RemoteCall {
  readonly functions = new Map<number, Callback>();
  readonly #options: RemoteCallOptions;
  #marks = 0;

  constructor(options: RemoteCallOptions) {
    this.#options = options;
  }

  /** Asks a method of a service of the server. */
  ask(
    service: string,
    method: string,
    { by, args }: { by: 'caller' | 'call'; args: readonly unknown[] },
  ): Promise<unknown> {
    if (by === 'caller' && args[0] !== this.#options.caller) this.#options.onClaim();
    // Whose call it is, the server knows.
    const own =
      by === 'caller' ? args.slice(1) : args.map((arg) => (isCall(arg) ? { $call: this.#marked(arg.signal) } : arg));
    return this.#ask({ type: 'ask', service, method, args: own.map((arg) => this.#sendable(arg)) });
  }

  async #ask(question: object): Promise<unknown> {
    const { call, questions, signal } = this.#options;
    const answer = await questions.ask({ ...question, call }, signal);
    if (answer.kind === 'value') return answer.value;
    const { ref, methods, data } = answer;
    const made = methods.map((method) => [
      method,
      (...args: unknown[]) =>
        this.#ask({ type: 'askObject', ref, method, args: args.map((arg) => this.#sendable(arg)) }),
    ]);
    return Object.freeze({ ...data, ...Object.fromEntries(made) });
  }

  /** Signals and functions stand as arguments, or directly in one. */
  #sendable(value: unknown): unknown {
    if (isMarked(value)) return this.#marked(value);
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, isMarked(item) ? this.#marked(item) : item]),
    );
  }

  #marked(value: AbortSignal | Callback): Marked {
    if (value === this.#options.signal) return { $signal: 0, aborted: value.aborted };
    this.#marks += 1;
    const mark = this.#marks;
    if (value instanceof AbortSignal) {
      const tell = (): void => this.#options.send({ type: 'aborted', call: this.#options.call, signal: mark });
      if (!value.aborted) value.addEventListener('abort', tell, { once: true });
      return { $signal: mark, aborted: value.aborted };
    }
    this.functions.set(mark, value);
    return { $function: mark };
  }
}

/**
 * A service of the server. `callOf` finds the call in which a method is asked, by the caller or the call that it is given.
 */
export function remoteService(
  name: string,
  { methods, data }: SentService,
  callOf: (first: unknown) => RemoteCall,
): object {
  const made = Object.entries(methods).flatMap(([method, how]) => {
    if (how === 'data') return [];
    const by = typeof how === 'string' ? how : how.by;
    const ask = async (...args: unknown[]): Promise<unknown> => {
      const named = by === 'caller' ? args[0] : args.find(isCall);
      return callOf(named).ask(name, method, { by, args });
    };
    return [[method, ask] as const];
  });
  return Object.freeze({ ...data, ...Object.fromEntries(made) });
}

export const isCall = (value: unknown): value is Call & { readonly [callMark]: number } =>
  typeof value === 'object' && value !== null && callMark in value;

type Callback = (...args: unknown[]) => unknown;

const isMarked = (value: unknown): value is AbortSignal | Callback =>
  value instanceof AbortSignal || typeof value === 'function';
