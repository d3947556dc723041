import { token } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { ResearchLocation } from '../code/research/researcher.ts';

/** A task or question about one repository, and what its answer may cost. */
export interface RepositoryTask {
  readonly repo: string;
  /** Absent: the default branch. */
  readonly revision?: string;
  /** Without the names of repositories. */
  readonly text: string;
  /** `places` of a task, which must not ask for an overview; or `definitions` that say most of a question, and places where those are few. */
  readonly wants: 'places' | 'definitions';
  /** Most searches and reads. */
  readonly maxCalls: number;
  /** Then it answers with what it has. */
  readonly maxSeconds: number;
}

/** A location with its text and the lines that say most. */
export interface FoundPlace extends Omit<ResearchLocation, 'best'> {
  readonly lines: readonly string[];
  /** Numbers of lines, the best first. */
  readonly best: readonly number[];
  /** Of a definition: what it is, and the first sentence of its documentation. Its name is `within`. */
  readonly headline?: { readonly kind: string; readonly docs?: string };
}

export interface FoundPlaces {
  /** The likeliest file first. */
  readonly places: readonly FoundPlace[];
  /** What the reader of the answer is to know of how it was found. */
  readonly notes: readonly string[];
  /** Searches and reads that were made. */
  readonly calls: number;
}

/** Research in one repository, beside its texts: searches, trees, texts, past commits and symbols. */
export interface RepositoryResearch {
  /**
   * Throws `not_found` for a repository or revision that is not there for the caller, and `invalid_argument` where places are
   * wanted of a task that asks for an overview. `onStep` is told what is done now.
   */
  find(
    caller: Caller,
    task: RepositoryTask,
    work: { readonly signal: AbortSignal; onStep(message: string): void },
  ): Promise<FoundPlaces>;
}

/** Of the repositories of this process. */
export const RepositoryResearch = token<RepositoryResearch>('repository-research', { isForServices: true });

/** Of the repositories of the code nodes, as a host asks them: one call of a node. */
export const ResearchNodes = token<RepositoryResearch>('research-nodes', { isForServices: true });
