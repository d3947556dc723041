import { randomUUID } from 'node:crypto';
import { isSextantError, unlessAborted } from '@sextant/core';
import type { StoredRepository } from '@sextant/contracts';
import { changesCommand, recordsCommand } from '../git/commands.ts';
import type { CommandEnd, WrittenShard } from '../threads/thread-calls.ts';
import { RunReader } from './run-reader.ts';
import type { IngestThread } from './run-reader.ts';

/** Commits of one git command: few at first, so that something is indexed soon; then more, for each command takes time to start. */
const [firstRun, largestRun] = [256, 2048];
/** Bytes of hunks of one shard; the first is small, so that something is indexed soon, the others too large to be merged with each other. */
const [firstShard, laterShards] = [8 << 20, 160 << 20];
/** What the thread may hold of commits that are in no shard yet, so that memory does not depend on what the history has. */
const usualLimits = { runBytes: 32 << 20, heldBytes: 64 << 20 };
/** Commits, one after the other, of which git gives nothing but the record: then it is the repository that cannot be read. */
const mostFailures = 20;

export interface IngestLimits {
  /** A command ends after so many bytes, and another goes on when they are in a shard. */
  readonly runBytes: number;
  /** Of all runs; only the next for the shard is read while there is more. */
  readonly heldBytes: number;
}

export interface IngestParts {
  readonly repository: StoredRepository;
  readonly folder: string;
  readonly thread: IngestThread;
  /** Git commands at once. */
  readonly processes: number;
  readonly signal: AbortSignal;
  readonly onShard: (shard: WrittenShard) => void;
  /** Whether others shall have their turn: what has been read until then gets into shards. */
  readonly isOver?: () => boolean;
  /** Bytes of changed lines and messages that may still be written. */
  readonly roomBytes?: number;
  readonly limits?: IngestLimits;
}

const nothing = { bytes: 0, isWhole: false };

interface Run {
  readonly number: number;
  readonly hashes: readonly string[];
}

interface RunCommand {
  readonly run: number;
  readonly command: ReturnType<typeof changesCommand>;
  /** Whether it comes to its end although the turn of others has come. */
  readonly isShort?: boolean;
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
  readonly #limits: IngestLimits;
  /** What the thread holds of runs, as far as their commands have ended. */
  readonly #held = new Map<number, { readonly bytes: number; readonly isWhole: boolean }>();
  #written = Promise.withResolvers<void>();
  #roomBytes: number;
  #begun = 0;
  #commits = 0;
  /** Runs before this one are in shards, the last ones in the shard that is being made. */
  #appended = 0;
  #shard = { name: randomUUID(), runs: 0, bytes: 0, isFirst: true };

  constructor(hashes: readonly string[], parts: IngestParts) {
    this.#parts = parts;
    this.#limits = parts.limits ?? usualLimits;
    this.#roomBytes = parts.roomBytes ?? Infinity;
    this.#runs = runsOf(hashes, parts.processes);
  }

  /** Commits that have been read, of which the last are in no shard yet. */
  get commits(): number {
    return this.#commits;
  }

