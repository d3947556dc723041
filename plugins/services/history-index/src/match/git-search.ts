import { readPatches } from '@sextant/contracts';
import type { CommitRecord, PatchSink, StoredRepository } from '@sextant/contracts';
import { comparing } from '../limits.ts';
import { commitFiles, FirstResults } from './results.ts';
import type { ChangesWanted, FoundRecord } from './results.ts';
import { HunkCollector } from './hunk-collector.ts';
import type { FoundHunk } from './hunk-collector.ts';
import { ChangeReader } from './change-reader.ts';
import type { Unread } from './change-reader.ts';
import type { TimeLimit } from './time-limit.ts';

/** Commits of the first batch. Each batch is twice as large as the one before, up to the largest. */
const firstBatch = 2048;
const largestBatch = 65_536;

/** A search by git of commits that the index cannot answer for. */
export interface GitSearch extends ChangesWanted {
  readonly repository: StoredRepository;
  /** In the order of the search. */
  readonly hashes: readonly string[];
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
  const found: CommitRecord[] = [];
  const completeness = await inBatches(search, async (batch) => {
    if (found.length < search.most) await addAccepted(search, batch, found);
  });
  return { ...completeness, found: await withFiles(search, found) };
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
    const accepted: CommitRecord[] = [];
    await addAccepted({ ...search, most: Infinity }, batch, accepted);
    await reader.read(accepted.map(({ hash }) => hash));
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

/** Adds commits whose record is accepted, up to the most that are wanted. Their changes are not looked at. */
function addAccepted(
  { repository, predicate, most, limit: { signal } }: GitSearch,
  commits: readonly string[],
  found: CommitRecord[],
): Promise<void> {
  const sink = {
    get isDone(): boolean {
      return found.length >= most;
    },
    commit: (record: CommitRecord) => void (found.length < most && predicate.accepts(record) && found.push(record)),
  };
  return readPatches(repository.patches({ commits }, { wants: 'commits', signal }), sink);
}

/** Collects commits that change an accepted path or, where the query is about lines, an accepted line in such a path. */
class ChangedCommitCollector extends FirstResults<CommitRecord> implements PatchSink {
  #record: CommitRecord | undefined;
  #isPathWanted = false;

  commit(record: CommitRecord): void {
    this.#record = record;
  }

  path(path: string): void {
    const { predicate } = this.wanted;
    if (predicate.content === undefined && predicate.acceptsPath(path)) this.#find();
  }

  hunk(path: string): void {
    this.#isPathWanted = this.#record !== undefined && this.wanted.predicate.acceptsPath(path);
  }

  line(line: Buffer): void {
    const content = this.#isPathWanted ? this.contentOf(line) : undefined;
    if (content && this.wanted.predicate.content?.test(content)) this.#find();
  }

  #find(): void {
    if (this.#record && !this.isDone) this.found.push(this.#record);
    this.#record = undefined;
    this.#isPathWanted = false;
  }
}
