import { randomUUID } from 'node:crypto';
import { PatchParser } from '@sextant/contracts';
import { CommitShardFiles } from '../shards/commit-shard-files.ts';
import { CommitShardReader } from '../shards/commit-shard-reader.ts';
import { CommitShardWriter } from '../shards/commit-shard-writer.ts';
import { CommitCollector } from '../shards/indexed-commit.ts';
import type { IndexedCommit } from '../shards/indexed-commit.ts';
import type { ShardEntry, ShardSet } from '../shards/manifest.ts';
import { HistorySnapshot } from '../loaded/history-snapshot.ts';

/**
 * How a git command ended. `whole`: it printed all commits. `failed`: it failed within the last one. `cut`: it was ended within the last
 * one, which is read again. `given-up`: it printed only the record of a commit that git cannot compare.
 */
export type CommandEnd = 'whole' | 'failed' | 'cut' | 'given-up';

/** What the thread holds of a run of commits. */
interface HeldCommits {
  /** Of the command that ended. */
  readonly commits: number;
  /** Of all its commands. */
  readonly bytes: number;
}

interface PrunedShard {
  /** Name of the shard that it replaces. */
  readonly instead: string;
  readonly shard: ShardEntry;
}

/** Makes shards of git's output. It runs in a thread of its own; its methods are the calls of the thread. */
export class IngestServer {
  readonly #runs = new Map<number, Run>();
  readonly #writers = new Map<string, CommitShardWriter>();

  /** Takes output of git for a run of commits. Returns how many bytes of whole commits the thread holds for the run. */
  read({ run, bytes }: { run: number; bytes: Uint8Array }): number {
    return this.#run(run).push(bytes);
  }

  /** Ends a command of a run. */
  end({ run, ended }: { run: number; ended: CommandEnd }): HeldCommits {
    return this.#run(run).end(ended);
  }

  /** Adds the held commits of the runs, in their order, to a shard. The first call begins the shard. */
  append({ folder, name, runs }: { folder: string; name: string; runs: readonly number[] }): void {
    const writer = this.#writers.get(name) ?? new CommitShardWriter(folder, name);
    this.#writers.set(name, writer);
    for (const run of runs) {
      for (const commit of this.#runs.get(run)?.commits ?? []) writer.add(commit);
      this.#runs.delete(run);
    }
  }

  finish(name: string): ShardEntry {
    const writer = this.#writers.get(name);
    if (!writer) throw new Error('a shard is finished that was not begun');
    this.#writers.delete(name);
    return finished(writer, name);
  }

  /** Makes one shard of several. */
  merge({ set, name }: { set: ShardSet; name: string }): ShardEntry {
    return withReaders(set, (readers) => written(set.folder, name, mergedCommits(readers)));
  }

  /** Writes shards again without the commits that the tips do not reach. Writes none while a reached commit is unknown. */
  prune({ set, tips }: { set: ShardSet; tips: readonly string[] }): readonly PrunedShard[] {
    return withReaders(set, (readers) =>
      reachedCommits(readers, tips).flatMap((commits, shard) =>
        commits ? [{ instead: set.shards[shard] ?? '', shard: written(set.folder, randomUUID(), commits) }] : [],
      ),
    );
  }

  /** Drops runs and a begun shard. Finished or unknown ones are ignored. */
  drop({ runs, shard }: { runs: readonly number[]; shard: string }): void {
    for (const run of runs) this.#runs.delete(run);
    this.#writers.get(shard)?.abandon();
    this.#writers.delete(shard);
  }

  #run(number: number): Run {
    const run = this.#runs.get(number) ?? new Run();
    this.#runs.set(number, run);
    return run;
  }
}

function withReaders<T>({ folder, shards }: ShardSet, work: (readers: readonly CommitShardReader[]) => T): T {
  const readers = shards.map((shard) => new CommitShardReader(new CommitShardFiles(folder, shard)));
  try {
    return work(readers);
  } finally {
    for (const reader of readers) reader.close();
  }
}

