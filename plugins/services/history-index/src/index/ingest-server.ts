import { PatchParser } from '../git/patch-parser.ts';
import { CommitCollector } from '../store/commit-collector.ts';
import type { IndexedCommit } from '../store/indexed-commit.ts';
import { mergedCommits } from '../store/merged-commits.ts';
import { ShardFiles } from '../store/shard-files.ts';
import { ShardReader } from '../store/shard-reader.ts';
import { ShardWriter } from '../store/shard-writer.ts';
import type { IngestCalls, WrittenShard } from './protocol.ts';

/** Makes shards of git's output, in a thread of its own. */
export class IngestServer {
  readonly #runs = new Map<number, Run>();

  read({ run, bytes }: Parameters<IngestCalls['read']>[0]): void {
    this.#run(run).push(bytes);
  }

  end({ run, isFailed }: Parameters<IngestCalls['end']>[0]): ReturnType<IngestCalls['end']> {
    return this.#run(run).end(isFailed);
  }

  write({ folder, name, runs }: Parameters<IngestCalls['write']>[0]): WrittenShard {
    const commits = runs.flatMap((run) => this.#runs.get(run)?.commits ?? []);
    this.drop(runs);
    return written(folder, name, commits);
  }

  merge({ set, name }: Parameters<IngestCalls['merge']>[0]): WrittenShard {
    const readers = set.shards.map((shard) => new ShardReader(new ShardFiles(set.folder, shard)));
    try {
      return written(set.folder, name, mergedCommits(readers));
    } finally {
      for (const reader of readers) reader.close();
    }
  }

  drop(runs: readonly number[]): void {
    for (const run of runs) this.#runs.delete(run);
  }

  #run(number: number): Run {
    const run = this.#runs.get(number) ?? new Run();
    this.#runs.set(number, run);
    return run;
  }
}

function written(folder: string, name: string, commits: Iterable<IndexedCommit>): WrittenShard {
  const writer = new ShardWriter(folder, name);
  for (const commit of commits) writer.add(commit);
  writer.finish();
  return { name, commits: writer.commits, bytes: writer.bytes, newest: writer.newest };
}

/** What git printed of some commits, in one command or, where one failed, in several. */
class Run {
  readonly commits: IndexedCommit[] = [];
  #collector: CommitCollector | undefined;
  #parser: PatchParser | undefined;
  #bytes = 0;
  #before = 0;

  push(bytes: Uint8Array): void {
    this.#collector ??= new CommitCollector((commit) => this.#take(commit));
    this.#parser ??= new PatchParser(this.#collector);
    this.#parser.push(bytes);
  }

  /** The next output is that of another command. */
  end(isFailed: boolean): { commits: number; bytes: number } {
    if (isFailed) this.#collector?.fail();
    else this.#collector?.end();
    this.#collector = undefined;
    this.#parser = undefined;
    const commits = this.commits.length - this.#before;
    this.#before = this.commits.length;
    return { commits, bytes: this.#bytes };
  }

  #take(commit: IndexedCommit): void {
    this.commits.push(commit);
    this.#bytes += commit.patch.length;
  }
}
