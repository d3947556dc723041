import { hashAt } from '@sextant/contracts';
import type { CommitColumns } from '@sextant/contracts';
import type { Tips } from '../request/tips.ts';
import type { CommitShardReader } from '../shards/commit-shard-reader.ts';
import type { ChangeState } from '../shards/indexed-commit.ts';
import { CommitGraph } from './commit-graph.ts';
import type { Reach } from './commit-graph.ts';

/** A shard of a snapshot. `base` is the number of its first commit in the graph. */
export interface PlacedShard {
  readonly reader: CommitShardReader;
  readonly base: number;
  /** Committer dates of its newest and its oldest commit. */
  readonly newest: number;
  readonly oldest: number;
}

/** A commit that is not in the index, or whose changes are not. */
export interface PendingCommit {
  readonly hash: string;
  readonly time: number;
}

/** The newest commit need not be the first: git sorts dates that it cannot read differently. */
const newestOf = ({ tables }: CommitShardReader): number =>
  tables.times.reduce((newest, time) => Math.max(newest, time), -Infinity);
const oldestOf = ({ tables }: CommitShardReader): number =>
  tables.times.reduce((oldest, time) => Math.min(oldest, time), Infinity);

/** The history of one repository: its shards, and outlines of commits that are not indexed yet. */
export class HistorySnapshot {
  readonly shards: readonly PlacedShard[];
  readonly #graph: CommitGraph;
  readonly #outlines: readonly CommitColumns[];
  /** Number of the first commit that is in no shard. */
  readonly #outlined: number;

  constructor(readers: readonly CommitShardReader[], outlines: readonly CommitColumns[]) {
    let base = 0;
    this.shards = readers.map((reader) => {
      base += reader.commits;
      return { reader, base: base - reader.commits, newest: newestOf(reader), oldest: oldestOf(reader) };
    });
    this.#outlined = base;
    this.#outlines = outlines;
    this.#graph = new CommitGraph([...readers.map(({ tables }) => tables), ...outlines]);
  }

  reach(tips: Tips): Reach {
    return this.#graph.reach(tips);
  }

  /** The hashes that are in no shard. */
  notIndexed(hashes: readonly string[]): string[] {
    return hashes.filter((hash) => (this.#graph.numberOf(hash) ?? Infinity) >= this.#outlined);
  }

  /** Those of `among` that the tips do not reach. Empty while a commit that they reach is unknown. */
  unreached(tips: readonly string[], among: readonly string[]): string[] {
    const { marks, missing } = this.#graph.reach({ include: tips, exclude: [] });
    return missing.length > 0 ? [] : among.filter((hash) => marks[this.#graph.numberOf(hash) ?? -1] === 0);
  }

  /** Reached commits that git must answer for, newest first. */
  pending({ marks }: Reach, needsChanges: boolean): PendingCommit[] {
    const found = [
      ...this.#outlinedCommits(marks, needsChanges),
      ...(needsChanges ? this.#withChanges(marks, ['too-large', 'failed']) : []),
    ];
    return found.toSorted((a, b) => b.time - a.time);
  }

  /** How many reached commits have changes that git cannot compare. */
  beyondLimits({ marks }: Reach): number {
    return [...this.#withChanges(marks, ['beyond-limits'])].length;
  }

  *#outlinedCommits(marks: Uint8Array, isWithoutMerges: boolean): Generator<PendingCommit> {
    let number = this.#outlined;
    for (const outline of this.#outlines) {
      const { times, parentStarts } = outline;
      for (let i = 0; i < times.length; i++) {
        const isMerge = (parentStarts[i + 1] ?? 0) - (parentStarts[i] ?? 0) > 1;
        if (marks[number++] !== 1 || (isMerge && isWithoutMerges)) continue;
        yield { hash: hashAt(outline, i), time: times[i] ?? 0 };
      }
    }
  }

  *#withChanges(marks: Uint8Array, states: readonly ChangeState[]): Generator<PendingCommit> {
    for (const { reader, base } of this.shards)
      for (let commit = 0; commit < reader.commits; commit++)
        if (marks[base + commit] === 1 && states.includes(reader.changesOf(commit)))
          yield { hash: reader.hash(commit), time: reader.tables.times[commit] ?? 0 };
  }
}
