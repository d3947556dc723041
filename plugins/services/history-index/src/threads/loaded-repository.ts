import type { Identity } from '../git/commit-record.ts';
import { CommitShardFiles } from '../shards/commit-shard-files.ts';
import { CommitShardReader } from '../shards/commit-shard-reader.ts';
import type { TextIndexes } from '../snapshot/text-indexes.ts';
import { outlineOf } from '../snapshot/outline.ts';
import type { GraphPart } from '../snapshot/outline.ts';
import { HistorySnapshot } from '../snapshot/history-snapshot.ts';
import type { MappedIdentity, PersonCount } from './thread-calls.ts';

/** Commits of outlines that are kept besides the newest one. */
const mostOutlined = 500_000;

/** What the thread knows of one repository. */
export class LoadedRepository {
  readonly #folder: string;
  readonly #texts: TextIndexes;
  readonly #readers = new Map<string, CommitShardReader>();
  #mailmap = new Map<string, Identity>();
  #outlines: readonly GraphPart[] = [];
  #current: { readonly shards: string; readonly view: HistorySnapshot } | undefined;

  constructor(folder: string, texts: TextIndexes) {
    this.#folder = folder;
    this.#texts = texts;
  }

  /** Throws what the file system says where a shard has gone, and DamagedTablesError. */
  view(shards: readonly string[]): HistorySnapshot {
    const key = shards.join(' ');
    if (this.#current?.shards === key) return this.#current.view;
    for (const [name, reader] of this.#readers) if (!shards.includes(name)) this.#close(name, reader);
    const readers = shards.map((name) => this.#reader(name));
    const view = new HistorySnapshot(readers, this.#outlines);
    this.#current = { shards: key, view };
    return view;
  }

  /** Commits as rev-list prints them; returns their hashes. */
  addOutline(printed: string): string[] {
    const outline = outlineOf(printed);
    let kept = outline.times.length;
    const others = this.#outlines.filter(({ times }) => (kept += times.length) <= mostOutlined);
    this.#outlines = outline.times.length === 0 ? others : [outline, ...others];
    this.#current = undefined;
    const { hashes, hashBytes, times } = outline;
    // Newest first, those of one second in git's order.
    return Array.from(times.keys())
      .toSorted((a, b) => (times[b] ?? 0) - (times[a] ?? 0))
      .map((i) => Buffer.from(hashes.subarray(i * hashBytes, (i + 1) * hashBytes)).toString('hex'));
  }

  /** Commits whose tables are in memory. */
  get commits(): number {
    return [...this.#readers.values()].reduce((sum, { commits }) => sum + commits, 0);
  }

  dropOutlines(): void {
    this.#outlines = [];
    this.#current = undefined;
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

  /** Undefined where not all that is reached is indexed. */
  contributors(shards: readonly string[], head: string): PersonCount[] | undefined {
    const view = this.view(shards);
    const reach = view.reach({ include: [head], exclude: [] });
    if (reach.missing.length > 0 || view.pending(reach, false).length > 0) return undefined;
    const counts = new Map<string, { author: Identity; mapped: Identity; commits: number; latest: number }>();
    for (const { reader, base } of view.shards) {
      const { authors, people, times } = reader.tables;
      for (let commit = 0; commit < reader.commits; commit++) {
        if (reach.marks[base + commit] !== 1 || reader.isMerge(commit)) continue;
        const author = people[authors[commit] ?? 0] ?? { name: '', email: '' };
        const key = keyOf(author);
        const count = counts.get(key) ?? { author, mapped: this.mapped(author), commits: 0, latest: -Infinity };
        count.commits += 1;
        count.latest = Math.max(count.latest, times[commit] ?? -Infinity);
        counts.set(key, count);
      }
    }
    return [...counts.values()];
  }

  /** What is in memory is let go of; it can be asked again. */
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

const keyOf = ({ name, email }: Identity): string => `${name}\0${email}`;
