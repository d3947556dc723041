import { hashAt } from '@sextant/contracts';
import type { CommitColumns, Identity, MappedIdentity } from '@sextant/contracts';
import { CommitShardFiles } from '../shards/commit-shard-files.ts';
import { CommitShardReader } from '../shards/commit-shard-reader.ts';
import { changeStates } from '../shards/indexed-commit.ts';
import { ContributorCounts, keyOf } from './contributor-counts.ts';
import type { Contributor } from './contributor-counts.ts';
import { HistorySnapshot } from './history-snapshot.ts';
import type { TextIndexes } from './text-indexes.ts';

/** Most commits of older outlines that are kept besides the newest outline. */
const mostOutlined = 500_000;

/** A repository as a search thread has it in memory: open shards, the mailmap and outlines of commits in no shard. */
export class LoadedRepository {
  readonly #folder: string;
  readonly #texts: TextIndexes;
  readonly #readers = new Map<string, CommitShardReader>();
  #mailmap = new Map<string, Identity>();
  #outlines: readonly CommitColumns[] = [];
  #current: { readonly shards: string; readonly snapshot: HistorySnapshot } | undefined;

  constructor(folder: string, texts: TextIndexes) {
    this.#folder = folder;
    this.#texts = texts;
  }

  /** Throws DamagedTablesError, and the error of the file system where a shard is gone. */
  snapshot(shards: readonly string[]): HistorySnapshot {
    const key = shards.join(' ');
    if (this.#current?.shards === key) return this.#current.snapshot;
    for (const [name, reader] of this.#readers) if (!shards.includes(name)) this.#close(name, reader);
    const readers = shards.map((name) => this.#reader(name));
    const snapshot = new HistorySnapshot(readers, this.#outlines);
    this.#current = { shards: key, snapshot };
    return snapshot;
  }

  /** Adds commits that are in no shard. Returns their hashes, newest first. */
  addOutline(outline: CommitColumns): string[] {
    let kept = outline.times.length;
    const others = this.#outlines.filter(({ times }) => (kept += times.length) <= mostOutlined);
    this.#outlines = outline.times.length === 0 ? others : [outline, ...others];
    this.#current = undefined;
    const { times } = outline;
    // Commits of the same second stay in git's order.
    return Array.from(times.keys())
      .toSorted((a, b) => (times[b] ?? 0) - (times[a] ?? 0))
      .map((i) => hashAt(outline, i));
  }

  /** Commits whose tables are in memory. */
  get commits(): number {
    return [...this.#readers.values()].reduce((sum, { commits }) => sum + commits, 0);
  }

  dropOutlines(): void {
    this.#outlines = [];
    this.#current = undefined;
  }

  /** Commits whose changes git failed to read. */
  get failedCommits(): number {
    const failed = changeStates.indexOf('failed');
    const counts = [...this.#readers.values()].map(
      ({ tables }) => tables.isUnread.filter((state) => state === failed).length,
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  people(): Identity[] {
    const people = [...this.#readers.values()].flatMap(({ tables }) => tables.people);
    return [...new Map(people.map((person) => [keyOf(person), person])).values()];
  }

  setMailmap(mapped: readonly MappedIdentity[]): void {
    this.#mailmap = new Map(mapped.map(([written, to]) => [keyOf(written), to]));
  }

  mapped(identity: Identity): Identity {
    return this.#mailmap.get(keyOf(identity)) ?? identity;
  }

  /** Who contributed to what `head` reaches; undefined while not all of it is indexed. */
  contributors(shards: readonly string[], head: string): Contributor[] | undefined {
    const snapshot = this.snapshot(shards);
    const reach = snapshot.reach({ include: [head], exclude: [] });
    if (reach.missing.length > 0 || snapshot.pending(reach, false).length > 0) return undefined;
    const contributors = new ContributorCounts();
    for (const { reader, base } of snapshot.shards) {
      const { authors, people, times } = reader.tables;
      for (let commit = 0; commit < reader.commits; commit++) {
        if (reach.marks[base + commit] !== 1 || reader.isMerge(commit)) continue;
        const author = people[authors[commit] ?? 0] ?? { name: '', email: '' };
        contributors.add(author, times[commit] ?? -Infinity, () => this.mapped(author));
      }
    }
    return contributors.all;
  }

  /** Closes the shards. They are opened again when they are needed. */
  close(): void {
    for (const [name, reader] of this.#readers) this.#close(name, reader);
    this.#current = undefined;
  }

  #reader(name: string): CommitShardReader {
    const reader = this.#readers.get(name) ?? new CommitShardReader(new CommitShardFiles(this.#folder, name));
    this.#readers.set(name, reader);
    return reader;
  }

  #close(name: string, reader: CommitShardReader): void {
    this.#readers.delete(name);
    this.#texts.close(reader);
    reader.close();
  }
}
