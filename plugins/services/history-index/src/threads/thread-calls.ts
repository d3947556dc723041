import type { CommitColumns, HistoryOrder, Identity, MappedIdentity } from '@sextant/contracts';
import type { FoundRecord } from '../shards/indexed-commit.ts';
import type { Tips } from '../request/tips.ts';
import type { Wanted } from '../request/wanted.ts';
import type { FoundHunk } from '../show/hunk-collector.ts';
import type { PendingCommit } from '../snapshot/history-snapshot.ts';
import type { Contributor } from '../snapshot/loaded-repository.ts';

/** The folder of a repository's shards, and the names of the current ones. */
export interface ShardSet {
  readonly folder: string;
  readonly shards: readonly string[];
}

/** Shards, and the identities that the mailmap of HEAD changes. */
export interface MappedShards extends ShardSet {
  readonly mailmap: readonly MappedIdentity[];
}

/** A search of one repository. */
export interface SearchJob {
  readonly set: MappedShards;
  readonly tips: Tips;
  readonly wanted: Wanted;
  readonly finds: 'commits' | 'hunks';
  /** Most results. */
  readonly most: number;
  readonly order: HistoryOrder;
  /** Whether long hunks are given whole. */
  readonly isWhole: boolean;
  /** The caller sets its first number to 1 to end the search. */
  readonly stop: SharedArrayBuffer;
  /** Longest time; undefined for no limit. */
  readonly milliseconds: number | undefined;
}

export type SearchAnswer =
  /** The thread does not know these commits, which are reached. Tell it their outline and ask again. */
  | { readonly kind: 'missing'; readonly hashes: readonly string[] }
  | { readonly kind: 'too-slow' }
  | {
      readonly kind: 'found';
      readonly commits: readonly FoundRecord[];
      readonly hunks: readonly FoundHunk[];
      /** Whether it was stopped before its end. */
      readonly isStopped: boolean;
      /** Commits that git must answer for, in the order of the search. */
      readonly pending: readonly PendingCommit[];
      /** Commits whose changes matter, and that git cannot compare. */
      readonly beyondLimits: number;
    };

/** Calls of a thread that searches. */
export interface SearchCalls {
  search(job: SearchJob): SearchAnswer;
  /** Opens the shards. Returns how many commits they have, their authors, and of how many git failed to read the changes. */
  open(set: ShardSet): {
    readonly commits: number;
    readonly people: readonly Identity[];
    readonly failedCommits: number;
  };
  /** Adds commits. Returns those that are in no shard, newest first. */
  outline(told: { readonly set: ShardSet; readonly commits: CommitColumns }): readonly string[];
  /** Drops all outlines, because their commits are indexed now. */
  dropOutlines(folder: string): void;
  /** Who contributed to what `head` reaches; undefined while not all of it is indexed. */
  people(asked: { readonly set: MappedShards; readonly head: string }): readonly Contributor[] | undefined;
  /** Those of `among` that the tips do not reach. Empty while a commit that they reach is unknown. */
  unreached(asked: {
    readonly set: ShardSet;
    readonly tips: readonly string[];
    readonly among: readonly string[];
  }): readonly string[];
  /** Drops the repository: it is no longer served, or its shards are gone. */
  forget(folder: string): void;
}

/**
 * How a git command ended. `whole`: it printed all commits. `failed`: it failed within the last one. `cut`: it was ended within the last
 * one, which is read again. `given-up`: it printed only the record of a commit that git cannot compare.
 */
export type CommandEnd = 'whole' | 'failed' | 'cut' | 'given-up';

/** Calls of the thread that makes shards. */
export interface IngestCalls {
  /** Takes output of git for a run of commits. Returns how many bytes of whole commits the thread holds for the run. */
  read(part: { readonly run: number; readonly bytes: Uint8Array }): number;
  /** Ends a command of a run. Returns how many commits it had, and how many bytes the thread holds for the run. */
  end(command: { readonly run: number; readonly ended: CommandEnd }): {
    readonly commits: number;
    readonly bytes: number;
  };
  /** Adds the held commits of the runs, in their order, to a shard. The first call begins the shard. */
  append(part: { readonly folder: string; readonly name: string; readonly runs: readonly number[] }): void;
  /** Finishes a shard. */
  finish(name: string): WrittenShard;
  /** Makes one shard of several. */
  merge(shards: { readonly set: ShardSet; readonly name: string }): WrittenShard;
  /** Drops runs and a begun shard. Finished or unknown ones are ignored. */
  drop(unwanted: { readonly runs: readonly number[]; readonly shard: string }): void;
  /** Writes shards again without the commits that the tips do not reach. Writes none while a reached commit is unknown. */
  prune(asked: { readonly set: ShardSet; readonly tips: readonly string[] }): readonly PrunedShard[];
}

export interface PrunedShard {
  /** Name of the shard that it replaces. */
  readonly instead: string;
  readonly shard: WrittenShard;
}

export interface WrittenShard {
  readonly name: string;
  readonly commits: number;
  /** Bytes of changed lines and messages. */
  readonly bytes: number;
  /** Committer date of the newest commit in seconds since 1970. */
  readonly newest: number;
}
