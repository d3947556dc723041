/** Where text is put, a piece at a time. */
export const TEXT_AT = 65_536;
export const TEXT_BYTES = 65_536;
/** The pool: tables, then what grows with the text. */
export const POOL_AT = TEXT_AT + 2 * TEXT_BYTES;

/** The tables, as in assembly/grams.ts: groups of keys, places in one of them, which keys a block has had, and these. */
const MOST_KEYS = 1 << 21;
export const TABLES_END = POOL_AT + 32_768 + MOST_KEYS / 8 + 4 * MOST_KEYS;

/** The tables: 9 MB, of which only touched pages are real. */
const INITIAL_PAGES = 192;
/** A memory that has grown beyond this, as it does for more than about 128 MB of text, is not kept. */
const MOST_SPARE = 192 << 20;

/** Of a builder of this thread that has finished: new memories stay until they are collected, which is long after many small shards. */
let spare: WebAssembly.Memory | undefined;

/** Memory for a builder; what blocks have had is zero. */
export function takeMemory(): WebAssembly.Memory {
  const memory = spare ?? new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: 65_536, shared: true });
  spare = undefined;
  return memory;
}

/** Keeps the memory of a builder for the next one. */
export function giveBack(memory: WebAssembly.Memory): void {
  if (memory.buffer.byteLength <= MOST_SPARE) spare = memory;
}
