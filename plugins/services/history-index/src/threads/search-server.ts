import type { CommitColumns, Identity, MappedIdentity } from '@sextant/contracts';
import type { Workspace } from '@sextant/library-block-index';
import { CommitPredicate } from '../match/commit-predicate.ts';
import { HistorySnapshotSearch } from '../match/history-snapshot-search.ts';
import type { HistorySnapshotQuery } from '../match/history-snapshot-search.ts';
import type { HistoryPatterns } from '../request/patterns.ts';
import type { Tips } from '../request/tips.ts';
import type { FoundRecord } from '../match/results.ts';
import type { ShardSet } from '../shards/manifest.ts';
import type { FoundHunk } from '../match/hunk-collector.ts';
import type { PendingCommit } from '../loaded/history-snapshot.ts';
import { LoadedRepository } from '../loaded/loaded-repository.ts';
import type { Contributor } from '../loaded/contributor-counts.ts';
import type { TextIndexes } from '../loaded/text-indexes.ts';

/** Shards, and the identities that the mailmap of HEAD changes. */
export interface MappedShards extends ShardSet {
  readonly mailmap: readonly MappedIdentity[];
}

/** A search of one repository. */
export interface SearchJob extends Pick<HistorySnapshotQuery, 'wanted' | 'most' | 'order' | 'isWhole'> {
  readonly set: MappedShards;
  readonly tips: Tips;
  readonly finds: 'commits' | 'hunks';
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

/** Most commits whose tables are in memory, of all repositories together. One repository is in memory whole, even if it has more. */
const mostCommits = 1_000_000;

interface Parts {
  readonly workspace: Workspace;
  readonly patterns: HistoryPatterns;
  readonly texts: TextIndexes;
}

/** Answers searches from shards. It runs in a thread of its own; its methods are the calls of the thread. */
export class SearchServer {
  readonly #parts: Parts;
  /** The least recently used repository first. */
  readonly #repositories = new Map<string, LoadedRepository>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  search(job: SearchJob): SearchAnswer {
    const { workspace, patterns, texts } = this.#parts;
    const { wanted, most, order, isWhole } = job;
    const repository = this.#repository(job.set.folder);
    repository.setMailmap(job.set.mailmap);
    const snapshot = repository.snapshot(job.set.shards);
    const reach = snapshot.reach(job.tips);
    if (reach.missing.length > 0) return { kind: 'missing', hashes: reach.missing };
    const { checkpoint, isTooSlow } = deadlineOf(job);
    const predicate = new CommitPredicate(patterns, wanted);
    // The predicate's expressions are tested outside of block searches, too.
    workspace.checkpoint = checkpoint;
    try {
      const mapped = repository.mapped.bind(repository);
      const query = { snapshot, reach, wanted, predicate, most, order, isWhole, mapped, texts, checkpoint };
      return answer(job, query, isTooSlow);
    } finally {
      workspace.checkpoint = () => undefined;
      predicate.release();
    }
  }

  /** Opens the shards. Returns their authors, and of how many commits git failed to read the changes. */
  open(set: ShardSet): { readonly people: readonly Identity[]; readonly failedCommits: number } {
    const repository = this.#repository(set.folder);
    repository.snapshot(set.shards);
    return { people: repository.people(), failedCommits: repository.failedCommits };
  }

  /** Adds commits. Returns those that are in no shard, newest first. */
  outline({ set, commits }: { set: ShardSet; commits: CommitColumns }): readonly string[] {
    const repository = this.#repository(set.folder);
    const hashes = repository.addOutline(commits);
    return repository.snapshot(set.shards).notIndexed(hashes);
  }

  /** Drops all outlines, because their commits are indexed now. */
  dropOutlines(folder: string): void {
    this.#repository(folder).dropOutlines();
  }

  /** Who contributed to what `head` reaches; undefined while not all of it is indexed. */
  people({ set, head }: { set: MappedShards; head: string }): readonly Contributor[] | undefined {
    const repository = this.#repository(set.folder);
    repository.setMailmap(set.mailmap);
    return repository.contributors(set.shards, head);
  }

  /** Those of `among` that the tips do not reach. Empty while a commit that they reach is unknown. */
  unreached({ set, tips, among }: Record<'tips' | 'among', readonly string[]> & { set: ShardSet }): readonly string[] {
    return this.#repository(set.folder).snapshot(set.shards).unreached(tips, among);
  }

  /** Drops the repository: it is no longer served, or its shards are gone. */
  forget(folder: string): void {
    this.#repositories.get(folder)?.close();
    this.#repositories.delete(folder);
  }

  /** Closes the files of repositories until the rest is small enough. Outlines stay. */
  #unloadOldest(current: LoadedRepository): void {
    let commits = [...this.#repositories.values()].reduce((sum, known) => sum + known.commits, 0);
    for (const known of this.#repositories.values()) {
      if (commits <= mostCommits) return;
      if (known === current) continue;
      commits -= known.commits;
      known.close();
    }
  }

  #repository(folder: string): LoadedRepository {
    const known = this.#repositories.get(folder) ?? new LoadedRepository(folder, this.#parts.texts);
    // A map keeps the order of insertion, so this one becomes the last.
    this.#repositories.delete(folder);
    this.#repositories.set(folder, known);
    this.#unloadOldest(known);
    return known;
  }
}

/** Searches as far as the deadline lets it. */
function answer({ finds }: SearchJob, query: HistorySnapshotQuery, isTooSlow: () => boolean): SearchAnswer {
  const { snapshot, reach, predicate } = query;
  const search = new HistorySnapshotSearch(query);
  let isStopped = false;
  try {
    if (finds === 'commits') search.findCommits();
    else search.findHunks();
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error;
    if (isTooSlow()) return { kind: 'too-slow' };
    isStopped = true;
  }
  const { commits, hunks } = search;
  const pending = snapshot
    .pending(reach, predicate.needsChanges)
    .filter(({ time }) => commits.mayTake(time) && hunks.mayTake(time) && predicate.isInWindow(time));
  if (query.order === 'oldest') pending.reverse();
  const beyondLimits = predicate.needsChanges ? snapshot.beyondLimits(reach) : 0;
  return { kind: 'found', commits: commits.items, hunks: hunks.items, isStopped, pending, beyondLimits };
}

/** Thrown into a search to end it. */
class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/** `checkpoint` throws DeadlineError when the caller stops the search, or after its milliseconds: then the search is too slow. */
function deadlineOf({ stop, milliseconds = Infinity }: Pick<SearchJob, 'stop' | 'milliseconds'>) {
  const stopped = new Int32Array(stop);
  const end = performance.now() + milliseconds;
  const isTooSlow = (): boolean => Atomics.load(stopped, 0) === 0 && performance.now() > end;
  const checkpoint = (): void => {
    if (Atomics.load(stopped, 0) !== 0 || performance.now() > end) throw new DeadlineError('stopped');
  };
  return { checkpoint, isTooSlow };
}
