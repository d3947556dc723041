import { Matches } from './matches.ts';

/** Numbers that there is always room for; what takes more is not kept for the next step. */
const KEPT = 1 << 21;

/**
 * The matches of one step of a search, in memory that is used again and again: what is put together on the way to them, and themselves, are good until
 * the next step begins. So there is nothing to collect, and no more than this is held by all searches of a thread.
 */
export class StepMemory {
  #data = new Uint32Array(KEPT);
  /** What is put together now stands between these, and before it what was taken in this step. */
  #start = 0;
  #end = 0;

  /** The matches of the last step are good no more. */
  begin(): void {
    [this.#start, this.#end] = [0, 0];
    if (this.#data.length > KEPT) this.#data = new Uint32Array(KEPT);
  }

  /** So many numbers to be filled in; `keep` says how many of them were. */
  room(length: number): Uint32Array {
    const end = this.#start + length;
    if (end > this.#data.length) this.#grow(length);
    return this.#data.subarray(this.#start, this.#start + length);
  }

  keep(length: number): Matches {
    this.#end = this.#start + length;
    return this.take();
  }

  add({ data }: Matches): void {
    const end = this.#end + data.length;
    if (end > this.#data.length) this.#grow(end - this.#start);
    this.#data.set(data, this.#end);
    this.#end += data.length;
  }

  /** All that were added. */
  take(): Matches {
    const matches = new Matches(this.#data.subarray(this.#start, this.#end));
    this.#start = this.#end;
    return matches;
  }

  /** Forgets what was added and not taken. */
  drop(): void {
    this.#end = this.#start;
  }

  /** What was taken stays where it is. */
  #grow(length: number): void {
    const added = this.#data.subarray(this.#start, this.#end);
    this.#data = new Uint32Array(Math.max(length, 2 * added.length, KEPT));
    this.#data.set(added);
    [this.#start, this.#end] = [0, added.length];
  }
}
