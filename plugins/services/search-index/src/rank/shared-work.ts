/** Numbers (i32) of each phase: how many items are begun, and how many are done. */
const numbersOfPhase = 2;
/** Milliseconds that a thread waits for others before its other searches get a slice. */
const waitMs = 0.5;

/**
 * Work that several threads do together, in phases of numbered items. Each thread does the next item that nobody has begun. No thread
 * begins a phase before all items of the last one are done. A thread that comes later skips what is done and helps with the rest.
 */
export class SharedWork {
  readonly #numbers: Int32Array;
  #phase = 0;

  constructor(numbers: Int32Array) {
    this.#numbers = numbers;
  }

  static numbersFor(phases: number): number {
    return numbersOfPhase * phases;
  }

  /** Does items of the next phase that nobody else does. Yields between their steps, and until all are done. */
  *each<T>(items: readonly T[], work: (item: T, index: number) => Iterable<void> | void): Generator<void> {
    const begun = numbersOfPhase * this.#phase;
    const done = begun + 1;
    this.#phase += 1;
    for (let next = this.#take(begun); next < items.length; next = this.#take(begun)) {
      const item = items[next];
      if (item !== undefined) yield* work(item, next) ?? [];
      Atomics.add(this.#numbers, done, 1);
      Atomics.notify(this.#numbers, done);
      yield;
    }
    for (let all = Atomics.load(this.#numbers, done); all < items.length; all = Atomics.load(this.#numbers, done)) {
      Atomics.wait(this.#numbers, done, all, waitMs);
      yield;
    }
  }

  #take(begun: number): number {
    return Atomics.add(this.#numbers, begun, 1);
  }
}

const alignment = 4;
const aligned = (bytes: number): number => Math.ceil(bytes / alignment) * alignment;

/** Divides a memory into arrays. Threads that ask for the same arrays in the same order share them. */
export class SharedNumbers {
  readonly memory: SharedArrayBuffer;
  #end = 0;

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
  }

  /** Bytes that some arrays take, one after the other. `lengths` has the number of values and the bytes of a value. */
  static bytesFor(...lengths: readonly (readonly [count: number, bytes: number])[]): number {
    return lengths.reduce((sum, [count, bytes]) => sum + aligned(count * bytes), 0);
  }

  bytes(count: number): Uint8Array {
    return new Uint8Array(this.memory, this.#take(count), count);
  }

  shorts(count: number): Uint16Array {
    return new Uint16Array(this.memory, this.#take(2 * count), count);
  }

  words(count: number): Uint32Array {
    return new Uint32Array(this.memory, this.#take(4 * count), count);
  }

  integers(count: number): Int32Array {
    return new Int32Array(this.memory, this.#take(4 * count), count);
  }

  floats(count: number): Float32Array {
    return new Float32Array(this.memory, this.#take(4 * count), count);
  }

  #take(bytes: number): number {
    const at = this.#end;
    this.#end += aligned(bytes);
    return at;
  }
}
