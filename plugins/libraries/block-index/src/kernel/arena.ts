import { LimitError } from '../errors.ts';

const PAGE = 65_536;
const ALIGNMENT = 16;
/** Searches read a little past the end of what they search (1,024 bytes of needle and one vector pair). */
const PADDING = 2048;

/** What another thread needs to work in the same memory. */
export interface ArenaPart {
  readonly memory: WebAssembly.Memory;
  readonly start: number;
  readonly bytes: number;
}

/**
 * A part of a shared WebAssembly memory that hands out pieces: first fit, neighbours merge when released. A memory holds at
 * most 4 GB; address space is reserved at once, real memory only when touched. The bookkeeping belongs to one thread: give each
 * other thread a part of its own with `split`.
 */
export class Arena {
  readonly memory: WebAssembly.Memory;
  readonly u8: Uint8Array;
  /** The same. */
  readonly buffer: Buffer;
  readonly u32: Uint32Array;
  readonly #free: { start: number; end: number }[];
  readonly #taken = new Map<number, number>();

  constructor({ memory, start, bytes }: ArenaPart) {
    this.memory = memory;
    this.u8 = new Uint8Array(memory.buffer);
    this.buffer = Buffer.from(memory.buffer);
    this.u32 = new Uint32Array(memory.buffer);
    this.#free = [{ start, end: start + bytes }];
  }

  /** A new memory of so many usable bytes. Throws LimitError beyond 4 GB. */
  static create(bytes: number): Arena {
    const pages = Math.ceil((bytes + PAGE + PADDING) / PAGE);
    if (pages > 65_536) throw new LimitError(`an arena holds less than 4 GB, not ${bytes} bytes`);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    return new Arena({ memory, start: PAGE, bytes: pages * PAGE - PAGE - PADDING });
  }

  /** Takes out a part for another thread, which makes its own Arena of it. */
  split(bytes: number): ArenaPart {
    return { memory: this.memory, start: this.allocate(bytes), bytes };
  }

  /** Address of a free piece, a multiple of 16. Its bytes are what the last owner left. Throws LimitError when none is large enough. */
  allocate(bytes: number): number {
    const size = Math.max(ALIGNMENT, Math.ceil(bytes / ALIGNMENT) * ALIGNMENT);
    const index = this.#free.findIndex(({ start, end }) => end - start >= size);
    const piece = this.#free[index];
    if (!piece) throw new LimitError(`no ${bytes} bytes are free in the memory of the index`);
    const address = piece.start;
    piece.start += size;
    if (piece.start === piece.end) this.#free.splice(index, 1);
    this.#taken.set(address, size);
    return address;
  }

  /** Bytes handed out. */
  get taken(): number {
    return [...this.#taken.values()].reduce((sum, size) => sum + size, 0);
  }

  /** Bytes of the largest piece that is free. */
  get largestFree(): number {
    return Math.max(0, ...this.#free.map(({ start, end }) => end - start));
  }

  release(address: number): void {
    const size = this.#taken.get(address);
    if (size === undefined) return;
    this.#taken.delete(address);
    const next = this.#free.findIndex(({ start }) => start > address);
    const at = next < 0 ? this.#free.length : next;
    this.#free.splice(at, 0, { start: address, end: address + size });
    this.#merge(at);
    this.#merge(at - 1);
  }

  #merge(index: number): void {
    const piece = this.#free[index];
    const next = this.#free[index + 1];
    if (!piece || !next || piece.end !== next.start) return;
    piece.end = next.end;
    this.#free.splice(index + 1, 1);
  }

  /** A view of `count` u32 at an address. */
  words(address: number, count: number): Uint32Array {
    return this.u32.subarray(address >>> 2, (address >>> 2) + count);
  }
}
