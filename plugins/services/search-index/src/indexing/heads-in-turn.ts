import { unlessAborted } from '@sextant/core';

/** Longest time, in milliseconds, that a search waits for a commit that is new while there is the one before. */
const patienceMs = 5000;

export interface HeadsInTurnOptions {
  /** Resolves when a commit can be searched. */
  readonly index: (commit: string) => Promise<unknown>;
  /** Called where it cannot: HeadsInTurn does not try again. */
  readonly onFailure: (error: unknown) => void;
  /** Whether a commit can be searched at once. */
  readonly isKept: (commit: string) => boolean;
}

export interface CurrentHead {
  /** To be searched. */
  readonly commit: string;
  /** Why that is the one before: what HEAD names could not be indexed. */
  readonly failure?: unknown;
}

/**
 * Which commit is searched while HEAD moves: nobody waits for what is indexed but who asks for it first, and where that fails the one before is
 * searched until it is tried again.
 */
export class HeadsInTurn {
  readonly #options: HeadsInTurnOptions;
  /** The last one that could be searched. */
  #current: string | undefined;
  #coming: string | undefined;
  #failed: { readonly head: string; readonly failure: unknown } | undefined;

  constructor(options: HeadsInTurnOptions) {
    this.#options = options;
  }

  /** Waits for what indexes the branches, that of HEAD among them. */
  async following<T>(head: string | undefined, work: Promise<T>): Promise<T> {
    try {
      const done = await work;
      this.#indexed(head);
      return done;
    } catch (error) {
      this.#fail(head, error);
      throw error;
    }
  }

  /** Throws why a commit that HEAD names could not be indexed, until that is tried again. */
  throwIfFailed(commit: string): void {
    if (this.#failed?.head === commit) throw this.#failed.failure;
  }

  /** It can be searched, whatever becomes of other branches. */
  laid(commit: string): void {
    if (this.#failed?.head === commit) this.#failed = undefined;
  }

  /** The last one, where it can be searched at once. */
  get searchable(): string | undefined {
    return this.#current !== undefined && this.#options.isKept(this.#current) ? this.#current : undefined;
  }

  /** The commit to search; the one before while that of HEAD is indexed, or where it cannot be. */
  async current(head: string, signal: AbortSignal): Promise<CurrentHead> {
    const before = this.searchable;
    if (before === undefined || before === head) return { commit: head };
    const failed = this.#beforeFailed(head);
    if (failed) return failed;
    if (this.#coming === head) return { commit: before };
    this.#coming = head;
    const patience = Promise.withResolvers<CurrentHead>();
    const timer = setTimeout(() => patience.resolve({ commit: before }), patienceMs);
    return unlessAborted(Promise.race([this.#index(head), patience.promise]), signal).finally(() =>
      clearTimeout(timer),
    );
  }

  async #index(head: string): Promise<CurrentHead> {
    try {
      await this.#options.index(head);
      this.#indexed(head);
    } catch (error) {
      this.#fail(head, error);
      this.#options.onFailure(error);
    } finally {
      if (this.#coming === head) this.#coming = undefined;
    }
    return this.#beforeFailed(head) ?? { commit: head };
  }

  /** The one before, where this one could not be indexed. */
  #beforeFailed(head: string): CurrentHead | undefined {
    const before = this.searchable;
    if (before === undefined || this.#failed?.head !== head) return undefined;
    return { commit: before, failure: this.#failed.failure };
  }

  #indexed(head: string | undefined): void {
    this.#current = head;
    this.#failed = undefined;
  }

  /** Where only another branch could not be indexed nothing is wrong with it. */
  #fail(head: string | undefined, failure: unknown): void {
    if (head !== undefined && !this.#options.isKept(head)) this.#failed = { head, failure };
  }
}
