import { Matches } from './matches.ts';

/** Numbers that there is always room for; what takes more is not kept for the next time. */
const KEPT = 1 << 19;

/** Matches put together, in memory that is used again and again: only the whole is copied out of it. */
export class Gathered {
  #data = new Uint32Array(KEPT);
  #length = 0;

  add({ data }: Matches): void {
    const length = this.#length + data.length;
    if (length > this.#data.length) this.#grow(length);
    this.#data.set(data, this.#length);
    this.#length = length;
  }

  /** All of them; then there are none. */
  take(): Matches {
    const matches = new Matches(this.#data.slice(0, this.#length));
    this.clear();
    return matches;
  }

  clear(): void {
    this.#length = 0;
    if (this.#data.length > KEPT) this.#data = new Uint32Array(KEPT);
  }

  #grow(length: number): void {
    const data = new Uint32Array(Math.max(length, 2 * this.#data.length));
    data.set(this.#data.subarray(0, this.#length));
    this.#data = data;
  }
}
