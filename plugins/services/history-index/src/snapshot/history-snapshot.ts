import type { Tips } from '../git/tips.ts';
import type { CommitShardReader } from '../shards/commit-shard-reader.ts';
import { CommitGraph } from './commit-graph.ts';
import type { Reach } from './commit-graph.ts';
import type { GraphPart } from './outline.ts';

/** A shard with the numbers that its commits have in the graph. */
export interface PlacedShard {
  readonly reader: CommitShardReader;
  readonly base: number;
  /** Committer date of its newest commit. */
  readonly newest: number;
}

/** A commit that is not to be found in the index, or not its changes. */
export interface PendingCommit {
  readonly hash: string;
  readonly time: number;
}

/** Dates that nobody can read make git's order another one. */
const newestOf = ({ tables }: CommitShardReader): number =>
  tables.times.reduce((newest, time) => Math.max(newest, time), -Infinity);

/** Some shards of a repository as one, with commits that are known and not indexed yet. */
export class HistorySnapshot {
  /** The one with the newest commit first. */
  readonly shards: readonly PlacedShard[];
  readonly #graph: CommitGraph;
  readonly #outlines: readonly GraphPart[];
  /** The number of the first commit that no shard has. */
  readonly #outlined: number;

  constructor(readers: readonly CommitShardReader[], outlines: readonly GraphPart[]) {
    let base = 0;
    const placed = readers.map((reader) => {
      base += reader.commits;
      return { reader, base: base - reader.commits, newest: newestOf(reader) };
    });
    this.shards = placed.toSorted((a, b) => b.newest - a.newest);
    this.#outlined = base;
    this.#outlines = outlines;
    this.#graph = new CommitGraph([...readers.map(({ tables }) => tables), ...outlines]);
  }

  get indexedCommits(): number {
    return this.#outlined;
  }

  reach(tips: Tips): Reach {
    return this.#graph.reach(tips);
  }

  /** Hashes that no shard has. */
  notIndexed(hashes: readonly string[]): string[] {
    return hashes.filter((hash) => (this.#graph.numberOf(hash) ?? Infinity) >= this.#outlined);
  }

  /** Which of some commits the tips do not reach; none while not all that they reach is known. */
  unreached(tips: readonly string[], among: readonly string[]): string[] {
    const { marks, missing } = this.#graph.reach({ include: tips, exclude: [] });
    return missing.length > 0 ? [] : among.filter((hash) => marks[this.#graph.numberOf(hash) ?? -1] === 0);
  }

  /** What is reached and only git can answer for, newest first. */
  pending({ marks }: Reach, needsChanges: boolean): PendingCommit[] {
    const found = [...this.#outlinedCommits(marks, needsChanges), ...(needsChanges ? this.#unread(marks) : [])];
    return found.toSorted((a, b) => b.time - a.time);
  }

  /** How many of the reached commits nobody can answer for, when it comes to their changes. */
  beyondLimits({ marks }: Reach): number {
    let count = 0;
    for (const { reader, base } of this.shards)
      for (let commit = 0; commit < reader.commits; commit++)
        if (reader.tables.isUnread[commit] === 2 && marks[base + commit] === 1) count += 1;
    return count;
  }

  *#outlinedCommits(marks: Uint8Array, isWithoutMerges: boolean): Generator<PendingCommit> {
    let number = this.#outlined;
    for (const { hashes, hashBytes, times, parentStarts } of this.#outlines)
      for (let i = 0; i < times.length; i++) {
        const isMerge = (parentStarts[i + 1] ?? 0) - (parentStarts[i] ?? 0) > 1;
        if (marks[number++] !== 1 || (isMerge && isWithoutMerges)) continue;
        const hash = Buffer.from(hashes.subarray(i * hashBytes, (i + 1) * hashBytes)).toString('hex');
        yield { hash, time: times[i] ?? 0 };
      }
  }

  *#unread(marks: Uint8Array): Generator<PendingCommit> {
    for (const { reader, base } of this.shards)
      for (let commit = 0; commit < reader.commits; commit++)
        if (reader.tables.isUnread[commit] === 1 && marks[base + commit] === 1)
          yield { hash: reader.hash(commit), time: reader.tables.times[commit] ?? 0 };
  }
}
