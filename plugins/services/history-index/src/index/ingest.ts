import { randomUUID } from 'node:crypto';
import { isSextantError } from '@sextant/core';
import type { StoredRepository } from '@sextant/contracts';
import { changesCommand } from '../git/commands.ts';
import type { IngestCalls, WrittenShard } from './protocol.ts';
import type { ThreadClient } from './thread-client.ts';

/** Commits of one git command: few at first, so that something is indexed soon; then more, for each command takes time to start. */
const [firstRun, largestRun] = [256, 2048];
/** Bytes of git's output that the thread is given at once. */
const partBytes = 512 << 10;
/** Bytes of hunks of one shard; the first is small, so that something is indexed soon, the others too large to be merged with each other. */
const [firstShard, laterShards] = [8 << 20, 160 << 20];
/** Bytes of git's output that wait for the thread, of each command: as much as it prints while a shard is finished. */
const mostWaiting = 32 << 20;
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

interface Run {
  readonly number: number;
  readonly hashes: readonly string[];
}

let lastRun = 0;

/** The last ones are small again, so that all commands end at about the same time. */
function runsOf(hashes: readonly string[], processes: number): Run[] {
  const runs: Run[] = [];
  for (let [from, size] = [0, firstRun]; from < hashes.length; size = Math.min(2 * size, largestRun)) {
    const share = Math.ceil((hashes.length - from) / (2 * processes));
    const end = from + Math.min(size, Math.max(firstRun, share));
    lastRun += 1;
    runs.push({ number: lastRun, hashes: hashes.slice(from, end) });
    from = end;
  }
  return runs;
}

/** Reads the changes of commits, in the order given, and makes shards of them. */
export class Ingest {
  readonly #parts: IngestParts;
  readonly #runs: readonly Run[];
  /** Of the runs that have been read. */
  readonly #bytes = new Map<number, number>();
  #begun = 0;
  /** Runs before this one are in shards, the last ones in the shard that is being made. */
  #appended = 0;
  #shard = { name: randomUUID(), runs: 0, bytes: 0, isFirst: true };

  constructor(hashes: readonly string[], parts: IngestParts) {
    this.#parts = parts;
    this.#runs = runsOf(hashes, parts.processes);
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
      const unwanted = { runs: this.#runs.map(({ number }) => number), shard: this.#shard.name };
      await this.#parts.thread.call('drop', unwanted).catch(() => undefined);
    }
  }

  async #lane(signal: AbortSignal): Promise<void> {
    for (let run = this.#runs[this.#begun++]; run; run = this.#runs[this.#begun++]) {
      await this.#read(run, signal);
      await this.#write(false);
    }
  }

  /** A missing blob ends git in the middle: it goes on behind that commit. */
  async #read({ number, hashes }: Run, signal: AbortSignal): Promise<void> {
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
    const reader = new RunReader(run, thread);
    try {
      for await (const chunk of repository.stream({ ...command, seconds: runSeconds, isBackground: true, signal }))
        await reader.add(chunk);
      await reader.finish();
      return false;
    } catch (error) {
      await reader.finish();
      if (isSextantError(error) && error.code === 'unavailable') return true;
      throw error;
    }
  }

  /** Adds the runs that have been read, in their order, to the shard, and begins another when they are enough. */
  async #write(isLast: boolean): Promise<void> {
    const { folder, thread, onShard } = this.#parts;
    const { name, isFirst } = this.#shard;
    const runs = this.#takeRuns();
    const appended = runs.length === 0 ? undefined : thread.call('append', { folder, name, runs });
    const isFull = this.#shard.bytes >= (isFirst ? firstShard : laterShards);
    if (this.#shard.runs === 0 || !(isFull || isLast)) return appended;
    this.#shard = { name: randomUUID(), runs: 0, bytes: 0, isFirst: false };
    const [shard] = await Promise.all([thread.call('finish', name), appended]);
    onShard(shard);
  }

  #takeRuns(): number[] {
    const taken: number[] = [];
    for (const { number } of this.#runs.slice(this.#appended)) {
      const bytes = this.#bytes.get(number);
      if (bytes === undefined) break;
      taken.push(number);
      this.#shard.bytes += bytes;
    }
    this.#appended += taken.length;
    this.#shard.runs += taken.length;
    return taken;
  }
}

/** Gives the thread what git prints, in large parts, and waits when it has too much to do. */
class RunReader {
  readonly #run: number;
  readonly #thread: ThreadClient<IngestCalls>;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(run: number, thread: ThreadClient<IngestCalls>) {
    this.#run = run;
    this.#thread = thread;
  }

  async add(chunk: Uint8Array): Promise<void> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes >= partBytes) this.#send();
    if (this.#waiting > mostWaiting) await this.#last;
  }

  async finish(): Promise<void> {
    this.#send();
    await this.#last;
  }

  #send(): void {
    if (this.#bytes === 0) return;
    const bytes = new Uint8Array(this.#bytes);
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    this.#chunks = [];
    this.#bytes = 0;
    this.#waiting += at;
    this.#last = this.#thread
      .call('read', { run: this.#run, bytes }, [bytes.buffer])
      .then(() => void (this.#waiting -= at));
  }
}
