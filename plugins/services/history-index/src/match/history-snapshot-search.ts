import type { CommitRecord, HistoryOrder, Identity } from '@sextant/contracts';
import { BitSet, search } from '@sextant/library-block-index';
import type { Clause, Wanted } from '../request/wanted.ts';
import type { CommitShardReader } from '../shards/commit-shard-reader.ts';
import { replay } from '../shards/indexed-commit.ts';
import { commitFiles } from './results.ts';
import type { FoundRecord } from './results.ts';
import { HunkCollector } from './hunk-collector.ts';
import type { FoundHunk } from './hunk-collector.ts';
import type { Reach } from '../loaded/commit-graph.ts';
import type { HistorySnapshot, PlacedShard } from '../loaded/history-snapshot.ts';
import type { TextIndexes, TextPart } from '../loaded/text-indexes.ts';
import type { CommitPredicate } from './commit-predicate.ts';

export interface HistorySnapshotQuery {
  readonly snapshot: HistorySnapshot;
  readonly reach: Reach;
  readonly wanted: Wanted;
  /** The same as `wanted`, ready to be tested. */
  readonly predicate: CommitPredicate;
  /** Most results. */
  readonly most: number;
  readonly order: HistoryOrder;
  /** Whether long hunks are given whole. */
  readonly isWhole: boolean;
  readonly mapped: (identity: Identity) => Identity;
  readonly texts: TextIndexes;
  /** Throws to end the search. */
  readonly checkpoint: () => void;
}

/** Searches the shards one after the other, in the order of the search, until no other shard can have anything that comes before. */
export class HistorySnapshotSearch {
  readonly commits: First<FoundRecord>;
  readonly hunks: First<FoundHunk>;
  readonly #query: HistorySnapshotQuery;

  constructor(query: HistorySnapshotQuery) {
    this.#query = query;
    this.commits = new First(query);
    this.hunks = new First(query);
  }

  /** Fills `commits` with the first accepted commits, as far as the checkpoint lets it. */
  findCommits(): void {
    this.#eachShard(this.commits, ({ reader }, matches) => {
      const found: FoundRecord[] = [];
      try {
        for (const { commit } of matches) {
          const files = reader.changesOf(commit) === 'stored' ? commitFiles(reader.paths(commit)) : undefined;
          if (found.push({ record: this.#record(reader, commit), files }) === this.#query.most) break;
        }
      } finally {
        this.commits.add(found);
      }
    });
  }

  /** Fills `hunks` with the hunks of the first accepted commits, as far as the checkpoint lets it. */
  findHunks(): void {
    const { predicate, wanted, most, isWhole } = this.#query;
    this.#eachShard(this.hunks, ({ reader }, matches) => {
      const collector = new HunkCollector({ predicate, sides: wanted.sides, most, isWhole });
      try {
        for (const { commit, paths } of matches) {
          const numbers = reader.pathNumbers(commit);
          collector.commit(this.#record(reader, commit));
          const isWanted = (path: number): boolean => paths?.has(numbers[path] ?? -1) ?? true;
          replay(reader.patch(commit), { paths: reader.paths(commit), isWanted }, collector);
          if (collector.isDone) break;
        }
      } finally {
        collector.end();
        this.hunks.add(collector.found);
      }
    });
  }

