import { readPatches, utf8Of } from '@sextant/contracts';
import type { CommitRecord, DiffSide, PatchSink, StoredRepository } from '@sextant/contracts';
import { comparing } from '../limits.ts';
import { commitFiles, FirstResults } from './results.ts';
import type { FoundRecord } from './results.ts';
import { HunkCollector, sideMarkers } from './hunk-collector.ts';
import type { FoundHunk, HunksWanted } from './hunk-collector.ts';
import { ChangeReader } from './change-reader.ts';
import type { Unread } from './change-reader.ts';
import type { CommitPredicate } from './commit-predicate.ts';
import type { TimeLimit } from './time-limit.ts';

/** Commits of the first batch. Each batch is twice as large as the one before, up to the largest. */
const firstBatch = 2048;
const largestBatch = 65_536;

/** A search by git of commits that the index cannot answer for. */
export interface GitSearch {
  readonly repository: StoredRepository;
  /** In the order of the search. */
  readonly hashes: readonly string[];
  readonly predicate: CommitPredicate;
  readonly sides: readonly DiffSide[];
  /** Most results. */
  readonly most: number;
  /** Whether long hunks are given whole. */
  readonly isWhole: boolean;
  readonly limit: TimeLimit;
}

/** Whether a search came to its end. */
export interface Completeness extends Unread {
  /** Whether time was up before the end. */
  isLate: boolean;
}

export type FoundByGit<T> = Completeness & { readonly found: readonly T[] };

/** The first accepted commits. */
export async function findCommits(search: GitSearch): Promise<FoundByGit<FoundRecord>> {
  if (search.predicate.needsChanges) {
    const collector = new ChangedCommitCollector(search);
    const completeness = await searchChanges(search, collector);
    return { ...completeness, found: await withFiles(search, collector.found) };
  }
  const collector = new CommitRecordCollector(search);
  const completeness = await inBatches(search, async (batch) => {
    if (!collector.isDone) await readRecords(search, batch, collector);
  });
  return { ...completeness, found: await withFiles(search, collector.found) };
}

/** Adds the changed paths of commits, as far as git tells them. */
async function withFiles(
  { repository, limit: { signal } }: GitSearch,
  records: readonly CommitRecord[],
): Promise<FoundRecord[]> {
  if (records.length === 0) return [];
  const commits = records.map(({ hash }) => hash);
  const files = new Map<string, string[]>();
  let paths: string[] = [];
  const sink = {
    commit: ({ hash }: CommitRecord) => void files.set(hash, (paths = [])),
    path: (path: string) => void paths.push(path),
  };
  const options = { wants: 'paths', seconds: comparing.seconds, signal } as const;
  const isWhole = await readPatches(repository.patches({ commits }, options), sink).then(
    () => true,
    () => false,
  );
  // The paths of the last one may be cut.
  if (!isWhole) files.delete([...files.keys()].at(-1) ?? '');
  return records.map((record) => {
    const known = files.get(record.hash);
    return { record, files: known && commitFiles(known) };
  });
}

/** The hunks of the first accepted commits. */
export async function findHunks(search: GitSearch): Promise<FoundByGit<FoundHunk>> {
  const collector = new HunkCollector(search);
  const completeness = await searchChanges(search, collector);
  collector.end();
  return { ...completeness, found: collector.found };
}

/** Shows the changes of commits with an accepted record to the sink, in their order. */
function searchChanges(search: GitSearch, sink: PatchSink): Promise<Completeness> {
  const { repository, predicate, limit } = search;
  const wants = predicate.content === undefined ? 'paths' : 'hunks';
  const acceptsPath = (path: string): boolean => predicate.acceptsPath(path);
  return inBatches(search, async (batch, unread) => {
    if (sink.isDone) return;
    const reader = new ChangeReader({ repository, wants, limit, sink, unread, acceptsPath });
    if (!predicate.looksAtCommits) return reader.read(batch);
    const accepted = new CommitRecordCollector({ ...search, most: Infinity });
    await readRecords(search, batch, accepted);
    const hashes = accepted.found.map(({ hash }) => hash);
    await reader.read(hashes);
  });
}

async function inBatches(
  { hashes, limit }: GitSearch,
  searchBatch: (batch: readonly string[], unread: Unread) => Promise<void>,
): Promise<Completeness> {
  const completeness: Completeness = { isLate: false, unreadable: 0, notCompared: [] };
  try {
    for (let [from, size] = [0, firstBatch]; from < hashes.length; size = Math.min(2 * size, largestBatch)) {
      await searchBatch(hashes.slice(from, from + size), completeness);
      from += size;
    }
  } catch (error) {
    if (!limit.isOver) throw error;
    completeness.isLate = true;
  }
  return completeness;
}

function readRecords({ repository, limit }: GitSearch, commits: readonly string[], sink: PatchSink): Promise<void> {
  return readPatches(repository.patches({ commits }, { wants: 'commits', signal: limit.signal }), sink);
}

/** Collects commits whose record is accepted. Their changes are not looked at. */
class CommitRecordCollector extends FirstResults<CommitRecord> implements PatchSink {
  readonly #predicate: CommitPredicate;

  constructor({ predicate, most }: Pick<HunksWanted, 'predicate' | 'most'>) {
    super(most);
    this.#predicate = predicate;
  }

  commit(record: CommitRecord): void {
    if (!this.isDone && this.#predicate.accepts(record)) this.found.push(record);
  }
}

/** Collects commits that change an accepted path or, where the query is about lines, an accepted line in such a path. */
class ChangedCommitCollector extends FirstResults<CommitRecord> implements PatchSink {
  readonly #predicate: CommitPredicate;
  readonly #markers: readonly number[];
  #record: CommitRecord | undefined;
  #isPathWanted = false;

  constructor({ predicate, sides, most }: Pick<HunksWanted, 'predicate' | 'sides' | 'most'>) {
    super(most);
    this.#predicate = predicate;
    this.#markers = sides.map((side) => sideMarkers[side]);
  }

  commit(record: CommitRecord): void {
    this.#record = record;
  }

  path(path: string): void {
    if (this.#predicate.content === undefined && this.#predicate.acceptsPath(path)) this.#find();
  }

  hunk(path: string): void {
    this.#isPathWanted = this.#record !== undefined && this.#predicate.acceptsPath(path);
  }

  line(line: Buffer): void {
    if (!this.#isPathWanted || !this.#markers.includes(line[0] ?? 0)) return;
    if (this.#predicate.content?.test(utf8Of(line.subarray(1)))) this.#find();
  }

  #find(): void {
    if (this.#record && !this.isDone) this.found.push(this.#record);
    this.#record = undefined;
    this.#isPathWanted = false;
  }
}
