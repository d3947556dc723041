import type { Progress } from '@sextant/core';
import type { ResearchWork } from '@sextant/contracts';

/** What one piece of research may still do. */
export class Work {
  readonly signal: AbortSignal;
  readonly #report: (progress: Progress) => void;
  readonly #end: number;
  #calls: number;
  #steps = 0;

  constructor({ signal, reportProgress, maxCalls, maxSeconds }: Required<ResearchWork>) {
    this.signal = signal;
    this.#report = reportProgress;
    this.#calls = maxCalls;
    this.#end = performance.now() + maxSeconds * 1000;
  }

  get isSpent(): boolean {
    return this.#calls <= 0 || performance.now() > this.#end;
  }

  /** Says what is done now. */
  step(message: string): void {
    this.signal.throwIfAborted();
    this.#steps += 1;
    this.#report({ progress: this.#steps, message });
  }

  /** Makes a call that is worth its place; undefined once the limits are reached. */
  async call<T>(make: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    if (this.isSpent) return undefined;
    this.#calls -= 1;
    return make(this.signal);
  }
}
