import { mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { backoffMs, messageOf } from '@sextant/core';
import type { Logger, ServiceFailure } from '@sextant/core';
import { ownClone, partialName, removeLeftovers } from './clone-ownership.ts';
import type { CloneTransport } from './clone-transport.ts';
import { GitFolder, gitFolderOf } from '../storage/git-folder.ts';
import type { TransferSlots } from '../process/slots.ts';

export type CloneState = 'cloning' | 'ready' | 'failed';

export interface CloneOptions {
  name: string;
  /** Where it stands once it is complete. */
  path: string;
  transport: CloneTransport;
  /** Shared by all clones. */
  slots: TransferSlots;
  /** Seconds between two fetches. */
  interval: number;
  log: Logger;
  /** Aborts when the service closes. */
  signal: AbortSignal;
}

/** Characters of what git said. */
const maxReason = 1000;
const staleLockMs = 60_000;
const firstRetryMs = 5000;
const longestRetryMs = 3_600_000;

/** A clone of ours: made, then fetched again and again, each failure tried again after a longer time. */
export class Clone {
  readonly #options: CloneOptions;
  #folder: GitFolder | undefined;
  #failures = 0;
  #failure: { reason: string; since: string } | undefined;
  #nextTry: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;
  #isStarted = false;
  #isWantedAgain = false;
  #isClean = false;
  #fetched: string | undefined;

  constructor(options: CloneOptions) {
    this.#options = options;
  }

  get state(): CloneState {
    if (this.folder()) return 'ready';
    return this.#failures > 0 ? 'failed' : 'cloning';
  }

  /** When it was last brought up to date by this process, RFC 3339. */
  get fetched(): string | undefined {
    return this.#fetched;
  }

  /** What went wrong the last time. */
  get failure(): ServiceFailure | undefined {
    if (!this.#failure) return undefined;
    return {
      name: this.#options.name,
      ...this.#failure,
      ...(this.#nextTry !== undefined && { nextTry: this.#nextTry }),
    };
  }

  /** Undefined while it is not cloned yet. */
  folder(): GitFolder | undefined {
    const { path } = this.#options;
    const found = this.#folder ? undefined : gitFolderOf(path);
    if (found !== undefined) this.#folder = new GitFolder(found);
    return this.#folder;
  }

  /**
   * Clones or fetches. A request while one waits for its turn is the same one. A request while one runs adds another
   * run, because the other side may have changed meanwhile. Never fails: failures are kept, and tried again.
   */
  update(): Promise<void> {
    if (this.#work) {
      this.#isWantedAgain ||= this.#isStarted;
      return this.#work;
    }
    clearTimeout(this.#timer);
    this.#work = this.#run().finally(() => {
      this.#work = undefined;
      this.#isStarted = false;
      const isWantedAgain = this.#isWantedAgain;
      this.#isWantedAgain = false;
      if (this.#options.signal.aborted) return;
      if (isWantedAgain) void this.update();
      else this.#wait();
    });
    return this.#work;
  }

  #wait(): void {
    const ms = this.#msToNext();
    this.#nextTry = new Date(Date.now() + ms).toISOString();
    this.#timer = setTimeout(() => void this.update(), ms).unref();
  }

  /** Waits for what runs; the options' signal ends it. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#work;
  }

  async #run(): Promise<void> {
    const { name, slots, log, signal } = this.#options;
    try {
      const release = await slots.take(signal, this.#failures > 0 ? 'failed' : 'new');
      this.#isStarted = true;
      await this.#transfer().finally(release);
    } catch (error) {
      if (signal.aborted) return;
      this.#failures += 1;
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      const reason = messageOf(cause).slice(0, maxReason);
      this.#failure = { reason, since: this.#failure?.since ?? new Date().toISOString() };
      log.warn(
        { repository: name, failures: this.#failures, reason },
        'a repository could not be fetched; it is tried again',
      );
    }
  }

  async #transfer(): Promise<void> {
    const { path, transport, signal } = this.#options;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const disown = ownClone(`${path}.owner`);
    if (!disown) throw new Error('another process is fetching it');
    try {
      if (this.folder()) {
        // The last git here may have been killed, by us or with us.
        if (!this.#isClean) removeLeftovers(path, staleLockMs);
        this.#isClean = false;
        await transport.fetch(path, signal);
      } else await transport.clone({ partial: join(dirname(path), partialName(basename(path))), folder: path }, signal);
      this.#failures = 0;
      this.#failure = undefined;
      this.#fetched = new Date().toISOString();
      this.#isClean = true;
    } finally {
      disown();
    }
  }

  #msToNext(): number {
    const intervalMs = this.#options.interval * 1000;
    if (this.#failures === 0) return intervalMs;
    return backoffMs(this.#failures, { firstMs: firstRetryMs, longestMs: Math.max(longestRetryMs, intervalMs) });
  }
}
