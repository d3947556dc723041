import { randomUUID } from 'node:crypto';
import { isSextantError, joinSignals, unlessAborted } from '@sextant/core';
import type { PatchOptions, StoredRepository } from '@sextant/contracts';
import type { RestartableThread } from '@sextant/library-workers';
import { comparing } from '../limits.ts';
import type { ShardEntry } from '../shards/manifest.ts';
import type { CommandEnd, IngestServer } from '../threads/ingest-server.ts';

/** Commits of one run. The first runs are short, so that something is indexed soon; later ones are long, because a git command is slow to start. */
const [firstRun, largestRun] = [256, 2048];
/** Bytes of hunks of one shard. The first is small, so that something is indexed soon. The others are too large to be merged. */
const [firstShard, laterShards] = [8 << 20, 160 << 20];
/** Bounds what the thread holds of commits that are in no shard yet, so that memory does not depend on the history. */
const usualLimits = { runBytes: 32 << 20, heldBytes: 64 << 20 };

export interface IngestLimits {
  /** Most bytes of one run. Its command is then ended; another one goes on when they are in a shard. */
  readonly runBytes: number;
  /** Most bytes of all runs. Above it, only the run that comes next in the shard is read. */
  readonly heldBytes: number;
}

export type IngestThread = Pick<RestartableThread<IngestServer>, 'call'>;

export interface IngestParts {
  readonly repository: StoredRepository;
  readonly folder: string;
  readonly thread: IngestThread;
  /** Git commands at once. */
  readonly processes: number;
  readonly signal: AbortSignal;
  readonly onShard: (shard: ShardEntry) => void;
  /** Whether to stop, because others wait. What has been read until then gets into shards. */
  readonly isOver?: () => boolean;
  /** Most bytes of changed lines and messages to write. */
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
  readonly commits: readonly string[];
  /** Records alone are read to their end even if others wait. */
  readonly wants: PatchOptions['wants'];
}

let lastRun = 0;

/** Splits the commits into runs. The last runs are short again, so that all git commands end at about the same time. */
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

/**
 * Reads the changes of commits with several git commands at once, and makes shards of them in the given order. A run is a part of the
 * commits that one command reads. A thread parses the output and holds the commits of a run until they are added to a shard.
 */
export class Ingest {
  readonly #parts: IngestParts;
  readonly #runs: readonly Run[];
  readonly #limits: IngestLimits;
  /** What the thread held of each run when its last command ended. */
  readonly #held = new Map<number, { readonly bytes: number; readonly isWhole: boolean }>();
  #written = Promise.withResolvers<void>();
  #roomBytes: number;
  #begun = 0;
  #commits = 0;
  /** Runs before this one are in shards, or in the one that is being made. */
  #appended = 0;
  #shard = { name: randomUUID(), runs: 0, bytes: 0, isFirst: true };

  constructor(hashes: readonly string[], parts: IngestParts) {
    this.#parts = parts;
    this.#limits = parts.limits ?? usualLimits;
    this.#roomBytes = parts.roomBytes ?? Infinity;
    this.#runs = runsOf(hashes, parts.processes);
  }

  /** Commits that have been read. The last ones are in no shard yet. */
  get commits(): number {
    return this.#commits;
  }

  /** Returns whether everything has been read. It stops early at a failure, when others wait, and when there is no room left. */
  async run(): Promise<boolean> {
    const stop = new AbortController();
    const signal = joinSignals(this.#parts.signal, stop.signal);
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
   * Reads a run with as many commands as it takes. Git stops at a missing blob; the next command begins behind that commit. A command that
   * runs out of time is followed by another one. A commit for which the time is too short twice is beyond limits.
   */
  async #read({ number, hashes }: Run, signal: AbortSignal): Promise<void> {
    let failures = 0;
    let isAlone = false;
    for (let rest = hashes; rest.length > 0 && !this.#isOver; ) {
      await this.#room(number, signal);
      const asked = isAlone ? rest.slice(0, 1) : rest;
      const ended = await this.#stream({ run: number, commits: asked, wants: 'hunks' }, signal);
      let { commits, bytes } = await this.#parts.thread.call('end', { run: number, ended });
      const isBeyond = commits === 0 && ended !== 'whole' && isAlone;
      if (isBeyond) ({ commits, bytes } = await this.#giveUp(number, asked, signal));
      rest = rest.slice(ended === 'whole' ? asked.length : commits);
      isAlone = commits === 0;
      this.#commits += commits;
      this.#held.set(number, { bytes, isWhole: rest.length === 0 });
      failures = isBeyond ? failures + 1 : 0;
      if (failures > comparing.failures) throw new Error('git compares none of the commits that are left');
    }
  }

  /** Reads only the record of a commit that git cannot compare. */
  async #giveUp(
    run: number,
    hashes: readonly string[],
    signal: AbortSignal,
  ): Promise<{ commits: number; bytes: number }> {
    const ended = await this.#stream({ run, commits: hashes, wants: 'commits' }, signal);
    const given = await this.#parts.thread.call('end', { run, ended: 'given-up' });
    if (ended !== 'whole' || given.commits === 0) throw new Error(`git cannot read commit ${hashes.join()}`);
    return given;
  }

  /** Waits while the thread holds too much; no git command runs meanwhile. The next run of the shard writes what it has, so it never waits. */
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

  async #stream({ run, commits, wants }: RunCommand, signal: AbortSignal): Promise<CommandEnd> {
    const { repository, thread } = this.#parts;
    const options = { wants, seconds: comparing.seconds, isBackground: true, signal };
    try {
      for await (const piece of repository.patches({ commits }, options)) {
        const bytes = new Uint8Array(piece);
        const held = await thread.call('read', { run, bytes }, { transfer: [bytes.buffer] });
        if (wants === 'hunks' && (held >= this.#limits.runBytes || this.#isOver)) return 'cut';
      }
      return 'whole';
    } catch (error) {
      if (!isSextantError(error) || signal.aborted) throw error;
      if (error.code === 'unavailable') return 'failed';
      if (error.code === 'timeout') return 'cut';
      throw error;
    }
  }

  /** Adds runs that have been read to the shard, in their order. Finishes the shard when it is large enough. */
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

  /** The whole runs that come next, and a part of the run behind them where it holds as much as it may or everything ends. */
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
