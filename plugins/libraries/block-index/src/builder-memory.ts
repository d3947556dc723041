/** Where text is put, a piece at a time. */
export const TEXT_AT = 65_536;
export const TEXT_BYTES = 65_536;
/** The pool: tables, then what grows with the text. */
export const POOL_AT = TEXT_AT + 2 * TEXT_BYTES;
export const MOST_KEYS = 1 << 21;

/** The tables, as in assembly/grams.ts: which runs of 128 keys are used, the keys of the block, and 16 bytes for each key. */
const USED_RUNS = MOST_KEYS >> 7;
const RECORDS_AT = POOL_AT + 4 * USED_RUNS + (MOST_KEYS >> 3);
const RUN_BYTES = 128 * 16;
export const TABLES_END = RECORDS_AT + 16 * MOST_KEYS;

/** The tables: 48 MB, of which only touched pages are real. */
const INITIAL_PAGES = 768;
/** A memory that has grown beyond this is not kept. */
const MOST_SPARE = 96 << 20;

/** Of a builder of this thread that has finished: new memories stay until they are collected, which is long after many small shards. */
let spare: WebAssembly.Memory | undefined;

/** Memory for a builder, its tables zeroed. */
export function takeMemory(): WebAssembly.Memory {
  const memory = spare ?? new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: 65_536, shared: true });
  spare = undefined;
  return memory;
}

/** Keeps the memory of a builder for the next one. */
export function giveBack(memory: WebAssembly.Memory): void {
  if (memory.buffer.byteLength > MOST_SPARE) return;
  const used = new Uint32Array(memory.buffer, POOL_AT, USED_RUNS);
  const bytes = new Uint8Array(memory.buffer);
  for (let run = used.indexOf(1); run >= 0; run = used.indexOf(1, run + 1))
    bytes.fill(0, RECORDS_AT + run * RUN_BYTES, RECORDS_AT + (run + 1) * RUN_BYTES);
  used.fill(0);
  spare = memory;
}
