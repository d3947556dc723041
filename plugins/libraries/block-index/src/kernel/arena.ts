import { LimitError } from '../errors.ts';

const PAGE = 65_536;
const ALIGNMENT = 16;
/** The kernel reads up to 1,024 bytes of needle and two vectors past the end of a text. */
const PADDING = 2048;

/** A region of a shared memory, which another thread turns into its own Arena. */
export interface ArenaRegion {
  readonly memory: WebAssembly.Memory;
  readonly start: number;
  readonly bytes: number;
}

/**
 * An allocator (first fit, free neighbours merge) over a region of a shared WebAssembly memory of at most 4 GB.
 * Address space is reserved at once, real memory only when touched.
 * The bookkeeping belongs to one thread: use `split` to give another thread a region of its own.
 */
export class Arena {
  readonly memory: WebAssembly.Memory;
  readonly u8: Uint8Array;
  /** The same bytes as `u8`. */
  readonly buffer: Buffer;
  readonly u32: Uint32Array;
  readonly #free: { start: number; end: number }[];
  readonly #taken = new Map<number, number>();

  constructor({ memory, start, bytes }: ArenaRegion) {
    this.memory = memory;
    this.u8 = new Uint8Array(memory.buffer);
    this.buffer = Buffer.from(memory.buffer);
    this.u32 = new Uint32Array(memory.buffer);
    this.#free = [{ start, end: start + bytes }];
  }

  /** Creates a memory of `bytes` usable bytes. Throws LimitError beyond 4 GB. */
  static create(bytes: number): Arena {
    const pages = Math.ceil((bytes + PAGE + PADDING) / PAGE);
    if (pages > 65_536) throw new LimitError(`an arena holds less than 4 GB, not ${bytes} bytes`);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    return new Arena({ memory, start: PAGE, bytes: pages * PAGE - PAGE - PADDING });
  }

  /** Allocates a region for another thread. Throws LimitError when there is no room. */
  split(bytes: number): ArenaRegion {
    return { memory: this.memory, start: this.allocate(bytes), bytes };
  }

  /** Allocates bytes at a multiple of 16, which still have their old content. Throws LimitError when there is no room. */
  allocate(bytes: number): number {
    const size = Math.max(ALIGNMENT, Math.ceil(bytes / ALIGNMENT) * ALIGNMENT);
    const index = this.#free.findIndex(({ start, end }) => end - start >= size);
    const range = this.#free[index];
    if (!range) throw new LimitError(`no ${bytes} bytes are free in the memory of the index`);
    const address = range.start;
    range.start += size;
    if (range.start === range.end) this.#free.splice(index, 1);
    this.#taken.set(address, size);
    return address;
  }

  /** Bytes allocated. */
  get taken(): number {
    return [...this.#taken.values()].reduce((sum, size) => sum + size, 0);
  }

  /** Bytes of the largest free range. */
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
    const range = this.#free[index];
    const next = this.#free[index + 1];
    if (!range || !next || range.end !== next.start) return;
    range.end = next.end;
    this.#free.splice(index + 1, 1);
  }

  /** The `count` u32 at an address. */
  words(address: number, count: number): Uint32Array {
    return this.u32.subarray(address >>> 2, (address >>> 2) + count);
  }
}
