import { Worker } from 'node:worker_threads';
import { SextantError } from '@sextant/core';
import type { Language } from '@sextant/contracts';
import type { ParseAnswer, ParseRequest } from './protocol.ts';

export interface ParseThreadsOptions {
  readonly threads: number;
  /** Milliseconds for one file. */
  readonly limit: number;
}

/** The threads that parse, started when the first file comes; each file goes to the one that has least to do. */
export class ParseThreads {
  readonly #options: ParseThreadsOptions;
  readonly #threads: { readonly worker: Worker; readonly waiting: Set<number> }[] = [];
  readonly #answers = new Map<number, PromiseWithResolvers<Uint8Array | undefined>>();
  #last = 0;
  #end: Error | undefined;

  constructor(options: ParseThreadsOptions) {
    this.#options = options;
  }

  /** What a text defines and uses, packed; undefined where that takes too long. Throws when the grammar cannot be loaded. */
  parse({ name, grammar, query, repairs = [] }: Language, text: string): Promise<Uint8Array | undefined> {
    if (this.#end) return Promise.reject(this.#end);
    this.#last += 1;
    const id = this.#last;
    const answer = Promise.withResolvers<Uint8Array | undefined>();
    this.#answers.set(id, answer);
    const thread = this.#leastBusy();
    thread.waiting.add(id);
    const request: ParseRequest = { id, grammar: { name, grammar, query, repairs }, text, limit: this.#options.limit };
    thread.worker.postMessage(request);
    return answer.promise;
  }

  async close(): Promise<void> {
    this.#fail(new SextantError('unavailable', 'the server is stopping'));
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #leastBusy(): { worker: Worker; waiting: Set<number> } {
    const idle = this.#threads.toSorted((a, b) => a.waiting.size - b.waiting.size)[0];
    if (idle && (idle.waiting.size === 0 || this.#threads.length >= this.#options.threads)) return idle;
    const worker = new Worker(new URL('./parse-thread.ts', import.meta.url));
    const waiting = new Set<number>();
    worker.on('message', (answer: ParseAnswer) => {
      waiting.delete(answer.id);
      this.#settle(answer);
    });
    worker.once('error', (error) => this.#fail(error));
    const thread = { worker, waiting };
    this.#threads.push(thread);
    return thread;
  }

  #settle(answer: ParseAnswer): void {
    const waiting = this.#answers.get(answer.id);
    this.#answers.delete(answer.id);
    if ('packed' in answer) waiting?.resolve(answer.packed);
    else waiting?.reject(new Error(answer.failure));
  }

  #fail(error: Error): void {
    this.#end ??= error;
    for (const answer of this.#answers.values()) answer.reject(this.#end);
    this.#answers.clear();
  }
}
