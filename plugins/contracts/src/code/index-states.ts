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
}

/** What is indexed of the repositories that a caller may read, for people who look at it. */
export interface IndexStates {
  /** In the order of the names (by code unit). */
  list(caller: Caller): Promise<IndexState[]>;
  /** Looks at a repository again at once, and begins to index what is new. Throws `not_found` as `Repositories.open`. */
  refresh(caller: Caller, repo: string): Promise<void>;
}

export const IndexStates = token<IndexStates>('index-states');
