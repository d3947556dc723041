import { LimitError } from '../errors.ts';
import type { Shard } from '../format/shard.ts';
import { forEachKey } from '../format/trigram-dictionary.ts';
import type { Arena } from '../kernel/arena.ts';
import { compiledTerm } from '../match/compiled-term.ts';
import type { Literal, Regex } from '../match/compiled-term.ts';
import type { RequiredKeys } from './block-requirements.ts';

/** A table has a column for each of so many shards: then a row is a line of a processor's cache. */
const COLUMNS = 512;
const WORDS = COLUMNS / 32;
const ROW_BITS = 15;
const TABLE_WORDS = WORDS << ROW_BITS;
/** Of more keys a shard would have nearly every row: it is looked at itself. */
const MOST_KEYS = 1 << (ROW_BITS + 1);

/** Where it stands which keys a shard has, for any thread. */
export interface KeyColumn {
  /** Address of its table. */
  readonly table: number;
  readonly number: number;
}

interface Table {
  readonly address: number;
  readonly free: number[];
}

/**
 * Which keys many small shards have, in tables of bits with a column for each of them and rows that keys share: a few rows tell which of hundreds may have a text,
 * where to ask each takes microseconds. Belongs to the thread that loads shards.
 */
export class KeyColumns {
  readonly #arena: Arena;
  readonly #tables: Table[] = [];
  /** By the address of the shard. */
  readonly #open = new Map<number, KeyColumn>();

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  /** Undefined for a shard with too many keys or none, and where there is no room. */
  open(shard: Shard): KeyColumn | undefined {
    if (shard.keys === 0 || shard.keys > MOST_KEYS) return undefined;
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

  /** After all use of the shard at an address. */
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

/** A bit for each row, so that the table is gone through once in its order: it is too large for a processor's cache. */
function rowsOf({ listTable }: Shard): Uint32Array {
  const rows = new Uint32Array((1 << ROW_BITS) / 32);
  forEachKey(listTable, (key) => {
    const row = rowOf(key);
    rows[row >>> 5] = (rows[row >>> 5] ?? 0) | (1 << (row & 31));
  });
  return rows;
}

/** Of each term by the address of the table: what it needs is looked up once for all columns that there are when it is first asked for. */
const found = new WeakMap<Literal | Regex, Map<number, Uint32Array>>();

/** Whether a shard may have a term, by its keys alone; one without a column may. A term that was asked for does not know of shards that come later. Throws QueryError and LimitError. */
export function mayHave(arena: Arena, column: KeyColumn | undefined, term: Literal | Regex): boolean {
  if (!column) return true;
  const { table, number } = column;
  const tables = found.get(term) ?? new Map<number, Uint32Array>();
  const columns = tables.get(table) ?? columnsWith(compiledTerm(term).needs, arena.words(table, TABLE_WORDS));
  if (tables.size === 0) found.set(term, tables);
  tables.set(table, columns);
  return (((columns[number >>> 5] ?? 0) >>> (number & 31)) & 1) === 1;
}

function columnsWith(need: RequiredKeys, table: Uint32Array): Uint32Array {
  const columns = new Uint32Array(WORDS).fill(0xffff_ffff);
  if (!need) return columns;
  if ('every' in need)
    for (const key of need.every) keep(columns, table.subarray(WORDS * rowOf(key), WORDS * (rowOf(key) + 1)));
  else if ('all' in need) for (const part of need.all) keep(columns, columnsWith(part, table));
  else keep(columns, need.any.map((part) => columnsWith(part, table)).reduce(united, new Uint32Array(WORDS)));
  return columns;
}

function keep(columns: Uint32Array, others: Uint32Array): void {
  for (let i = 0; i < WORDS; i++) columns[i] = (columns[i] ?? 0) & (others[i] ?? 0);
}

const united = (a: Uint32Array, b: Uint32Array): Uint32Array => a.map((word, i) => word | (b[i] ?? 0));

const rowOf = (key: number): number => Math.imul(key, 0x9e3779b1) >>> (32 - ROW_BITS);
