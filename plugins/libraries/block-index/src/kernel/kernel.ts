import { readFileSync } from 'node:fs';

/** The functions of assembly/kernel.ts, which documents them. An address comes back as i32: use `>>> 0` where it may be beyond 2 GB. */
export interface Kernel {
  decodeRange(list: number, count: number, from: number, to: number, out: number): number;
  intersect(ids: number, count: number, list: number, listCount: number, scratch: number): number;
  encode(ids: number, count: number, out: number): number;
  setBits(ids: number, count: number, from: number, bitmap: number): void;
  takeBits(bitmap: number, bytes: number, from: number, out: number): number;
  startPool(address: number): void;
  beginBlock(): void;
  beginSegment(): void;
  appendTrigrams(from: number, to: number, fold: number): void;
  endSegment(): void;
  addToBlock(trigram: number): void;
  appendNames(from: number, to: number, tables: number): void;
  endBlock(block: number): void;
  beginLists(): number;
  nextList(out: number, entry: number): number;
  allBlocks(from: number, to: number, out: number): number;
  allowedBlocks(shard: number, ids: number, count: number, filter: number): number;
  countBlocks(shard: number, ids: number, count: number, counts: number): void;
  documentsOf(shard: number, ids: number, count: number, filter: number, out: number, capacity: number): number;
  find(from: number, to: number, needle: number): number;
  findWindow(from: number, to: number, tables: number): number;
  countNewlines(from: number, to: number): number;
  scanLiteral(
    shard: number,
    ids: number,
    count: number,
    bases: number,
    filter: number,
    needle: number,
    out: number,
    capacity: number,
  ): number;
  readonly scanRegex: Kernel['scanLiteral'];
  scanDocument(
    shard: number,
    document: number,
    from: number,
    base: number,
    needle: number,
    out: number,
    capacity: number,
  ): number;
  readonly scanned: WebAssembly.Global<'i32'>;
  readonly resumeAt: WebAssembly.Global<'i32'>;
  matchEnd(dfa: number, from: number, low: number, end: number): number;
  matchStart(dfa: number, from: number, to: number, low: number, end: number): number;
  isUtf8(from: number, to: number): number;
}

/** What the kernel calls while it runs. */
interface KernelHost {
  /** Fills in an entry of a DFA's table and returns it. */
  miss(dfa: number, row: number, column: number): number;
  /** Called every few megabytes; throws to stop the search. */
  checkpoint(): void;
  /** Address of `bytes` bytes for a copy of a line, valid until the next call. */
  room(bytes: number): number;
}

let compiled: WebAssembly.Module | undefined;

/** Instantiates the kernel over a shared memory. */
export function loadKernel(memory: WebAssembly.Memory, { miss, checkpoint, room }: KernelHost): Kernel {
  compiled ??= new WebAssembly.Module(readFileSync(new URL('./kernel.wasm', import.meta.url)));
  const { exports } = new WebAssembly.Instance(compiled, {
    env: { memory },
    regex: { miss, checkpoint, room },
  });
  return exports as unknown as Kernel; // the one place where the compiled module gets its type
}
