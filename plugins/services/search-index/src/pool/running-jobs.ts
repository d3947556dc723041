import type { Job } from './protocol.ts';
import type { RestartableThread } from './restartable-thread.ts';
import type { RunningSearch } from './running-search.ts';

/** What one thread does of a search. */
export interface RunningJob {
  readonly job: Job;
  readonly thread: RestartableThread;
  readonly search: RunningSearch;
  readonly begun: number;
  /** Whether it is asked for work now, or has no more to give away. */
  isAsked: boolean;
  isIndivisible: boolean;
}

/** What all threads do, the oldest first. */
export class RunningJobs {
  readonly #byNumber = new Map<number, RunningJob>();

  get size(): number {
    return this.#byNumber.size;
  }

  *[Symbol.iterator](): Iterator<RunningJob> {
    yield* this.#byNumber.values();
  }

  add(running: RunningJob): void {
    this.#byNumber.set(running.job.id, running);
  }

  find(number: number): RunningJob | undefined {
    return this.#byNumber.get(number);
  }

  remove(number: number): void {
    this.#byNumber.delete(number);
  }

  of(search: RunningSearch): RunningJob[] {
    return [...this].filter((running) => running.search === search);
  }

  /** How many a thread has. */
  countOf(thread: RestartableThread): number {
    let count = 0;
    for (const running of this) if (running.thread === thread) count += 1;
    return count;
  }

  /** Those that take longer than so many milliseconds. */
  over(milliseconds: number): RunningJob[] {
    const now = performance.now();
    return [...this].filter(({ begun }) => now - begun >= milliseconds);
  }
}
