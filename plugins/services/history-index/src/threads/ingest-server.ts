import { randomUUID } from 'node:crypto';
import { PatchParser } from '../git/patch-parser.ts';
import { CommitCollector } from '../shards/commit-collector.ts';
import type { IndexedCommit } from '../shards/indexed-commit.ts';
import { mergedCommits } from '../shards/merged-commits.ts';
import { CommitShardFiles } from '../shards/commit-shard-files.ts';
import { CommitShardReader } from '../shards/commit-shard-reader.ts';
import { CommitShardWriter } from '../shards/commit-shard-writer.ts';
import { reachedCommits } from '../shards/reached-commits.ts';
import type { CommandEnd, IngestCalls, PrunedShard, ShardSet, WrittenShard } from './thread-calls.ts';

/** Makes shards of git's output, in a thread of its own. */
export class IngestServer {
  readonly #runs = new Map<number, Run>();
  readonly #writers = new Map<string, CommitShardWriter>();

  read({ run, bytes }: Parameters<IngestCalls['read']>[0]): number {
    return this.#run(run).push(bytes);
  }

  end({ run, ended }: Parameters<IngestCalls['end']>[0]): ReturnType<IngestCalls['end']> {
    return this.#run(run).end(ended);
  }

  append({ folder, name, runs }: Parameters<IngestCalls['append']>[0]): void {
    const writer = this.#writers.get(name) ?? new CommitShardWriter(folder, name);
    this.#writers.set(name, writer);
    for (const run of runs) {
      for (const commit of this.#runs.get(run)?.commits ?? []) writer.add(commit);
      this.#runs.delete(run);
    }
  }

  finish(name: string): WrittenShard {
    const writer = this.#writers.get(name);
    if (!writer) throw new Error('a shard is finished that was not begun');
    this.#writers.delete(name);
    return finished(writer, name);
  }

  merge({ set, name }: Parameters<IngestCalls['merge']>[0]): WrittenShard {
    return withReaders(set, (readers) => written(set.folder, name, mergedCommits(readers)));
  }

  prune({ set, tips }: Parameters<IngestCalls['prune']>[0]): readonly PrunedShard[] {
    return withReaders(set, (readers) =>
      reachedCommits(readers, tips).map(({ shard, commits }) => ({
        instead: set.shards[shard] ?? '',
        shard: written(set.folder, randomUUID(), commits),
      })),
    );
  }

  drop({ runs, shard }: Parameters<IngestCalls['drop']>[0]): void {
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

function written(folder: string, name: string, commits: Iterable<IndexedCommit>): WrittenShard {
  return finished(new CommitShardWriter(folder, name), name, commits);
}

/** What fails half-way, as on a full disk, leaves nothing behind. */
function finished(writer: CommitShardWriter, name: string, commits: Iterable<IndexedCommit> = []): WrittenShard {
  try {
    for (const commit of commits) writer.add(commit);
    writer.finish();
  } catch (error) {
    writer.abandon();
    throw error;
  }
  return { name, commits: writer.commits, bytes: writer.bytes, newest: writer.newest };
}

/** What is held of a run: the output of one command or, where one failed or was ended, of several. */
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

  /** The next output is that of another command. */
  end(ended: CommandEnd): { commits: number; bytes: number } {
    if (ended !== 'cut') this.#parser?.end();
    if (ended === 'whole') this.#collector?.end();
    if (ended === 'failed') this.#collector?.fail();
    if (ended === 'given-up') this.#collector?.giveUp();
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
