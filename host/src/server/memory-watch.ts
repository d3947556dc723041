import { totalmem } from 'node:os';
import type { Logger } from '@sextant/core';

const lookMs = 2000;
/** Share of its memory that a container lets be used before the process is killed, less what grows between two looks. */
const containerShare = 0.9;
const gigabyte = 1e9;

export interface MemoryWatchOptions {
  /** Undefined: there is no limit. */
  mostBytes(): number | undefined;
  residentBytes(): number;
  /** Has caches given up. */
  shed(): void;
  /** Told whether memory is short even so. */
  tell(isShort: boolean): void;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** Gives up caches when the process comes to its limit of memory, and says when that was not enough. */
export class MemoryWatch {
  readonly #options: MemoryWatchOptions;
  #state: 'enough' | 'shed' | 'short' = 'enough';

  constructor(options: MemoryWatchOptions) {
    this.#options = options;
  }

  /** Returns the function that ends it. */
  start(): () => void {
    const timer = setInterval(() => this.look(), lookMs).unref();
    return () => clearInterval(timer);
  }

  look(): void {
    const { mostBytes, residentBytes, shed, tell, log } = this.#options;
    const [most, bytes] = [mostBytes() ?? Number.POSITIVE_INFINITY, residentBytes()];
    if (bytes < most) {
      if (this.#state === 'short') log.info({ bytes }, 'there is enough memory again');
      this.#state = 'enough';
      return tell(false);
    }
    const taken = `the process takes ${(bytes / gigabyte).toFixed(2)} GB of memory, and may take ${(most / gigabyte).toFixed(2)} GB`;
    if (this.#state === 'enough') log.warn({ bytes }, `${taken}: caches are given up (limits.memoryBytes)`);
    if (this.#state === 'shed') log.warn({ bytes }, `${taken}: without caches, too; few calls are answered at once`);
    shed();
    this.#state = this.#state === 'enough' ? 'shed' : 'short';
    tell(this.#state === 'short');
  }
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
