import type { CommitRecord, Identity } from '../git/commit-record.ts';
import type { Tips } from '../git/tips.ts';
import type { Wanted } from '../request/wanted.ts';
import type { FoundHunk } from '../show/hunk-collector.ts';
import type { PendingCommit } from '../snapshot/history-snapshot.ts';

/** Where the shards of a repository are, and which of them there are now. */
export interface ShardSet {
  readonly folder: string;
  readonly shards: readonly string[];
}

/** An identity as written and as the mailmap maps it; all others stay as they are. */
export type MappedIdentity = readonly [written: Identity, mapped: Identity];

/** A search of one repository. */
export interface SearchJob {
  readonly set: ShardSet;
  readonly tips: Tips;
  readonly wanted: Wanted;
  readonly finds: 'commits' | 'hunks';
  /** Most results. */
  readonly most: number;
  /** Its first number is set to 1 to end the search. */
  readonly stop: SharedArrayBuffer;
  /** Longest time; undefined: until it is stopped. */
  readonly milliseconds: number | undefined;
}

export type SearchAnswer =
  /** Commits on the way that nobody knows here: tell their outline, and ask again. */
  | { readonly kind: 'missing'; readonly hashes: readonly string[] }
  | { readonly kind: 'too-slow' }
  | {
      readonly kind: 'found';
      readonly commits: readonly CommitRecord[];
      readonly hunks: readonly FoundHunk[];
      /** Whether it was stopped before its end. */
      readonly isStopped: boolean;
      /** Commits that git must answer for, newest first. */
      readonly pending: readonly PendingCommit[];
      /** Commits whose changes matter and are beyond what git compares. */
      readonly beyondLimits: number;
    };

/** What one identity did. */
export interface PersonCount {
  readonly author: Identity;
  readonly mapped: Identity;
  readonly commits: number;
  /** Committer date of the newest in seconds since 1970. */
  readonly latest: number;
}

/** What the threads that search are asked; all answer on their own. */
export interface SearchCalls {
  search(job: SearchJob): SearchAnswer;
  /** Opens the shards: how many commits they have, and who wrote them. */
  open(set: ShardSet): { readonly commits: number; readonly people: readonly Identity[] };
  /** Commits as rev-list prints them; says which of them no shard has, newest first. */
  outline(told: { readonly set: ShardSet; readonly printed: string }): readonly string[];
  /** All that was told is indexed now. */
  dropOutlines(folder: string): void;
  mailmap(told: { readonly folder: string; readonly mapped: readonly MappedIdentity[] }): void;
  /** Who contributed to what a commit reaches; undefined where not all of it is indexed. */
  people(asked: { readonly set: ShardSet; readonly head: string }): readonly PersonCount[] | undefined;
  /** Which of some indexed commits the tips do not reach; none while not all that they reach is known. */
  unreached(asked: {
    readonly set: ShardSet;
    readonly tips: readonly string[];
    readonly among: readonly string[];
  }): readonly string[];
  /** The repository is served no more, or all its shards are gone. */
  forget(folder: string): void;
}

/**
 * Whether git printed all commits, failed in the last of them, was ended there (then that commit is read again), or printed only the record of
 * one commit, whose changes it could not compare.
 */
export type CommandEnd = 'whole' | 'failed' | 'cut' | 'given-up';

/** What the thread that makes shards is asked. */
export interface IngestCalls {
  /** Output of git for a run of commits; says how many bytes are held of those that are whole. */
  read(part: { readonly run: number; readonly bytes: Uint8Array }): number;
  /** A command has ended; says how many commits were made of its output, and how many bytes are held of the run. */
  end(command: { readonly run: number; readonly ended: CommandEnd }): {
    readonly commits: number;
    readonly bytes: number;
  };
  /** Adds what is held of runs, in their order, to a shard, which begins with the first of them. */
  append(part: { readonly folder: string; readonly name: string; readonly runs: readonly number[] }): void;
  /** The shard has all its commits. */
  finish(name: string): WrittenShard;
  /** Makes one shard of several. */
  merge(shards: { readonly set: ShardSet; readonly name: string }): WrittenShard;
  /** Nobody wants these any more; what has been finished or never begun is passed over. */
  drop(unwanted: { readonly runs: readonly number[]; readonly shard: string }): void;
  /** Makes shards without what the tips do not reach; none while not all that they reach is known. */
  prune(asked: { readonly set: ShardSet; readonly tips: readonly string[] }): readonly PrunedShard[];
}

export interface PrunedShard {
  readonly instead: string;
  readonly shard: WrittenShard;
}

export interface WrittenShard {
  readonly name: string;
  readonly commits: number;
  /** Of changed lines and messages. */
  readonly bytes: number;
  /** Committer date of the newest commit in seconds since 1970. */
  readonly newest: number;
}
