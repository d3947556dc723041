import type { Arena } from '../kernel/arena.ts';

/** What was stored so much of the ring ago is not moved; with the quarter that a batch may store something is left for waste at the end. */
const YOUNG = 5 / 8;

interface Entry {
  readonly key: number;
  readonly address: number;
  readonly end: number;
  /** Bytes that had been stored before it: its age. */
  readonly storedAt: number;
}

/**
 * The texts of blocks in a ring of memory: a new one takes the place of the oldest. What is found in the older part moves to
 * the front, so that what is in use stays, and what was found or stored is not overwritten before a quarter of the ring follows.
 */
export class BlockCache {
  readonly #arena: Arena;
  readonly #start: number;
  readonly #bytes: number;
  readonly #entries = new Map<number, Entry>();
  #order: Entry[] = [];
  #oldest = 0;
  #head = 0;
  #stored = 0;

  constructor(arena: Arena, bytes: number) {
    this.#arena = arena;
    this.#start = arena.allocate(bytes);
    this.#bytes = bytes;
  }

  /** Bytes stored so far: at most a quarter of the ring may follow before what a batch uses is overwritten. */
  get stored(): number {
    return this.#stored;
  }

  /** Address of a block's text. */
  find(key: number): number | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (this.#stored - entry.storedAt < this.#bytes * YOUNG) return entry.address;
    return this.store(key, this.#arena.u8.subarray(entry.address, entry.end));
  }

  store(key: number, text: Uint8Array): number {
    if (this.#head + text.length > this.#bytes) {
      this.#evict(this.#start + this.#head, this.#start + this.#bytes);
      this.#stored += this.#bytes - this.#head;
      this.#head = 0;
    }
    const address = this.#start + this.#head;
    const end = address + text.length;
    this.#evict(address, end);
    this.#arena.u8.set(text, address);
    const entry = { key, address, end, storedAt: this.#stored };
    this.#entries.set(key, entry);
    this.#order.push(entry);
    this.#head += text.length;
    this.#stored += text.length;
    return address;
  }

  clear(): void {
    this.#entries.clear();
  }

  release(): void {
    this.#arena.release(this.#start);
    this.#entries.clear();
  }

  /** Forgets the oldest entries as long as they lie in [from, to). */
  #evict(from: number, to: number): void {
    for (
      let entry = this.#order[this.#oldest];
      entry && entry.address < to && entry.end > from;
      entry = this.#order[this.#oldest]
    ) {
      if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key);
      this.#oldest++;
    }
    if (this.#oldest > 4096 && this.#oldest * 2 > this.#order.length) {
      this.#order = this.#order.slice(this.#oldest);
      this.#oldest = 0;
    }
  }
}