  /** Whether all has been read. Stops at the first failure, with what is in shards then, and when there is no room left. */
  async run(): Promise<boolean> {
    const stop = new AbortController();
    const signal = AbortSignal.any([this.#parts.signal, stop.signal]);
    try {
      const lanes = Array.from({ length: this.#parts.processes }, () => this.#lane(signal));
      await Promise.all(
        lanes.map((lane) => lane.catch((error: unknown) => (stop.abort(error), Promise.reject(error)))),
      );
      await this.#write(true);
      return this.#appended === this.#runs.length;
    } finally {
      const unwanted = { runs: this.#runs.map(({ number }) => number), shard: this.#shard.name };
      await this.#parts.thread.call('drop', unwanted).catch(() => undefined);
    }
  }

  async #lane(signal: AbortSignal): Promise<void> {
    for (let run = this.#runs[this.#begun]; run && !this.#isOver; run = this.#runs[this.#begun]) {
      this.#begun += 1;
      await this.#read(run, signal);
      await this.#write(false);
    }
  }

  get #isOver(): boolean {
    return this.#roomBytes <= 0 || (this.#parts.isOver?.() ?? false);
  }

  /**
   * A missing blob ends git in the middle: it goes on behind that commit. What a command has not printed in its time is asked for again; a commit
   * for which all of the time is too short twice is beyond limits.
   */
  async #read({ number, hashes }: Run, signal: AbortSignal): Promise<void> {
    let failures = 0;
    let isAlone = false;
    for (let rest = hashes; rest.length > 0 && !this.#isOver; ) {
      await this.#room(number, signal);
      const asked = isAlone ? rest.slice(0, 1) : rest;
      const ended = await this.#stream(
        { run: number, command: changesCommand({ hashes: asked, hasPatch: true }) },
        signal,
      );
      let { commits, bytes } = await this.#parts.thread.call('end', { run: number, ended });
      const isBeyond = commits === 0 && ended !== 'whole' && isAlone;
      if (isBeyond) ({ commits, bytes } = await this.#giveUp(number, asked, signal));
      rest = rest.slice(ended === 'whole' ? asked.length : commits);
      isAlone = commits === 0;
      this.#commits += commits;
      this.#held.set(number, { bytes, isWhole: rest.length === 0 });
      failures = isBeyond ? failures + 1 : 0;
      if (failures > mostFailures) throw new Error('git compares none of the commits that are left');
    }
  }

  /** Of a commit that git cannot compare there is its record. */
  async #giveUp(
    run: number,
    hashes: readonly string[],
    signal: AbortSignal,
  ): Promise<{ commits: number; bytes: number }> {
    const ended = await this.#stream({ run, command: recordsCommand(hashes), isShort: true }, signal);
    const given = await this.#parts.thread.call('end', { run, ended: 'given-up' });
    if (ended !== 'whole' || given.commits === 0) throw new Error(`git cannot read commit ${hashes.join()}`);
    return given;
  }

  /** Waits, without a git command, while too much is held. What the next run for the shard holds goes there, so that it never waits. */
  async #room(run: number, signal: AbortSignal): Promise<void> {
    while (!this.#hasRoom(run) && !this.#isOver) {
      const written = this.#written.promise;
      if (this.#isNext(run)) await this.#write(false);
      else await unlessAborted(written, signal);
    }
  }

  #hasRoom(run: number): boolean {
    const { runBytes, heldBytes } = this.#limits;
    if ((this.#held.get(run)?.bytes ?? 0) >= runBytes) return false;
    return this.#isNext(run) || [...this.#held.values()].reduce((sum, { bytes }) => sum + bytes, 0) < heldBytes;
  }

  #isNext(run: number): boolean {
    return this.#runs[this.#appended]?.number === run;
  }

  async #stream({ run, command, isShort = false }: RunCommand, signal: AbortSignal): Promise<CommandEnd> {
    const { repository, thread } = this.#parts;
    const reader = new RunReader(run, thread);
    try {
      for await (const chunk of repository.stream({ ...command, maxBytes: Infinity, isBackground: true, signal })) {
        await reader.add(chunk);
        if (!isShort && (reader.held >= this.#limits.runBytes || this.#isOver)) return 'cut';
      }
      return 'whole';
    } catch (error) {
      if (!isSextantError(error) || signal.aborted) throw error;
      if (error.code === 'unavailable') return 'failed';
      if (error.code === 'timeout') return 'cut';
      throw error;
    } finally {
      await reader.finish();
    }
  }

  /** Adds the runs that have been read, in their order, to the shard, and begins another when they are enough. */
  async #write(isLast: boolean): Promise<void> {
    const { thread, onShard } = this.#parts;
    const { name, isFirst } = this.#shard;
    const runs = this.#takeRuns(isLast);
    const appended = runs.length === 0 ? undefined : this.#append(name, runs);
    const isFull = this.#shard.bytes >= (isFirst ? firstShard : laterShards);
    if (this.#shard.runs === 0 || !(isFull || isLast)) return appended;
    this.#shard = { name: randomUUID(), runs: 0, bytes: 0, isFirst: false };
    const [shard] = await Promise.all([thread.call('finish', name), appended]);
    onShard(shard);
    this.#roomBytes -= shard.bytes;
  }

  async #append(name: string, runs: readonly number[]): Promise<void> {
    const { folder, thread } = this.#parts;
    await thread.call('append', { folder, name, runs });
    this.#written.resolve();
    this.#written = Promise.withResolvers();
  }

  /** Those that are whole, and what there is of the next where it holds as much as it may, or all comes to its end. */
  #takeRuns(isLast: boolean): number[] {
    const taken: number[] = [];
    for (let run = this.#runs[this.#appended]; run; run = this.#runs[this.#appended]) {
      const { bytes, isWhole } = this.#held.get(run.number) ?? nothing;
      if (!isWhole && (isLast ? bytes === 0 : bytes < this.#limits.runBytes)) break;
      taken.push(run.number);
      this.#held.delete(run.number);
      this.#shard.bytes += bytes;
      if (!isWhole) break;
      this.#appended += 1;
    }
    this.#shard.runs += taken.length;
    return taken;
  }
}
