import { LimitError } from '../errors.ts';
import type { Shard } from '../format/shard.ts';
import { forEachTrigram } from '../format/trigram-dictionary.ts';
import type { Arena } from '../kernel/arena.ts';
import { compiledTerm } from '../match/compiled-term.ts';
import type { Literal, Regex } from '../match/compiled-term.ts';
import type { RequiredTrigrams } from './block-requirements.ts';

/** Shards of a table, a column each: a row is then one cache line. */
const COLUMNS = 512;
const WORDS = COLUMNS / 32;
const ROW_BITS = 15;
const TABLE_WORDS = WORDS << ROW_BITS;
/** A shard with more trigrams would set nearly every row, so it gets no column. */
const MAX_TRIGRAMS = 1 << (ROW_BITS + 1);

/** The column of a shard, for any thread. */
export interface SignatureColumn {
  /** Address of its table. */
  readonly table: number;
  readonly number: number;
}

interface Table {
  readonly address: number;
  readonly free: number[];
}

/**
 * Bit-sliced signatures: which of many small shards may contain a text. A table has a column per shard and a row per hash of a trigram.
 * The rows of a text's trigrams, ANDed, are the shards that may contain it. This is faster than looking up each shard.
 * Belongs to the thread that loads shards.
 */
export class BitSlicedSignatures {
  readonly #arena: Arena;
  readonly #tables: Table[] = [];
  /** By address of the shard. */
  readonly #open = new Map<number, SignatureColumn>();

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  /** Adds a shard. Undefined if it has too many trigrams or none, or if there is no room. */
  open(shard: Shard): SignatureColumn | undefined {
    if (shard.trigrams === 0 || shard.trigrams > MAX_TRIGRAMS) return undefined;
    const table = this.#tables.find(({ free }) => free.length > 0) ?? this.#addTable();
    const number = table?.free.pop();
    if (!table || number === undefined) return undefined;
    const column = { table: table.address, number };
    const rows = rowsOf(shard);
    const [word, bit] = [(table.address >>> 2) + (number >>> 5), 1 << (number & 31)];
    const { u32 } = this.#arena;
    for (let i = 0; i < rows.length; i++)
      for (let left = rows[i] ?? 0; left !== 0; left &= left - 1) {
        const at = word + (32 * i + 31 - Math.clz32(left & -left)) * WORDS;
        u32[at] = (u32[at] ?? 0) | bit;
      }
    this.#open.set(shard.handle.address, column);
    return column;
  }

  /** Removes the shard at an address, after all use. */
  close(shard: number): void {
    const column = this.#open.get(shard);
    if (!column) return;
    this.#open.delete(shard);
    const { u32 } = this.#arena;
    const word = (column.table >>> 2) + (column.number >>> 5);
    const others = ~(1 << (column.number & 31));
    for (let at = word; at < word + TABLE_WORDS; at += WORDS) u32[at] = (u32[at] ?? 0) & others;
    this.#tables.find(({ address }) => address === column.table)?.free.push(column.number);
  }

  #addTable(): Table | undefined {
    try {
      const address = this.#arena.allocate(TABLE_WORDS * 4);
      this.#arena.words(address, TABLE_WORDS).fill(0);
      const table = { address, free: Array.from({ length: COLUMNS }, (_, i) => COLUMNS - 1 - i) };
      this.#tables.push(table);
      return table;
    } catch (error) {
      if (error instanceof LimitError) return undefined;
      throw error;
    }
  }
}

/** The rows that a shard sets, as a bitmap: the table, which is larger than the processor's cache, is then written in order. */
function rowsOf({ dictionary }: Shard): Uint32Array {
  const rows = new Uint32Array((1 << ROW_BITS) / 32);
  forEachTrigram(dictionary, (trigram) => {
    const row = rowOf(trigram);
    rows[row >>> 5] = (rows[row >>> 5] ?? 0) | (1 << (row & 31));
  });
  return rows;
}

/** By term and address of a table: the columns that may contain the term. Computed when a term is first looked up. */
const found = new WeakMap<Literal | Regex, Map<number, Uint32Array>>();

/**
 * Whether a shard may contain a term, by its trigrams. Always true without a column.
 * A term does not see shards that are added after its first lookup. Throws QueryError and LimitError.
 */
export function mayContain(arena: Arena, column: SignatureColumn | undefined, term: Literal | Regex): boolean {
  if (!column) return true;
  const { table, number } = column;
  const tables = found.get(term) ?? new Map<number, Uint32Array>();
  const columns = tables.get(table) ?? columnsWith(compiledTerm(term).needs, arena.words(table, TABLE_WORDS));
  if (tables.size === 0) found.set(term, tables);
  tables.set(table, columns);
  return (((columns[number >>> 5] ?? 0) >>> (number & 31)) & 1) === 1;
}

function columnsWith(need: RequiredTrigrams, table: Uint32Array): Uint32Array {
  const columns = new Uint32Array(WORDS).fill(0xffff_ffff);
  if (!need) return columns;
  if ('trigrams' in need)
    for (const trigram of need.trigrams)
      keep(columns, table.subarray(WORDS * rowOf(trigram), WORDS * (rowOf(trigram) + 1)));
  else if ('all' in need) for (const part of need.all) keep(columns, columnsWith(part, table));
  else keep(columns, need.any.map((part) => columnsWith(part, table)).reduce(united, new Uint32Array(WORDS)));
  return columns;
}

function keep(columns: Uint32Array, others: Uint32Array): void {
  for (let i = 0; i < WORDS; i++) columns[i] = (columns[i] ?? 0) & (others[i] ?? 0);
}

const united = (a: Uint32Array, b: Uint32Array): Uint32Array => a.map((word, i) => word | (b[i] ?? 0));

const rowOf = (trigram: number): number => Math.imul(trigram, 0x9e3779b1) >>> (32 - ROW_BITS);
