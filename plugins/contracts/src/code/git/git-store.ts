import type { BlobBatch } from './blob-batch.ts';
import type { Identity } from './commit-record.ts';
import type { Asking } from '../repositories.ts';
import { token } from '@sextant/core';
import type { SextantError } from '@sextant/core';

/**
 * Every served repository, without a caller: for services that build an index and check each answer against
 * `Repositories` themselves. A plugin whose tool, report, page or authenticator needs it is refused.
 */
export interface GitStore {
  /** Repositories that can be read now, in the order of their names (by code unit). */
  list(): Promise<StoredRepository[]>;
  /** Names of all configured repositories, also of those that cannot be read now. */
  names(): Promise<string[]>;
  /** Undefined for one that is not served or not there as a clone. It is looked at in passing unless `asking` says otherwise. */
  find(name: string, asking?: Asking): Promise<StoredRepository | undefined>;
  /** Why `find` has none of a name, for callers who may know of it; `retryAfterSeconds` only where it comes by itself soon. */
  whyAbsent(name: string): Promise<SextantError>;
  /**
   * Calls `listener` after refs of a repository moved (a fetch, a push that was noticed), or after it came or went.
   * It may be called without need and never says what changed. Returns the function that stops it.
   */
  onChange(listener: (name: string) => void): () => void;
  /** Commands in the background do not begin until this work has settled, nor right after it. */
  putFirst(work: Promise<unknown>): void;
  /** Resolves when nothing comes first any more: before it, what reads repositories in the background asks for nothing. */
  untilQuiet(signal: AbortSignal): Promise<void>;
}

export interface StoredRepository {
  readonly name: string;
  /** Names and globs of the branches that the operator wants indexed besides the default branch. */
  readonly branches: readonly string[];
  /**
   * Every file, link and submodule of a commit, which is given by its full hash, in batches and in the order of git. A
   * few objects can make any number of paths, so entries, bytes, the length of a path and the time are limited (settings
   * of the git service). Throws `too_large` above a limit, `timeout` and `unavailable`. Leaving the loop or aborting the
   * signal ends it. The same holds for the methods below.
   */
  tree(commit: string, options: TreeOptions): AsyncIterable<readonly ListedEntry[]>;
  /** Changes between the trees of two commits, within the same limits, without renames. */
  changes(from: string, to: string, options: StoreRun): AsyncIterable<readonly ChangedEntry[]>;
  /**
   * Contents of blobs by their full hashes, in their order. Throws `unavailable` where git stops in the middle, as at a damaged object.
   * An object that is no blob counts as one that is not there.
   */
  blobs(ids: readonly string[], options: BlobOptions): AsyncIterable<BlobBatch>;
  /** Bytes of objects by their full hashes, in their order; undefined for one that is not there. */
  sizes(ids: readonly string[], signal: AbortSignal): Promise<readonly (number | undefined)[]>;
  /**
   * An object by its full hash, with its content where that has at most `maxBytes`; undefined where git has none. It is asked of a
   * process that is running already, which for a few objects is faster than to start one.
   */
  object(id: string, options: { maxBytes: number; signal: AbortSignal }): Promise<StoredObject | undefined>;
  /** Empty where HEAD names no branch. */
  defaultBranch(): string;
  /** Full hash of the commit that HEAD names; undefined in an empty repository. */
  head(signal: AbortSignal): Promise<string | undefined>;
  /** Full hash of the commit of a revision. Throws `not_found` and, for what cannot be one, `invalid_argument`. */
  resolve(revision: string, signal: AbortSignal): Promise<string>;
  /** Every ref that leads to a commit, whatever it is called. While no ref has changed it may be the same list as before. */
  refs(signal: AbortSignal): Promise<readonly StoredRef[]>;
  /**
   * The commits that some hashes reach and others do not, in git's order: newest first, as far as dates are in order. Hashes that are not
   * there are passed over. In a shallow clone the last commits lack the parents that are not there.
   */
  graph(range: CommitRange, run: StoreRun): Promise<CommitColumns>;
  /**
   * Commits, or what they changed, in pieces for `readPatches` or a `PatchParser` in another thread. Renames are removals and additions,
   * merges have no changes, and files over 16 MiB count as binary. Throws `unavailable` where git stops, as at a missing object: commits
   * before that have been given. Throws `timeout` after `seconds` or `silentSeconds`: git compares a commit as a whole before it prints it.
   */
  patches(range: PatchRange, options: PatchOptions): AsyncIterable<Uint8Array>;
  /** Those of the people whom the mailmap of HEAD maps to another name or e-mail. */
  mailmap(people: readonly Identity[], run: StoreRun): Promise<readonly MappedIdentity[]>;
  /** Where the history of a shallow clone is cut: another text after each change, empty for a history that is whole. */
  shallow(signal: AbortSignal): Promise<string>;
}

