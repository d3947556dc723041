import { token } from '@sextant/core';
import type { Caller } from '@sextant/core';

/** How far the index of one repository is. What is not indexed is answered all the same, more slowly. */
export interface IndexState {
  readonly repo: string;
  readonly state: 'indexed' | 'indexing' | 'failed';
  /** Of the default branch, whose text is searched. */
  readonly files: number;
  /** Why it failed; for administrators. */
  readonly reason?: string;
  /** When it is tried again, RFC 3339 in UTC; beside `reason`. */
  readonly nextTry?: string;
  /** How much is indexed, from 0 to 1, while it is `indexing`. */
  readonly progress?: number;
  /** When the index was last brought up to date since the server started, RFC 3339 in UTC, and how long that took. */
  readonly updated?: { readonly at: string; readonly milliseconds: number };
}

/** What is indexed of the repositories that a caller may read, for people who look at it. */
export interface IndexStates {
  /** In the order of the names (by code unit). */
  list(caller: Caller): Promise<IndexState[]>;
  /** Looks at a repository again at once, and begins to index what is new. Throws `not_found` as `Repositories.open`. */
  refresh(caller: Caller, repo: string): Promise<void>;
}

export const IndexStates = token<IndexStates>('index-states');
