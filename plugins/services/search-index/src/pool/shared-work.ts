/** i32 for each phase: items that were begun, and that are done. */
const numbersOfPhase = 2;
/** Longest time, in milliseconds, that a thread waits for others before those that search there besides have their turn. */
const waitMs = 0.5;

/**
 * What several threads do together, in phases of numbered items: each does the item that nobody has begun, and none begins the next phase before all
 * items of one are done. A thread that comes later goes through the phases that are over, and helps with the rest.
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

  /** Does the items of the next phase that nobody else does; yields between their steps, and until all are done. */
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

/** Hands out the parts of a memory: whoever asks for the same in the same order, in whatever thread, has the same. */
export class SharedNumbers {
  readonly memory: SharedArrayBuffer;
  #end = 0;

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
  }

  /** Bytes of memory that so many numbers of 1, 2 and 4 bytes take when they are asked for one after the other. */
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
