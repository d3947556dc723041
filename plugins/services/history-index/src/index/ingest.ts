import { randomUUID } from 'node:crypto';
import { isSextantError } from '@sextant/core';
import type { StoredRepository } from '@sextant/contracts';
import { changesCommand } from '../git/commands.ts';
import type { IngestCalls, WrittenShard } from './protocol.ts';
import type { ThreadClient } from './thread-client.ts';

/** Commits of one git command. */
const commitsOfRun = 512;
/** Bytes of hunks of one shard; the first is small, so that something is indexed soon. */
const [firstShard, laterShards] = [8 << 20, 96 << 20];
/** Bytes of git's output that wait for the thread, of each command. */
const mostWaiting = 16 << 20;
const runSeconds = 3600;
/** Commands that end one after the other without a commit: then it is no missing blob. */
const mostFailures = 20;

export interface IngestParts {
  readonly repository: StoredRepository;
  readonly folder: string;
  readonly thread: ThreadClient<IngestCalls>;
  /** Git commands at once. */
  readonly processes: number;
  readonly signal: AbortSignal;
  readonly onShard: (shard: WrittenShard) => void;
}

let lastRun = 0;

/** Reads the changes of commits, in the order given, and makes shards of them. */
export class Ingest {
  readonly #parts: IngestParts;
  readonly #runs: readonly { readonly number: number; readonly hashes: readonly string[] }[];
  /** Of the runs that have been read. */
  readonly #bytes = new Map<number, number>();
  #begun = 0;
  /** Runs before this one are in shards. */
  #written = 0;
  #shards = 0;

  constructor(hashes: readonly string[], parts: IngestParts) {
    this.#parts = parts;
    this.#runs = Array.from({ length: Math.ceil(hashes.length / commitsOfRun) }, (_, index) => ({
      number: (lastRun += 1),
      hashes: hashes.slice(index * commitsOfRun, (index + 1) * commitsOfRun),
    }));
  }

  /** Stops at the first failure, with what is in shards then. */
  async run(): Promise<void> {
    const stop = new AbortController();
    const signal = AbortSignal.any([this.#parts.signal, stop.signal]);
    try {
      const lanes = Array.from({ length: this.#parts.processes }, () => this.#lane(signal));
      await Promise.all(
        lanes.map((lane) => lane.catch((error: unknown) => (stop.abort(error), Promise.reject(error)))),
      );
      await this.#write(true);
    } finally {
      await this.#parts.thread
        .call(
          'drop',
          this.#runs.map(({ number }) => number),
        )
        .catch(() => undefined);
    }
  }

  async #lane(signal: AbortSignal): Promise<void> {
    for (let run = this.#runs[this.#begun++]; run; run = this.#runs[this.#begun++]) {
      await this.#read(run, signal);
      await this.#write(false);
    }
  }

  /** A missing blob ends git in the middle: it goes on behind that commit. */
  async #read({ number, hashes }: { number: number; hashes: readonly string[] }, signal: AbortSignal): Promise<void> {
    let failures = 0;
    for (let rest = hashes; rest.length > 0; ) {
      const isFailed = await this.#stream(number, rest, signal);
      const { commits, bytes } = await this.#parts.thread.call('end', { run: number, isFailed });
      rest = isFailed ? rest.slice(Math.max(1, commits)) : [];
      if (rest.length === 0) this.#bytes.set(number, bytes);
      failures = commits === 0 ? failures + 1 : 0;
      if (failures > mostFailures) throw new Error('git reads none of the commits that are left');
    }
  }

  /** Whether git failed. */
  async #stream(run: number, hashes: readonly string[], signal: AbortSignal): Promise<boolean> {
    const { repository, thread } = this.#parts;
    const command = changesCommand({ hashes, hasPatch: true });
    let waiting = 0;
    let read: Promise<void> = Promise.resolve();
    try {
      for await (const chunk of repository.stream({ ...command, seconds: runSeconds, isBackground: true, signal })) {
        const bytes = Uint8Array.from(chunk);
        waiting += bytes.length;
        read = thread.call('read', { run, bytes }, [bytes.buffer]).then(() => void (waiting -= chunk.length));
        if (waiting > mostWaiting) await read;
      }
      await read;
      return false;
    } catch (error) {
      await read;
      if (isSextantError(error) && error.code === 'unavailable') return true;
      throw error;
    }
  }

  /** Makes a shard of the runs that have been read, in their order, when they are enough. */
  async #write(isLast: boolean): Promise<void> {
    const ready: number[] = [];
    let bytes = 0;
    for (const { number } of this.#runs.slice(this.#written)) {
      const size = this.#bytes.get(number);
      if (size === undefined) break;
      ready.push(number);
      bytes += size;
    }
    if (ready.length === 0 || (!isLast && bytes < (this.#shards === 0 ? firstShard : laterShards))) return;
    this.#written += ready.length;
    this.#shards += 1;
    const { folder, thread, onShard } = this.#parts;
    onShard(await thread.call('write', { folder, name: randomUUID(), runs: ready }));
  }
}
