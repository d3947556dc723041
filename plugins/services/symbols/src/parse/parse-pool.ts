import type { Language } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { WorkerPool } from '@sextant/library-workers';

interface ParsePoolOptions {
  /** Threads that read ahead; one more parses for callers. */
  readonly threads: number;
  /** Milliseconds after which a thread gives a text up. */
  readonly limit: number;
  /** Further milliseconds after which the thread is ended. Some of its work cannot check the time. */
  readonly grace?: number;
  /** Milliseconds without work after which a thread is ended. */
  readonly idle?: number;
}

/** For whom a text is parsed. */
export interface ParseCall {
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

/** The threads that parse, started on demand. Callers take turns and do not wait for background work. */
export class ParsePool {
  readonly #limit: number;
  readonly #pool: WorkerPool<ParseRequest, ParseAnswer>;

  constructor({ threads, limit, grace = 5000, idle = 60_000 }: ParsePoolOptions) {
    this.#limit = limit;
    const module = new URL('./parse-thread.ts', import.meta.url);
    const counts = { threads: threads + 1, forBackground: threads };
    this.#pool = new WorkerPool({ module, ...counts, hangMs: limit + grace, idleMs: idle });
  }

  /**
   * What a text defines and uses, packed. Undefined if parsing takes too long or breaks the thread. Without a call the text is parsed in
   * the background. Throws if the grammar cannot be loaded, and the reason of the signal.
   */
  async parse(
    { name, grammar, query, repairs = [] }: Language,
    text: string,
    call?: ParseCall,
  ): Promise<Uint8Array | undefined> {
    const request = { grammar: { name, grammar, query, repairs }, text, limit: this.#limit };
    const answered = await this.#pool.run(request, { owner: call?.caller.user.id, signal: call?.signal });
    if (answered && 'failure' in answered) throw new Error(answered.failure);
    return answered?.packed;
  }

  close(): Promise<void> {
    return this.#pool.close(new SextantError('unavailable', 'the server is stopping'));
  }
}

/** What a thread needs of a language. Each request brings it; the thread loads it once. */
export type Grammar = Pick<Language, 'name' | 'grammar' | 'query' | 'repairs'>;

export interface ParseRequest {
  readonly grammar: Grammar;
  readonly text: string;
  /** Milliseconds after which the text is given up. */
  readonly limit: number;
}

/** What `pack` returned. Undefined if parsing took too long. */
export type ParseAnswer = { readonly packed: Uint8Array<ArrayBuffer> | undefined } | { readonly failure: string };