export interface CommitRange {
  /** Full hashes. */
  readonly include: readonly string[];
  /** Full hashes: these commits, and what they reach, are left out. */
  readonly exclude?: readonly string[];
  readonly withoutMerges?: boolean;
  /** Most commits; all of them unless said. */
  readonly most?: number;
}

/** Commits as columns, which are small and quick to send to a thread. */
export interface CommitColumns {
  /** Bytes of one hash. */
  readonly hashBytes: number;
  readonly hashes: Uint8Array;
  /** Committer dates in seconds since 1970. */
  readonly times: Float64Array;
  /** Commit → index of its first parent; one entry more for the end. */
  readonly parentStarts: Uint32Array;
  /** Their hashes. */
  readonly parents: Uint8Array;
}

/** The hash of the commit with this index. */
export const hashAt = ({ hashes, hashBytes }: Pick<CommitColumns, 'hashes' | 'hashBytes'>, index: number): string =>
  Buffer.from(hashes.buffer, hashes.byteOffset + index * hashBytes, hashBytes).toString('hex');

/** All hashes, in their order. */
export const hashesIn = (commits: CommitColumns): string[] =>
  Array.from(commits.times, (_, index) => hashAt(commits, index));

/** Some commits, in the order given, or the difference between two. Full hashes. */
export type PatchRange =
  /** No paths: all of them. Of commits whose records alone are wanted, paths are not asked for. */
  | { readonly commits: readonly string[]; readonly paths?: readonly string[] }
  | { readonly from: string; readonly to: string; readonly paths?: readonly string[] };

export interface PatchOptions extends StoreRun {
  /** `commits`: only their records. `paths`: their changed paths, too. `hunks`: the hunks, too. */
  readonly wants: 'commits' | 'paths' | 'hunks';
  /** Lines of context of a hunk; `patchContextLines` unless said. */
  readonly contextLines?: number;
  /** Longest time; the operator's limit for answering a call unless said. */
  readonly seconds?: number;
  /** Longest time without output; the operator's limit unless said. */
  readonly silentSeconds?: number;
}

/** An identity that the mailmap changes. */
export type MappedIdentity = readonly [written: Identity, mapped: Identity];

/** What a tree says of a path. */
export interface ListedEntry {
  /** Octal: `100644`. */
  readonly mode: string;
  readonly type: 'blob' | 'commit';
  readonly id: string;
  /** Bytes; NaN where sizes were not asked for, of a submodule, and of an object that is missing. */
  readonly size: number;
  /** Bytes that are not UTF-8 are shown as U+FFFD. */
  readonly path: string;
}

/** A path that differs between two commits, with the entry of the second and that of the first. */
export interface ChangedEntry {
  /** Of the second commit; `removedMode` where it lacks the path. */
  readonly mode: string;
  /** Of the second commit; zeros where it lacks the path. */
  readonly id: string;
  readonly path: string;
  /** Undefined where the first commit lacks the path. */
  readonly before: { readonly mode: string; readonly id: string } | undefined;
}

export const removedMode = '000000';
const submoduleMode = '160000';

/** Whether a mode is that of a file with content, not of a symbolic link, a directory or a submodule. */
export const isFileMode = (mode: string): boolean => mode.startsWith('100');

/** Whether a mode is that of a file or a link: something whose content is a blob. */
export const isBlobMode = (mode: string): boolean => mode !== submoduleMode && mode !== removedMode;

export interface StoredObject {
  readonly size: number;
  readonly content: Uint8Array | undefined;
}

export interface StoredRef {
  /** Full name: `refs/tags/v1.0`. */
  readonly name: string;
  /** Full hash of the commit that it leads to. */
  readonly commit: string;
}

/** In which order git commands run. */
export interface StoreRun {
  /** Nobody waits for it: it runs at low priority, and never takes the place of a command that somebody waits for. */
  isBackground?: boolean;
  /** Commands in the background do not begin while it runs, nor right after it. */
  comesFirst?: boolean;
  /** The same work failed before: it waits until no other command does, and never holds every slot. */
  isRetry?: boolean;
  signal: AbortSignal;
}

export interface TreeOptions extends StoreRun {
  /** Whether entries tell the sizes of blobs: git looks at each of them for that. */
  wantsSizes?: boolean;
}

export interface BlobOptions extends StoreRun {
  /** Bytes of a blob; one with more counts as missing. */
  maxBytes: number;
  /** The caller knows that none has more: sizes are not asked for first. */
  areChecked?: boolean;
}

export const GitStore = token<GitStore>('git-store', { isForServices: true });
