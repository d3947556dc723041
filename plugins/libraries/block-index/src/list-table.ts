import { DamagedShardError } from './errors.ts';

/** The posting lists of a shard by their keys, which ascend; list i is at [starts[i], starts[i + 1]). */
export interface ListTable {
  readonly keys: Uint32Array;
  readonly starts: Uint32Array;
  readonly counts: Uint32Array;
  /** The first key of each group, which are those that are the same without their last bits; at the end the number of keys. */
  readonly groups: Uint32Array;
  readonly lastBits: number;
}

const KEY_BITS = 21;
/** A group has about so many keys: a table in which to look first takes a thirtieth of the others. */
const GROUP = 8;

const groupBits = (keys: number): number => Math.max(0, Math.floor(Math.log2(keys / GROUP)));

/** u32 that the table of so many keys has. */
export const listTableWords = (keys: number): number => 3 * keys + 1 + 2 ** groupBits(keys) + 1;

/** Divides memory of `listTableWords` u32. */
export function listTableIn(words: Uint32Array, keys: number): ListTable {
  return {
    keys: words.subarray(0, keys),
    starts: words.subarray(keys, 2 * keys + 1),
    counts: words.subarray(2 * keys + 1, 3 * keys + 1),
    groups: words.subarray(3 * keys + 1, listTableWords(keys)),
    lastBits: KEY_BITS - groupBits(keys),
  };
}

/** The number of keys before this one. */
export function keysBefore({ keys, groups, lastBits }: ListTable, key: number): number {
  const group = key >>> lastBits;
  let low = groups[group] ?? keys.length;
  for (let high = groups[group + 1] ?? low; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? 0) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function writeGroups({ keys, groups, lastBits }: ListTable): void {
  let next = 0;
  for (let i = 0; i < keys.length; i++)
    for (const group = (keys[i] ?? 0) >>> lastBits; next <= group; next++) groups[next] = i;
  groups.fill(keys.length, next);
}

/** In a file a list takes a third of that: three varints, the distance of its key, its ids and its bytes. */
export class PackedLists {
  #bytes = new Uint8Array(4096);
  #length = 0;
  #nextKey = 0;

  add(key: number, ids: number, bytes: number): void {
    if (this.#length + 15 > this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#varint(key - this.#nextKey);
    this.#varint(ids);
    this.#varint(bytes);
    this.#nextKey = key + 1;
  }

  toBytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #varint(value: number): void {
    let rest = value;
    for (; rest >= 128; rest >>>= 7) this.#bytes[this.#length++] = (rest & 127) | 128;
    this.#bytes[this.#length++] = rest;
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
  const { keys, starts, counts } = table;
  let at = 0;
  const varint = (): number => {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = packed[at++] ?? 0;
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
  };
  let [key, start] = [-1, 0];
  for (let i = 0; i < keys.length; i++) {
    key += 1 + varint();
    const ids = varint();
    keys[i] = key;
    counts[i] = ids;
    starts[i] = start;
    start += varint();
    if (key >= 2 ** KEY_BITS || ids === 0 || ids > bounds.ids || start > bounds.bytes)
      throw new DamagedShardError('the tables of the shard contradict each other');
  }
  starts[keys.length] = start;
  writeGroups(table);
}
