import { unlessAborted } from '@sextant/core';

/** Longest time, in milliseconds, that a search waits for a commit that is new while there is the one before. */
const patienceMs = 5000;

export interface HeadsInTurnOptions {
  /** Resolves when a commit can be searched. */
  readonly index: (commit: string) => Promise<unknown>;
  /** Whether a commit can be searched at once. */
  readonly isKept: (commit: string) => boolean;
}

/** Which commit is searched while HEAD moves: nobody waits for what is indexed but who asks for it first. */
export class HeadsInTurn {
  readonly #options: HeadsInTurnOptions;
  /** The last one that could be searched. */
  #current: string | undefined;
  #coming: string | undefined;

  constructor(options: HeadsInTurnOptions) {
    this.#options = options;
  }

  indexed(head: string | undefined): void {
    this.#current = head;
  }

  /** The last one, where it can be searched at once. */
  get searchable(): string | undefined {
    return this.#current !== undefined && this.#options.isKept(this.#current) ? this.#current : undefined;
  }

  /** The commit to search; the one before while that of HEAD is indexed. */
  async current(head: string, signal: AbortSignal): Promise<string> {
    const before = this.searchable;
    if (before === undefined || before === head) return head;
    if (this.#coming === head) return before;
    this.#coming = head;
    const work = this.#options.index(head).then(
      () => this.#settle(head, head),
      // Who searches it is told what is wrong with it.
      () => this.#settle(head, undefined),
    );
    const patience = Promise.withResolvers<string>();
    const timer = setTimeout(() => patience.resolve(before), patienceMs);
    return unlessAborted(Promise.race([work, patience.promise]), signal).finally(() => clearTimeout(timer));
  }

  #settle(head: string, current: string | undefined): string {
    this.#current = current;
    if (this.#coming === head) this.#coming = undefined;
    return head;
  }
}
