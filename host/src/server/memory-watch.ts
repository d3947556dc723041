import { totalmem } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Logger } from '@sextant/core';

const lookMs = 2000;
/** Share of its memory that a container lets be used before the process is killed, less what grows between two looks. */
const containerShare = 0.9;
/** Share of the limit from which caches are given up, so that no call need be refused at the limit. */
const shedShare = 0.85;
/** Looks between two times that caches are given up: to read all again takes long, and nothing else runs meanwhile. */
const looksBetween = 15;
/** Times that they are given up at the limit without waiting so long. */
const mostAtOnce = 2;
const gigabyte = 1e9;
/** Looks at the limit, less those below it, after which the limit itself is too low: a minute. */
const looksUntilTooLow = 30;
/** Of what the process takes without caches: room for calls, and for caches again. */
const advisedShare = 1.25;

export interface MemoryWatchOptions {
  /** Undefined: there is no limit. */
  mostBytes(): number | undefined;
  residentBytes(): number;
  /** Told when a limit comes into force, and when none is any more. */
  limit(isLimited: boolean): void;
  /** Has caches given up, and what they held collected. */
  shed(): void;
  /** Told whether memory is short even so. */
  tell(isShort: boolean): void;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** Gives up caches when the process comes near to its limit of memory, and says when that was not enough. */
export class MemoryWatch {
  readonly #options: MemoryWatchOptions;
  #state: 'enough' | 'shed' | 'short' = 'enough';
  #isLimited = false;
  #looksSinceShed = looksBetween;
  #shedAtOnce = 0;
  #looksAtLimit = 0;
  /** Least that the process took at the limit. */
  #leastBytes = Number.POSITIVE_INFINITY;
  #hasAdvised = false;

  constructor(options: MemoryWatchOptions) {
    this.#options = options;
  }

  /** Looks at once, and again and again. Returns the function that ends it. */
  start(): () => void {
    this.look();
    const timer = setInterval(() => this.look(), lookMs).unref();
    return () => clearInterval(timer);
  }

  look(): void {
    const { mostBytes, residentBytes, tell, log } = this.#options;
    const [limit, bytes] = [mostBytes(), residentBytes()];
    const most = limit ?? Number.POSITIVE_INFINITY;
    this.#tellLimit(limit !== undefined);
    this.#advise(bytes, most);
    const taken = `the process takes ${(bytes / gigabyte).toFixed(2)} GB of memory, and may take ${(most / gigabyte).toFixed(2)} GB`;
    const isAtLimit = bytes >= most;
    if (!isAtLimit && this.#state === 'short') log.info({ bytes }, 'there is enough memory again');
    this.#looksSinceShed += 1;
    if (bytes < shedShare * most) {
      [this.#state, this.#shedAtOnce] = ['enough', 0];
      return tell(false);
    }
    const isShort = isAtLimit && this.#state !== 'enough';
    if (isShort && this.#state === 'shed')
      log.warn({ bytes }, `${taken}: without caches, too; few calls are answered at once (limits.memoryBytes)`);
    if (this.#looksSinceShed >= looksBetween || (isAtLimit && this.#shedAtOnce < mostAtOnce)) {
      if (this.#state === 'enough') log.info({ bytes }, `${taken}: caches are given up (limits.memoryBytes)`);
      this.#shed(isAtLimit);
    }
    this.#state = isShort ? 'short' : 'shed';
    tell(isShort);
  }

  #shed(isAtLimit: boolean): void {
    this.#shedAtOnce = isAtLimit ? this.#shedAtOnce + 1 : 0;
    this.#looksSinceShed = 0;
    this.#options.shed();
  }

  #tellLimit(isLimited: boolean): void {
    if (isLimited === this.#isLimited) return;
    this.#isLimited = isLimited;
    this.#options.limit(isLimited);
  }

  /** Says once to what the limit should be raised, where it is less than the process needs for long. */
  #advise(bytes: number, most: number): void {
    if (bytes < most) {
      this.#looksAtLimit = Math.max(0, this.#looksAtLimit - 1);
      if (this.#looksAtLimit > 0) return;
      [this.#leastBytes, this.#hasAdvised] = [Number.POSITIVE_INFINITY, false];
      return;
    }
    this.#looksAtLimit = Math.min(looksUntilTooLow, this.#looksAtLimit + 1);
    this.#leastBytes = Math.min(this.#leastBytes, bytes);
    if (this.#hasAdvised || this.#looksAtLimit < looksUntilTooLow) return;
    this.#hasAdvised = true;
    const advised = Math.ceil((advisedShare * this.#leastBytes) / (gigabyte / 10)) / 10;
    this.#options.log.warn(
      { bytes, leastBytes: this.#leastBytes },
      `limits.memoryBytes, or the memory of the container, is too low: for a minute the process took at least ${(this.#leastBytes / gigabyte).toFixed(2)} GB without caches, and may take ${(most / gigabyte).toFixed(2)} GB; raise it to ${advised.toFixed(1)} GB (${(advised / containerShare).toFixed(1)} GB of a container), or serve less`,
    );
  }
}

/** Percent by which a heap may grow until it is collected. By itself, a heap of hundreds of megabytes doubles first. */
const growingPercent = 30;

/** Makes the engine collect garbage early, in all threads, or as it does by itself: it knows nothing of the limit. */
export const keepHeapsSmall = (areKept: boolean): void =>
  setFlagsFromString(`--heap-growing-percent=${areKept ? growingPercent : 0}`);

/** Collects the garbage of this thread, which else stays as long as its heap may grow. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  collect();
}

let lastResident = 0;

/** Memory of the process, as it was last seen where the system has no descriptor left to tell it. */
export function residentBytes(): number {
  try {
    lastResident = process.memoryUsage.rss();
  } catch {
    // Whoever asks wants to know what is wrong, and not to fail for it.
  }
  return lastResident;
}

/** What the configuration says, else what the container lets be used. */
export function memoryLimit(configured: number | undefined): number | undefined {
  if (configured !== undefined) return configured;
  const bytes = process.constrainedMemory();
  return bytes > 0 && bytes < totalmem() ? containerShare * bytes : undefined;
}
