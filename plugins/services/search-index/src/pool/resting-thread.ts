import { heavyMs } from './fair-turns.ts';
import type { RestartableThread } from './restartable-thread.ts';
import type { RunningJob, RunningJobs } from './running-jobs.ts';

/** Who began a search less than so many milliseconds ago will soon begin another. */
const recentMs = 200;
/** So many milliseconds one thread rests, then the next. */
const restMs = 100;
/** Who had a heavy search less than so many milliseconds ago is one of those that the others wait for. */
const rememberedMs = 1000;

/**
 * Where heavy searches run on every thread they rest on one of them while somebody else searches, on each in turn, so that the others have it for
 * themselves. With a heavy search on each of two processors a short one waits for the scheduler at every step between the main thread and the one that
 * searches, two to three times as long as all of it takes.
 */
export class RestingThread {
  readonly #threads: readonly RestartableThread[];
  readonly #running: RunningJobs;
  /** When each caller last had a heavy search, the latest at the end. */
  readonly #heavy = new Map<number, number>();
  #thread: RestartableThread | undefined;
  #next: NodeJS.Timeout | undefined;
  /** When somebody who has no heavy ones last began a search. */
  #lastBegun = -Infinity;

  constructor(threads: readonly RestartableThread[], running: RunningJobs) {
    this.#threads = threads;
    this.#running = running;
  }

  /** The one on which heavy searches rest now. */
  get thread(): RestartableThread | undefined {
    return this.#thread;
  }

  /** A caller begins a search. */
  begin(caller: number): void {
    const now = performance.now();
    for (const { job } of this.#running.over(heavyMs)) this.#remember(job.caller, now);
    if (now - (this.#heavy.get(caller) ?? -Infinity) < rememberedMs) return;
    this.#lastBegun = now;
    if (this.#thread || !this.#isNeeded()) return;
    this.#rest(this.#threads.at(-1));
    this.#next = setInterval(() => this.#turn(), restMs).unref();
  }

  /** What ran has ended. */
  end({ job, begun }: RunningJob): void {
    const now = performance.now();
    if (now - begun >= heavyMs) this.#remember(job.caller, now);
    if (this.#thread && !this.#isNeeded()) this.close();
  }

  /** All threads go on. */
  close(): void {
    clearInterval(this.#next);
    this.#rest(undefined);
  }

  #remember(caller: number, now: number): void {
    for (const [other, at] of this.#heavy) if (now - at >= rememberedMs) this.#heavy.delete(other);
    this.#heavy.delete(caller);
    this.#heavy.set(caller, now);
  }

  /** Whether no thread is without a heavy search. */
  #isNeeded(): boolean {
    const busy = new Set(this.#running.over(heavyMs).map(({ thread }) => thread));
    return this.#threads.length > 1 && this.#threads.every((thread) => busy.has(thread));
  }

  #turn(): void {
    if (performance.now() - this.#lastBegun >= recentMs || !this.#isNeeded()) {
      this.close();
      return;
    }
    const at = this.#thread ? this.#threads.indexOf(this.#thread) : -1;
    this.#rest(this.#threads[(at + 1) % this.#threads.length]);
  }

  #rest(thread: RestartableThread | undefined): void {
    this.#thread?.mention({ kind: 'rest', isResting: false });
    this.#thread = thread;
    thread?.mention({ kind: 'rest', isResting: true });
  }
}
