import { DamagedShardError } from '../errors.ts';
import { TRIGRAM_BITS } from './format.ts';
import { ByteList } from './byte-list.ts';

/** The trigram dictionary of a shard: where the posting list of each trigram is. In memory it is a sorted table with buckets. */
export interface TrigramDictionary {
  /** Three u32 an entry, ascending: trigram, start of its list in the postings, number of ids. They are adjacent, so one cache line has all. */
  readonly entries: Uint32Array;
  /** Index of the first entry of each bucket, and at the end the number of entries. A bucket has the trigrams with the same high bits. */
  readonly buckets: Uint32Array;
  readonly bucketShift: number;
}

/** Trigrams a bucket has on average. */
const BUCKET = 8;

const bucketBits = (trigrams: number): number => Math.max(0, Math.floor(Math.log2(trigrams / BUCKET)));

/** u32 of an entry, and their places. */
const FIELDS = 3;
const START = 1;
const COUNT = 2;

/** Number of u32 that the dictionary of so many trigrams takes in memory. */
export const dictionaryWords = (trigrams: number): number => FIELDS * trigrams + 2 ** bucketBits(trigrams) + 1;

/** The dictionary in memory of `dictionaryWords` u32. */
export function dictionaryIn(words: Uint32Array, trigrams: number): TrigramDictionary {
  return {
    entries: words.subarray(0, FIELDS * trigrams),
    buckets: words.subarray(FIELDS * trigrams, dictionaryWords(trigrams)),
    bucketShift: TRIGRAM_BITS - bucketBits(trigrams),
  };
}

/** Number of trigrams below this one. */
export function trigramsBefore({ entries, buckets, bucketShift }: TrigramDictionary, trigram: number): number {
  const bucket = trigram >>> bucketShift;
  let low = buckets[bucket] ?? entries.length / FIELDS;
  for (let high = buckets[bucket + 1] ?? low; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((entries[FIELDS * middle] ?? 0) < trigram) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Entry i; undefined after the last. */
export function entryAt(
  { entries }: TrigramDictionary,
  i: number,
): { trigram: number; start: number; count: number } | undefined {
  const at = FIELDS * i;
  const trigram = entries[at];
  return trigram === undefined
    ? undefined
    : { trigram, start: entries[at + START] ?? 0, count: entries[at + COUNT] ?? 0 };
}

function writeBuckets({ entries, buckets, bucketShift }: TrigramDictionary): void {
  const trigrams = entries.length / FIELDS;
  let next = 0;
  for (let i = 0; i < trigrams; i++)
    for (const bucket = (entries[FIELDS * i] ?? 0) >>> bucketShift; next <= bucket; next++) buckets[next] = i;
  buckets.fill(trigrams, next);
}

/** Writes the dictionary of a file: per trigram three varints, its distance from the one before, number of ids, bytes of the list. */
export class DictionaryWriter {
  readonly #packed = new ByteList();
  #nextTrigram = 0;

  add(trigram: number, ids: number, bytes: number): void {
    this.#packed.addVarint(trigram - this.#nextTrigram);
    this.#packed.addVarint(ids);
    this.#packed.addVarint(bytes);
    this.#nextTrigram = trigram + 1;
  }

  toBytes(): Uint8Array {
    return this.#packed.take();
  }
}

interface Bounds {
  /** Maximum number of ids of a list. */
  readonly ids: number;
  /** Bytes of all lists together. */
  readonly bytes: number;
}

/** Reads what DictionaryWriter wrote. Throws DamagedShardError if a list lies outside the bounds. */
export function readDictionary(packed: Uint8Array, table: TrigramDictionary, bounds: Bounds): void {
  const { entries } = table;
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
  let [trigram, start] = [-1, 0];
  for (let i = 0; i < entries.length; i += FIELDS) {
    trigram += 1 + varint();
    const ids = varint();
    entries[i] = trigram;
    entries[i + START] = start;
    entries[i + COUNT] = ids;
    start += varint();
    if (trigram >= 2 ** TRIGRAM_BITS || ids === 0 || ids > bounds.ids || start > bounds.bytes)
      throw new DamagedShardError('the tables of the shard contradict each other');
  }
  writeBuckets(table);
}
