import { SextantError, isSextantError, unlessAborted } from '@sextant/core';
import { LRUCache } from 'lru-cache';
import { BatchProcess, BatchProcessEnded, BatchProcessSilent } from '../process/batch-process.ts';
import type { ObjectAnswer } from '../process/batch-process.ts';
import type { GitFolder } from '../storage/git-folder.ts';

/** The full hash of an object, SHA-1 or SHA-256, as git prints it. */
export const fullHash = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

export interface ObjectReaderLimits {
  /** Long-lived processes in all; the one that was idle longest makes room. */
  processes: number;
  idleSeconds: number;
  /** Longest time for which git writes nothing while somebody waits. */
  silentSeconds?: number;
}

export interface ObjectInfo {
  readonly id: string;
  readonly type: string;
  readonly size: number;
}

interface Question {
  readonly name: string;
  /** Of the content, where that is wanted. */
  readonly maxBytes?: number;
  readonly signal: AbortSignal;
}

interface Pooled {
  readonly process: BatchProcess;
  /** Of the repository when it began: it may have opened files that are no longer there, or were never to be read. */
  readonly state: number;
  lastUse: number;
}

const usualSilentSeconds = 15;
/** For so long nobody waits again for a repository in which git wrote nothing, unless its files have changed. */
const silentMs = 120_000;
const mostSilent = 10_000;
/** Objects whose sizes are asked for at once. */
const askedAtOnce = 1000;

/** Reads objects of any repository through one long-lived process for each that is busy. */
export class ObjectReader {
  readonly #limits: ObjectReaderLimits;
  /** In the order of their last use. */
  readonly #pool = new Map<string, Pooled>();
  /** What was found of repositories that keep git busy, by their keys and states. */
  readonly #silent = new LRUCache<string, BatchProcessSilent>({ max: mostSilent, ttl: silentMs });
  readonly #sweep: NodeJS.Timeout;
  #isClosed = false;

  constructor(limits: ObjectReaderLimits) {
    this.#limits = limits;
    this.#sweep = setInterval(
      () => this.#closeIdle(limits.idleSeconds),
      Math.max(1000, limits.idleSeconds * 500),
    ).unref();
  }

  /** What a name stands for; undefined when nothing. The name must be validated: it is git's to interpret. */
  async info(folder: GitFolder, name: string, signal: AbortSignal): Promise<ObjectInfo | 'ambiguous' | undefined> {
    const answer = await this.#ask(folder, { name, signal });
    if ('refusal' in answer) return answer.refusal === 'ambiguous' ? 'ambiguous' : undefined;
    return answer;
  }

  /** The object of a full hash, or undefined. Its content is read only up to a size; throws `too_large` above. */
  async read(
    folder: GitFolder,
    id: string,
    options: { maxBytes: number; signal: AbortSignal },
  ): Promise<(ObjectInfo & { content: Buffer }) | undefined> {
    const found = await this.find(folder, id, options);
    if (!found) return undefined;
    const { content, ...info } = found;
    if (content) return { ...info, content };
    throw new SextantError('too_large', `it has ${info.size} bytes; at most ${options.maxBytes} bytes can be read`);
  }

  /** The same, without the content above that size. */
  async find(
    folder: GitFolder,
    id: string,
    { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
  ): Promise<(ObjectInfo & { content: Buffer | undefined }) | undefined> {
    const info = await this.info(folder, id, signal);
    if (info === undefined || info === 'ambiguous') return undefined;
    if (info.size > maxBytes) return { ...info, content: undefined };
    const answer = await this.#ask(folder, { name: id, maxBytes, signal });
    if ('refusal' in answer || !answer.content) return undefined;
    return { ...answer, content: answer.content };
  }

  /** The objects with these full hashes, in the same order. Undefined for a missing one. */
  async sizes(folder: GitFolder, ids: readonly string[], signal: AbortSignal): Promise<(number | undefined)[]> {
    const sizes: (number | undefined)[] = [];
    for (let at = 0; at < ids.length; at += askedAtOnce) {
      const some = ids.slice(at, at + askedAtOnce);
      const answers = await this.#byProcess(folder, signal, (process) => process.askAll(some));
      sizes.push(...answers.map((answer) => ('refusal' in answer ? undefined : answer.size)));
    }
    return sizes;
  }

  /** Ends every process. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    for (const { process } of this.#pool.values()) process.kill();
    this.#pool.clear();
  }

  #ask(folder: GitFolder, { name, maxBytes, signal }: Question): Promise<ObjectAnswer> {
    return this.#byProcess(folder, signal, (process) => process.ask(name, maxBytes));
  }

  /**
   * Once more in a fresh process where it ends: the old one may have been killed, or stood on a pack that is gone. If none
   * can be started, processes that nobody waits for make room first.
   */
  async #byProcess<T>(folder: GitFolder, signal: AbortSignal, work: (process: BatchProcess) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const key = `${folder.cacheKey()}${folder.state}`;
    const silent = this.#silent.get(key);
    if (silent) throw unreadable(silent);
    try {
      return await unlessAborted(work(this.#processOf(folder)), signal);
    } catch (error) {
      if (isSextantError(error) && error.code === 'unavailable') this.#closeIdle(0);
      else if (error instanceof BatchProcessSilent) throw this.#noteSilent(key, error);
      else if (!(error instanceof BatchProcessEnded)) throw error;
    }
    try {
      return await unlessAborted(work(this.#processOf(folder)), signal);
    } catch (error) {
      if (error instanceof BatchProcessSilent) throw this.#noteSilent(key, error);
      throw error instanceof BatchProcessEnded ? unreadable(error) : error;
    }
  }

  #noteSilent(key: string, error: BatchProcessSilent): SextantError {
    this.#silent.set(key, error);
    return unreadable(error);
  }

  #processOf(folder: GitFolder): BatchProcess {
    if (this.#isClosed) throw new SextantError('unavailable', 'the server is stopping');
    const key = folder.cacheKey();
    const { state } = folder;
    const last = this.#pool.get(key);
    if (last && last.state !== state) this.#retire(key, last);
    const known = this.#pool.get(key);
    this.#pool.delete(key);
    const pooled = known ?? {
      process: new BatchProcess(folder.path, {
        silentSeconds: this.#limits.silentSeconds ?? usualSilentSeconds,
        onEnd: () => this.#forget(key, pooled),
      }),
      state,
      lastUse: 0,
    };
    pooled.lastUse = Date.now();
    this.#pool.set(key, pooled);
    if (!known) this.#makeRoom();
    return pooled.process;
  }

  #forget(key: string, pooled: Pooled): void {
    if (this.#pool.get(key) === pooled) this.#pool.delete(key);
  }

  /** Closes the one that was used longest ago, if possible one that nobody waits for. */
  #makeRoom(): void {
    if (this.#pool.size <= this.#limits.processes) return;
    const candidates = [...this.#pool].slice(0, -1);
    const oldest = candidates.find(([, { process }]) => !process.isBusy) ?? candidates[0];
    if (oldest) this.#retire(...oldest);
  }

  #closeIdle(idleSeconds: number): void {
    const limit = Date.now() - idleSeconds * 1000;
    for (const [key, pooled] of this.#pool)
      if (pooled.lastUse <= limit && !pooled.process.isBusy) this.#retire(key, pooled);
  }

  #retire(key: string, pooled: Pooled): void {
    this.#pool.delete(key);
    pooled.process.close();
  }
}

const unreadable = (cause: BatchProcessEnded): SextantError =>
  new SextantError('unavailable', 'git could not read the repository; it may be damaged or gone', { cause });
