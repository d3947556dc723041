/** Thrown into a search to end it. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

/** Ends a search when it is told to, or when its time is over. */
export class StopWatch {
  readonly #flag: Int32Array;
  readonly #end: number;

  constructor({ stop, milliseconds }: { readonly stop: SharedArrayBuffer; readonly milliseconds: number | undefined }) {
    this.#flag = new Int32Array(stop);
    this.#end = performance.now() + (milliseconds ?? Infinity);
  }

  /** Whether its own time is over, and nobody stopped it. */
  get isOver(): boolean {
    return Atomics.load(this.#flag, 0) === 0 && performance.now() > this.#end;
  }

  /** Throws StoppedError. */
  check(): void {
    if (Atomics.load(this.#flag, 0) !== 0 || performance.now() > this.#end) throw new StoppedError('stopped');
  }
}
