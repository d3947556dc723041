import { DamagedShardError } from '../errors.ts';
import { ByteList } from './growing-lists.ts';

/** The posting lists of a shard by their keys, which ascend. */
export interface ListTable {
  /** Of each list its key, where it starts, and the number of its ids side by side: who finds the key has read the others, too. */
  readonly lists: Uint32Array;
  /** The first key of each group, which are those that are the same without their last bits; at the end the number of keys. */
  readonly groups: Uint32Array;
  readonly lastBits: number;
}

const KEY_BITS = 21;
/** A group has about so many keys: a table in which to look first takes a thirtieth of the others. */
const GROUP = 8;

const groupBits = (keys: number): number => Math.max(0, Math.floor(Math.log2(keys / GROUP)));

/** Numbers of a list. */
const FIELDS = 3;
const START = 1;
const COUNT = 2;

/** u32 that the table of so many keys has. */
export const listTableWords = (keys: number): number => FIELDS * keys + 2 ** groupBits(keys) + 1;

/** Divides memory of `listTableWords` u32. */
export function listTableIn(words: Uint32Array, keys: number): ListTable {
  return {
    lists: words.subarray(0, FIELDS * keys),
    groups: words.subarray(FIELDS * keys, listTableWords(keys)),
    lastBits: KEY_BITS - groupBits(keys),
  };
}

/** The number of keys before this one. */
export function keysBefore({ lists, groups, lastBits }: ListTable, key: number): number {
  const group = key >>> lastBits;
  let low = groups[group] ?? lists.length / FIELDS;
  for (let high = groups[group + 1] ?? low; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((lists[FIELDS * middle] ?? 0) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of a list its key, from where in the postings it stands, and the number of its ids; undefined after the last one. */
export function listOf({ lists }: ListTable, i: number): { key: number; start: number; count: number } | undefined {
  const at = FIELDS * i;
  const key = lists[at];
  return key === undefined ? undefined : { key, start: lists[at + START] ?? 0, count: lists[at + COUNT] ?? 0 };
}

/** In ascending order. */
export function forEachKey({ lists }: ListTable, take: (key: number) => void): void {
  for (let at = 0; at < lists.length; at += FIELDS) take(lists[at] ?? 0);
}

function writeGroups({ lists, groups, lastBits }: ListTable): void {
  const keys = lists.length / FIELDS;
  let next = 0;
  for (let i = 0; i < keys; i++)
    for (const group = (lists[FIELDS * i] ?? 0) >>> lastBits; next <= group; next++) groups[next] = i;
  groups.fill(keys, next);
}

/** In a file a list takes a third of that: three varints, the distance of its key, its ids and its bytes. */
export class PackedLists {
  readonly #packed = new ByteList();
  #nextKey = 0;

  add(key: number, ids: number, bytes: number): void {
    this.#packed.addVarint(key - this.#nextKey);
    this.#packed.addVarint(ids);
    this.#packed.addVarint(bytes);
    this.#nextKey = key + 1;
  }

  toBytes(): Uint8Array {
    return this.#packed.toBytes();
  }
}

interface Bounds {
  /** Most ids of a list. */
  readonly ids: number;
  /** Bytes of all lists. */
  readonly bytes: number;
}

/** The reverse of PackedLists. Throws DamagedShardError where a list would lie outside the bounds. */
export function unpackLists(packed: Uint8Array, table: ListTable, bounds: Bounds): void {
  const { lists } = table;
  let at = 0;
  const varint = (): number => {
    let byte = packed[at++] ?? 0;
    let value = byte & 127;
    for (let shift = 7; byte >= 128; shift += 7) {
      byte = packed[at++] ?? 0;
      value |= (byte & 127) << shift;
    }
    return value >>> 0;
  };
  let [key, start] = [-1, 0];
  for (let i = 0; i < lists.length; i += FIELDS) {
    key += 1 + varint();
    const ids = varint();
    lists[i] = key;
    lists[i + START] = start;
    lists[i + COUNT] = ids;
    start += varint();
    if (key >= 2 ** KEY_BITS || ids === 0 || ids > bounds.ids || start > bounds.bytes)
      throw new DamagedShardError('the tables of the shard contradict each other');
  }
  writeGroups(table);
}