function written(folder: string, name: string, commits: Iterable<IndexedCommit>): ShardEntry {
  return finished(new CommitShardWriter(folder, name), name, commits);
}

/** A failure, as on a full disk, leaves no file behind. */
function finished(writer: CommitShardWriter, name: string, commits: Iterable<IndexedCommit> = []): ShardEntry {
  try {
    for (const commit of commits) writer.add(commit);
    writer.finish();
  } catch (error) {
    writer.abandon();
    throw error;
  }
  return { name, commits: writer.commits, bytes: writer.bytes, newest: writer.newest };
}

/** The commits of a run that are in no shard yet. Several commands read a run where one fails or is cut. */
class Run {
  readonly commits: IndexedCommit[] = [];
  #collector: CommitCollector | undefined;
  #parser: PatchParser | undefined;
  #bytes = 0;
  #before = 0;

  push(bytes: Uint8Array): number {
    this.#collector ??= new CommitCollector((commit) => this.#take(commit));
    this.#parser ??= new PatchParser(this.#collector);
    this.#parser.push(bytes);
    return this.#bytes;
  }

  /** Ends a command. What is pushed next is the output of another one. */
  end(ended: CommandEnd): HeldCommits {
    if (ended !== 'cut') this.#parser?.end();
    if (ended === 'whole') this.#collector?.end();
    if (ended === 'failed') this.#collector?.end('failed');
    if (ended === 'given-up') this.#collector?.end('beyond-limits');
    this.#collector = undefined;
    this.#parser = undefined;
    const commits = this.commits.length - this.#before;
    this.#before = this.commits.length;
    return { commits, bytes: this.#bytes };
  }

  #take(commit: IndexedCommit): void {
    this.commits.push(commit);
    this.#bytes += bytesOf(commit);
  }
}

const bytesOf = ({ record, paths, patch }: IndexedCommit): number =>
  paths.reduce((sum, path) => sum + path.length, record.message.length + patch.length);

/** The commits of all shards, newest first. A commit that is in several shards comes once. */
function* mergedCommits(readers: readonly CommitShardReader[]): Generator<IndexedCommit> {
  const seen = new Set<string>();
  const next = readers.map(() => 0);
  for (;;) {
    const newest = newestOf(readers, next);
    const reader = readers[newest];
    if (!reader) return;
    const commit = next[newest] ?? 0;
    next[newest] = commit + 1;
    const hash = reader.hash(commit);
    if (seen.has(hash)) continue;
    seen.add(hash);
    yield reader.indexedCommit(commit);
  }
}

/** Index of the shard whose next commit is the newest; -1 when all are at their end. */
function newestOf(readers: readonly CommitShardReader[], next: readonly number[]): number {
  let best = -1;
  let time = -Infinity;
  readers.forEach(({ tables }, index) => {
    const candidate = tables.times[next[index] ?? 0];
    if (candidate === undefined || candidate <= time) return;
    time = candidate;
    best = index;
  });
  return best;
}

/** For each shard its commits that the tips reach; undefined where they reach all. Empty while a reached commit is unknown. */
function reachedCommits(
  readers: readonly CommitShardReader[],
  tips: readonly string[],
): (Iterable<IndexedCommit> | undefined)[] {
  const snapshot = new HistorySnapshot(readers, []);
  const { marks, missing } = snapshot.reach({ include: tips, exclude: [] });
  if (missing.length > 0) return [];
  return snapshot.shards.map(({ reader, base }) => {
    const reached = marks.subarray(base, base + reader.commits);
    return reached.every((mark) => mark === 1) ? undefined : commitsOf(reader, reached);
  });
}

function* commitsOf(reader: CommitShardReader, reached: Uint8Array): Generator<IndexedCommit> {
  for (let commit = 0; commit < reader.commits; commit++) if (reached[commit] === 1) yield reader.indexedCommit(commit);
}
