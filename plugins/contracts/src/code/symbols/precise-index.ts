import { token } from '@sextant/core';
import type { Caller, Permission } from '@sextant/core';
import type { SymbolRequest } from './symbols.ts';

/** Held by site administrators; others need a role that has it. */
export const scipUpload: Permission = 'SCIP#UPLOAD';

/** A line that a compiler's index names, in the revision that was asked for, or on the default branch of another repository. */
export interface PrecisePlace {
  readonly repo: string;
  readonly path: string;
  /** From 1. */
  readonly line: number;
}

export interface PreciseUses {
  /** Those in the file of the definition first, then those of its repository, then of others. */
  readonly places: readonly PrecisePlace[];
  /** Whether there are more than were looked at. */
  readonly isCut: boolean;
  /** Where the definition of these uses is. */
  readonly definitions: readonly PrecisePlace[];
  /** Which lines of a file an index covers: none if it has not seen the file, and not those that changed since. */
  linesOf(file: Omit<PrecisePlace, 'line'>): Promise<(line: number) => boolean>;
}

/** An index, of which commit it is, and below which folder its paths start. */
export interface IndexUpload {
  readonly repo: string;
  /** A revision. */
  readonly commit: string;
  /** Folder in which the indexer ran; the root unless said. */
  readonly root?: string;
  readonly content: AsyncIterable<Uint8Array>;
}

/** What was stored. */
export interface UploadedIndex {
  readonly repo: string;
  /** Full hash. */
  readonly commit: string;
  /** Name of the program that made the index, as it says. */
  readonly indexer: string;
  readonly documents: number;
  readonly occurrences: number;
}

/**
 * Indexes that compilers wrote (SCIP), for commits that they were uploaded for and, with lines carried through the
 * differences, for near ones. Looks only at what the caller may read; throws `not_found` as `Repositories` does.
 */
export interface PreciseIndex {
  /** Where a name in a file is defined; undefined where no index knows it. */
  findDefinition(
    caller: Caller,
    request: SymbolRequest,
    signal: AbortSignal,
  ): Promise<readonly PrecisePlace[] | undefined>;
  /** Uses of what a name in a file means. Undefined if no index knows it. */
  findReferences(caller: Caller, request: SymbolRequest, signal: AbortSignal): Promise<PreciseUses | undefined>;
  /**
   * Stores an index, plain or gzip, in place of one of the same commit, root and indexer; all of it or nothing. Throws `forbidden`
   * without `SCIP#UPLOAD`, `too_large`, and `invalid_argument` for what is no index, with what is wrong.
   */
  upload(caller: Caller, index: IndexUpload, signal: AbortSignal): Promise<UploadedIndex>;
}

export const PreciseIndex = token<PreciseIndex>('precise-index');
