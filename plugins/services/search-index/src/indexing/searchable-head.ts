import { unlessAborted } from '@sextant/core';

/** Longest time, in milliseconds, that a search waits for a new commit while the one before can be searched. */
const patienceMs = 5000;

export interface SearchableHeadOptions {
  /** Resolves when a commit can be searched. */
  readonly index: (commit: string) => Promise<unknown>;
  /** Called with why a commit cannot be indexed. It is not tried again here. */
  readonly onFailure: (error: unknown) => void;
  /** Whether a commit can be searched without waiting. */
  readonly isIndexed: (commit: string) => boolean;
}

export interface CurrentHead {
  /** To be searched. */
  readonly commit: string;
  /** Why that is the commit before: the commit of HEAD could not be indexed. */
  readonly failure?: unknown;
}

/**
 * Decides which commit of the default branch is searched while HEAD moves. Only the first search of a new commit waits until it is indexed. Others
 * search the commit before, and so do all where the new one cannot be indexed.
 */
export class SearchableHead {
  readonly #options: SearchableHeadOptions;
  /** The commit of HEAD that was indexed last. */
  #current: string | undefined;
  #coming: string | undefined;
  #failed: { readonly head: string; readonly failure: unknown } | undefined;

  constructor(options: SearchableHeadOptions) {
    this.#options = options;
  }

  /** Takes note of what becomes of indexing all branches, HEAD's among them. */
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

  /** Throws why a commit of HEAD could not be indexed, until it is tried again. */
  throwIfFailed(commit: string): void {
    if (this.#failed?.head === commit) throw this.#failed.failure;
  }

  /** A commit can be searched, whatever becomes of other branches. */
  built(commit: string): void {
    if (this.#failed?.head === commit) this.#failed = undefined;
  }

  /** The commit of HEAD that was indexed last, while it can be searched without waiting. */
  get searchable(): string | undefined {
    return this.#current !== undefined && this.#options.isIndexed(this.#current) ? this.#current : undefined;
  }

  /** The commit to search where HEAD names this one. */
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

  /** The commit before, where this one could not be indexed. */
  #beforeFailed(head: string): CurrentHead | undefined {
    const before = this.searchable;
    if (before === undefined || this.#failed?.head !== head) return undefined;
    return { commit: before, failure: this.#failed.failure };
  }

  #indexed(head: string | undefined): void {
    this.#current = head;
    this.#failed = undefined;
  }

  /** The failure may be another branch's: then the commit of HEAD is indexed. */
  #fail(head: string | undefined, failure: unknown): void {
    if (head !== undefined && !this.#options.isIndexed(head)) this.#failed = { head, failure };
  }
}
