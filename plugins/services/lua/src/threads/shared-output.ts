/** Places of numbers at the beginning: whether the thread was answered, and how many bytes are printed. */
const place = { isAnswered: 0, length: 1 } as const;
const headBytes = 8;

/**
 * What a script printed, in memory that its thread shares with the one that watches it: it can be read while the script
 * runs and after it was stopped, and never needs more room than it was given.
 */
export class SharedOutput {
  readonly buffer: SharedArrayBuffer;
  readonly #head: Int32Array;
  readonly #bytes: Uint8Array;

  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer;
    this.#head = new Int32Array(buffer, 0, headBytes / 4);
    this.#bytes = new Uint8Array(buffer, headBytes);
  }

  static ofSize(bytes: number): SharedOutput {
    return new SharedOutput(new SharedArrayBuffer(headBytes + bytes));
  }

  /** A copy of what was printed so far. */
  get printed(): Uint8Array {
    return this.#bytes.slice(0, Atomics.load(this.#head, place.length));
  }

  clear(): void {
    Atomics.store(this.#head, place.length, 0);
  }

  /** Adds as much as there is room for; false where that is not all. */
  append(bytes: Uint8Array): boolean {
    const length = Atomics.load(this.#head, place.length);
    const fitting = bytes.subarray(0, this.#bytes.length - length);
    this.#bytes.set(fitting, length);
    Atomics.store(this.#head, place.length, length + fitting.length);
    return fitting.length === bytes.length;
  }

  /** For the thread, before it asks. */
  expectAnswer(): void {
    Atomics.store(this.#head, place.isAnswered, 0);
  }

  /** Blocks the thread until `wake`. */
  sleep(): void {
    Atomics.wait(this.#head, place.isAnswered, 0);
  }

  wake(): void {
    Atomics.store(this.#head, place.isAnswered, 1);
    Atomics.notify(this.#head, place.isAnswered);
  }
}
