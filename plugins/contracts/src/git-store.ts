import { token } from '@sextant/core';
import type { SextantError } from '@sextant/core';

/**
 * Every served repository, without a caller: for services that build an index and check each answer against
 * `Repositories` themselves. A plugin whose tool, report, page or authenticator needs it is refused.
 */
export interface GitStore {
  /** Those that can be read now, in the order of their names (by code unit). */
  list(): StoredRepository[];
  /** Of all that are configured, also those that cannot be read now. */
  names(): string[];
  /** Undefined for one that is not served or not cloned yet. */
  find(name: string): StoredRepository | undefined;
  /** Why `find` has none of a name, for callers who may know of it; `retryAfterSeconds` only where it comes by itself soon. */
  whyAbsent(name: string): SextantError;
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
   * Runs a git command that reads, in the closed environment of all git commands here, and gives its output in pieces.
   * Leaving the loop, or the signal, ends it. Throws `unavailable` when git fails or the repository has gone, `too_large`
   * where it prints more than it may, `timeout` where it takes too long or is silent for too long. It lists no trees: see `tree`.
   */
  stream(command: StoreCommand): AsyncIterable<Uint8Array>;
  /**
   * Every file, link and submodule of a commit, given by its full hash, in the order of git: pieces of whole records of
   * `git ls-tree -r -z`, which `treeEntries` parses. A few objects can make any number of paths: entries, bytes, the length of a
   * path and the time have limits (settings of the git service). Throws `too_large` over one of them, `timeout` and `unavailable`.
   */
  tree(commit: string, options: TreeOptions): AsyncIterable<Buffer>;
  /**
   * What differs between the trees of two commits, in the same limits: pieces of whole records of
   * `git diff-tree -r -z --raw --no-renames`, which `changedEntries` parses.
   */
  changes(from: string, to: string, options: StoreRun): AsyncIterable<Buffer>;
  /**
   * An object by its full hash, with its content where that has at most so many bytes; undefined where git has none. A process of git that
   * is there is asked: for some objects, where starting one takes longer than they do.
   */
  object(id: string, options: { maxBytes: number; signal: AbortSignal }): Promise<StoredObject | undefined>;
  /** Full hash of the commit that HEAD names; undefined in an empty repository. */
  head(signal: AbortSignal): Promise<string | undefined>;
  /** Full hash of the commit of a revision. Throws `not_found` and, for what cannot be one, `invalid_argument`. */
  resolve(revision: string, signal: AbortSignal): Promise<string>;
  /** Every ref that leads to a commit, whatever it is called. While no ref has changed it may be the same list as before. */
  refs(signal: AbortSignal): Promise<readonly StoredRef[]>;
}

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
  /** Whether records tell the sizes of blobs: git looks at each of them for that. */
  wantsSizes?: boolean;
}

export interface StoreCommand extends StoreRun {
  /** The command and its arguments: `['rev-list', '--max-count=10', '--end-of-options', commit]`. */
  args: readonly string[];
  /** What is written to its standard input; read as the command takes it. */
  input?: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Exit codes that are answers; 0 unless said. */
  exits?: readonly number[];
  /** Longest time in seconds; the operator's limit for answering a call unless said. */
  seconds?: number;
  /** Most bytes that it may print; the operator's `outputBytes` unless said. Say `Infinity` only where no piece is kept. */
  maxBytes?: number;
}

export const GitStore = token<GitStore>('git-store', { isForServices: true });
