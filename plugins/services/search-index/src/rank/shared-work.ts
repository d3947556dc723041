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

  constructor(memory: SharedNumbers, phases: number) {
    this.#numbers = memory.take(Int32Array, numbersOfPhase * phases);
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
/** Bytes of a piece of memory, or of an array that is larger. */
const pieceBytes = 1 << 18;

interface SharedArrayType<T> {
  readonly BYTES_PER_ELEMENT: number;
  new (memory: SharedArrayBuffer, at: number, count: number): T;
}

/** Memory that several threads share, as arrays of zeros. Threads that ask for the same arrays in the same order share them. */
export class SharedNumbers {
  /** The first thread makes the pieces. */
  readonly memory: SharedArrayBuffer[];
  readonly #isGiven: boolean;
  #piece = -1;
  #end = Infinity;

  /** `memory`: that of the first thread, for any other. */
  constructor(memory?: readonly SharedArrayBuffer[]) {
    this.memory = [...(memory ?? [])];
    this.#isGiven = memory !== undefined;
  }

  take<T>(type: SharedArrayType<T>, count: number): T {
    const size = Math.ceil((count * type.BYTES_PER_ELEMENT) / alignment) * alignment;
    if (this.#end + size > (this.memory[this.#piece]?.byteLength ?? 0)) [this.#piece, this.#end] = [this.#piece + 1, 0];
    const piece = this.memory[this.#piece] ?? this.#add(Math.max(pieceBytes, size));
    this.#end += size;
    return new type(piece, this.#end - size, count);
  }

  #add(bytes: number): SharedArrayBuffer {
    if (this.#isGiven) throw new RangeError('threads asked for shared memory in another order');
    const piece = new SharedArrayBuffer(bytes);
    this.memory.push(piece);
    return piece;
  }
}
