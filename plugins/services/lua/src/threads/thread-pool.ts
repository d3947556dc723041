import { SextantError } from '@sextant/core';
import { ScriptThread } from './script-thread.ts';
import type { ScriptThreadOptions } from './script-thread.ts';

export interface ThreadPoolOptions extends ScriptThreadOptions {
  /** Scripts that run at the same time. */
  readonly threads: number;
}

interface Waiting {
  readonly user: number;
  readonly thread: PromiseWithResolvers<ScriptThread>;
}

/**
 * Threads for scripts. One that is idle is always ready, as long as there may be more. One user's scripts never have all
 * threads, and of those that wait comes first whose user has the fewest.
 */
export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  readonly #idle: ScriptThread[] = [];
  readonly #busy = new Map<ScriptThread, number>();
  readonly #ending = new Set<Promise<void>>();
  #waiting: Waiting[] = [];
  #isClosed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  /** What operators see of it. */
  get load(): { threads: number; running: number; waiting: number } {
    return { threads: this.#idle.length + this.#busy.size, running: this.#busy.size, waiting: this.#waiting.length };
  }

  /** Starts a thread ahead of the first script. */
  warmUp(): void {
    if (this.#isClosed || this.#idle.length > 0 || this.#busy.size >= this.#options.threads) return;
    this.#idle.push(new ScriptThread(this.#options));
  }

  /** A thread for a script of that user; throws the reason of the signal when it aborts before there is one. */
  async acquire(user: number, signal: AbortSignal): Promise<ScriptThread> {
    signal.throwIfAborted();
    const waiting = { user, thread: Promise.withResolvers<ScriptThread>() };
    const giveUp = (): void => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      waiting.thread.reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    this.#waiting.push(waiting);
    this.#serve();
    try {
      return await waiting.thread.promise;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** Takes a thread back; one that was stopped or failed is replaced. */
  release(thread: ScriptThread, isReusable: boolean): void {
    this.#busy.delete(thread);
    if (isReusable && thread.isAlive && !this.#isClosed) this.#idle.push(thread);
    else this.#end(thread);
    this.#serve();
    this.warmUp();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { thread } of this.#waiting.splice(0)) thread.reject(stopping());
    for (const thread of [...this.#idle.splice(0), ...this.#busy.keys()]) this.#end(thread);
    await Promise.all(this.#ending);
  }

  #serve(): void {
    if (this.#isClosed) for (const { thread } of this.#waiting.splice(0)) thread.reject(stopping());
    for (let next = this.#nextWaiting(); next; next = this.#nextWaiting()) {
      const thread = this.#aliveIdle() ?? new ScriptThread(this.#options);
      this.#busy.set(thread, next.user);
      this.#waiting = this.#waiting.filter((other) => other !== next);
      next.thread.resolve(thread);
    }
    if (this.#waiting.length === 0) this.warmUp();
  }

  /** Whose turn it is, if there is a thread for them. */
  #nextWaiting(): Waiting | undefined {
    const { threads } = this.#options;
    if (this.#busy.size >= threads) return undefined;
    const runningOf = ({ user }: Waiting): number => [...this.#busy.values()].filter((each) => each === user).length;
    const allowed = this.#waiting.filter((waiting) => runningOf(waiting) < Math.max(1, threads - 1));
    return allowed.toSorted((a, b) => runningOf(a) - runningOf(b))[0];
  }

  #aliveIdle(): ScriptThread | undefined {
    const alive = this.#idle.splice(0).filter(({ isAlive }) => isAlive);
    const [first, ...others] = alive;
    this.#idle.push(...others);
    return first;
  }

  #end(thread: ScriptThread): void {
    const ending = thread.terminate().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

const stopping = (): SextantError => new SextantError('unavailable', 'the server is stopping; run the script again');
