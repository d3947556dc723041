import { SextantError } from '@sextant/core';
import type { Language } from '@sextant/contracts';
import { ThreadHandle } from './thread-handle.ts';
import type { Waiting } from './thread-handle.ts';

export interface ParseThreadsOptions {
  readonly threads: number;
  /** Milliseconds after which a thread gives a text up. */
  readonly limit: number;
  /** Milliseconds more after which the thread itself is given up: not all that it does looks at the time. */
  readonly grace?: number;
  /** Milliseconds without work after which a thread is ended. */
  readonly idle?: number;
}

/** The threads that parse, started when there is work; each text goes to the one that has least to do. */
export class ParseThreads {
  readonly #options: Required<ParseThreadsOptions>;
  readonly #threads = new Set<ThreadHandle>();
  #end: Error | undefined;

  constructor(options: ParseThreadsOptions) {
    this.#options = { grace: 10_000, idle: 60_000, ...options };
  }

  /** What a text defines and uses, packed; undefined where that takes too long or breaks the thread. Throws when the grammar cannot be loaded. */
  parse({ name, grammar, query, repairs = [] }: Language, text: string): Promise<Uint8Array | undefined> {
    const answer = Promise.withResolvers<Uint8Array | undefined>();
    const request = { grammar: { name, grammar, query, repairs }, text, limit: this.#options.limit };
    this.#give({ request, answer });
    return answer.promise;
  }

  async close(): Promise<void> {
    const error = new SextantError('unavailable', 'the server is stopping');
    this.#end = error;
    await Promise.all([...this.#threads].map((thread) => thread.close(error)));
  }

  #give(waiting: Waiting): void {
    if (this.#end) waiting.answer.reject(this.#end);
    else this.#leastBusy().give(waiting);
  }

  #leastBusy(): ThreadHandle {
    const [idle] = [...this.#threads].toSorted((a, b) => a.waiting - b.waiting);
    if (idle && (idle.waiting === 0 || this.#threads.size >= this.#options.threads)) return idle;
    const { limit, grace, idle: idleMs } = this.#options;
    const thread = new ThreadHandle({ hang: limit + grace, idle: idleMs }, (ended, left) => {
      this.#threads.delete(ended);
      for (const waiting of left) this.#give(waiting);
    });
    this.#threads.add(thread);
    return thread;
  }
}
