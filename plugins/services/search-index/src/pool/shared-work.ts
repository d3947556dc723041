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