  #eachShard(
    into: { mayTake(time: number): boolean },
    visit: (shard: PlacedShard, matches: Generator<MatchingCommit>) => void,
  ): void {
    const { snapshot, reach, order } = this.#query;
    const isOldest = order === 'oldest';
    const shards = snapshot.shards.toSorted((a, b) => (isOldest ? a.oldest - b.oldest : b.newest - a.newest));
    for (const shard of shards) {
      if (!into.mayTake(isOldest ? shard.oldest : shard.newest)) return;
      const reached = reach.marks.subarray(shard.base, shard.base + shard.reader.commits);
      visit(shard, new CommitShardSearch(shard.reader, this.#query).inOrder(reached));
    }
  }

  #record(reader: CommitShardReader, commit: number): CommitRecord {
    const record = reader.record(commit);
    return { ...record, mapped: this.#query.mapped(record.author) };
  }
}

/** The first of the added items, in the order of the search. */
class First<T extends { readonly record: CommitRecord }> {
  readonly #most: number;
  readonly #sign: 1 | -1;
  #items: T[] = [];

  constructor({ most, order }: Pick<HistorySnapshotQuery, 'most' | 'order'>) {
    this.#most = most;
    this.#sign = order === 'oldest' ? 1 : -1;
  }

  /** Items of the same second are in the order in which they were added. */
  get items(): readonly T[] {
    return this.#items;
  }

  /** Whether a commit of this time can still be among the first. */
  mayTake(time: number): boolean {
    const last = this.#items[this.#most - 1];
    return last === undefined || this.#sign * (time - last.record.time) <= 0;
  }

  add(items: readonly T[]): void {
    this.#items = [...this.#items, ...items]
      .toSorted((a, b) => this.#sign * (a.record.time - b.record.time))
      .slice(0, this.#most);
  }
}

/** Commits of a shard that are searched first where the oldest are wanted; then twice as many, and so on. */
const firstRange = 2048;

/** A commit of a shard, by its number. */
interface MatchingCommit {
  readonly commit: number;
  /** Numbers of the paths that have a matching line; undefined where the query is not about lines. */
  readonly paths?: ReadonlySet<number>;
}

/** Finds the commits of one shard. First it decides what is allowed, then it asks the block indexes for matches in that. */
class CommitShardSearch {
  readonly #reader: CommitShardReader;
  readonly #query: HistorySnapshotQuery;

  constructor(reader: CommitShardReader, query: HistorySnapshotQuery) {
    this.#reader = reader;
    this.#query = query;
  }

  /** The accepted commits of `reached`, in the order of the search. Where the query is about changes, theirs can be read. */
  *inOrder(reached: Uint8Array): Generator<MatchingCommit> {
    const { commits } = this.#reader;
    if (this.#query.order === 'newest') return yield* this.#commits(reached, [0, commits]);
    for (let [end, size] = [commits, firstRange]; end > 0; end -= size / 2) {
      yield* [...this.#commits(reached, [Math.max(0, end - size), end])].toReversed();
      size *= 2;
    }
  }

  /** Those of a range of commits, newest first. */
  *#commits(reached: Uint8Array, range: readonly [from: number, to: number]): Generator<MatchingCommit> {
    const { messages, content } = this.#query.wanted;
    let allowed = this.#allowed(reached, range);
    for (const clause of messages) allowed = this.#withMessage(clause, allowed);
    if (content) yield* this.#withContent(content, allowed);
    else yield* this.#withPath(allowed);
  }

  /** The reached commits with an accepted date and author, whose changes can be read where they matter. */
  #allowed(reached: Uint8Array, [from, to]: readonly [from: number, to: number]): BitSet {
    const { predicate } = this.#query;
    const { tables } = this.#reader;
    const people = this.#acceptedPeople();
    const allowed = new BitSet(this.#reader.commits);
    for (let commit = from; commit < to; commit++) {
      if (reached[commit] !== 1 || !predicate.isInWindow(tables.times[commit] ?? 0)) continue;
      if (people && !people.has(tables.authors[commit] ?? 0)) continue;
      if (predicate.needsChanges && (this.#reader.changesOf(commit) !== 'stored' || this.#reader.isMerge(commit)))
        continue;
      allowed.add(commit);
    }
    return allowed;
  }

  #acceptedPeople(): BitSet | undefined {
    const { predicate, mapped } = this.#query;
    if (!predicate.looksAtAuthors) return undefined;
    const { people } = this.#reader.tables;
    const accepted = new BitSet(people.length);
    people.forEach((identity, number) => {
      if (predicate.acceptsAuthor([identity, mapped(identity)])) accepted.add(number);
    });
    return accepted;
  }

  #withMessage(clause: Clause, allowed: BitSet): BitSet {
    const found = new BitSet(this.#reader.commits);
    for (const commit of this.#documents('messages', clause, allowed)) found.add(commit);
    return clause.isNegated ? allowed.without(found) : found;
  }

  *#withPath(allowed: BitSet): Generator<MatchingCommit> {
    const { predicate } = this.#query;
    const paths = this.#acceptedPaths();
    for (let commit = 0; commit < this.#reader.commits; commit++)
      if (allowed.has(commit) && (!predicate.needsChanges || this.#reader.pathNumbers(commit).some(paths)))
        yield { commit };
  }

  *#withContent(content: Clause, allowed: BitSet): Generator<MatchingCommit> {
    const { sides } = this.#query.wanted;
    const { textCommit, textFile } = this.#reader.tables;
    const isPathAccepted = this.#acceptedPaths();
    const isSideWanted = [sides.includes('removed'), sides.includes('added')];
    const texts = new BitSet(textCommit.length);
    for (let text = 0; text < textCommit.length; text++) {
      const file = textFile[text] ?? 0;
      if (allowed.has(textCommit[text] ?? 0) && isSideWanted[file & 1] && isPathAccepted(file >>> 1)) texts.add(text);
    }
    let found: { commit: number; paths: Set<number> } | undefined;
    for (const text of this.#documents('lines', content, texts)) {
      const commit = textCommit[text] ?? 0;
      if (found && found.commit !== commit) yield found;
      if (found?.commit !== commit) found = { commit, paths: new Set() };
      found.paths.add((textFile[text] ?? 0) >>> 1);
    }
    if (found) yield found;
  }

  /** Whether a path, by its number, is accepted. */
  #acceptedPaths(): (path: number) => boolean {
    const { predicate, wanted } = this.#query;
    if (wanted.paths.length === 0) return () => true;
    const { paths } = this.#reader.tables;
    const accepted = new BitSet(paths.length);
    paths.forEach((path, number) => {
      if (predicate.acceptsPath(path)) accepted.add(number);
    });
    return (path) => accepted.has(path);
  }

  /** Numbers of the allowed documents that have a match, ascending. */
  *#documents(part: TextPart, { regex, foldCase }: Clause, allowed: BitSet): Generator<number> {
    if (allowed.isEmpty) return;
    const { texts, checkpoint } = this.#query;
    const place = texts.open(this.#reader, part);
    let last = -1;
    for (const matches of search(place, { regex, foldCase }, { documents: allowed.bytes, checkpoint }))
      for (const document of matches.documents()) {
        if (document > last) yield document;
        last = document;
      }
  }
}
