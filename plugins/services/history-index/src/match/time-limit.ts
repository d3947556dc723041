import { joinSignals, timeoutSignal } from '@sextant/core';
/** The longest time of one answer. Then what was found so far is answered. */
export class TimeLimit {
  /** Aborts when time is up or the caller leaves. */
  readonly signal: AbortSignal;
  readonly #late: AbortSignal;
  readonly #caller: AbortSignal;

  constructor(seconds: number, caller: AbortSignal) {
    this.#caller = caller;
    this.#late = timeoutSignal(seconds * 1000);
    this.signal = joinSignals(caller, this.#late);
  }

  /** Throws the caller's reason when they have left. */
  throwIfLeft(): void {
    this.#caller.throwIfAborted();
  }

  /** Whether time is up while the caller still waits. */
  get isOver(): boolean {
    return this.#late.aborted && !this.#caller.aborted;
  }
}
