// @ts-nocheck AssemblyScript
// In how many blocks of a shard a text may stand, told by the index alone. What it needs stands at `needs`: the number of its keys, that of its pairs of words,
// the keys, the pairs, and room for two numbers for each key.
import { decodeRange, intersect } from './postings';
import { keepPairs } from './pairs';

/** A list in the table of lists: its key, where its postings start, and the number of its ids. */
const LIST: usize = 12;
const ALL: u32 = 0xffffffff;
/** So many keys leave nothing in most shards. */
const FIRST: u32 = 4;
/** Longer lists are not read before it is known whether a key has fewer. */
const SHORT: u32 = 128;

@inline function u32At(words: usize, i: u32): u32 { return load<u32>(words + (<usize>i << 2)); }

/** The list of a key; 0 where there is none. `groups` stand behind the lists. */
@inline function entryAt(lists: usize, groups: usize, bucketShift: u32, key: u32): usize {
  const end = u32At(groups, (key >>> bucketShift) + 1);
  let low = u32At(groups, key >>> bucketShift);
  for (let high = end; low < high; ) {
    const middle = (low + high) >>> 1;
    if (load<u32>(lists + <usize>middle * LIST) < key) low = middle + 1; else high = middle;
  }
  const list = lists + <usize>low * LIST;
  return low < end && load<u32>(list) == key ? list : 0;
}

/** Asks the memory for what is looked at next: one after the other each would be waited for. */
function readAhead(lists: usize, groups: usize, bucketShift: u32, keys: usize, n: u32): u32 {
  let sum: u32 = 0;
  for (let i: u32 = 0; i < n; i++) sum += load<u32>(lists + <usize>u32At(groups, u32At(keys, i) >>> bucketShift) * LIST);
  return sum;
}

/** Puts n keys, and {number of ids, address} of their lists, in order, those of fewest ids first. */
function sort(keys: usize, lists: usize, n: i32): void {
  for (let gap = n >> 1; gap; gap >>= 1) {
    for (let i = gap; i < n; i++) {
      const key = u32At(keys, <u32>i), entry = load<u64>(lists + (<usize>i << 3));
      let at = i;
      for (; at >= gap && u32At(lists, <u32>(at - gap) << 1) > <u32>entry; at -= gap) {
        store<u32>(keys + (<usize>at << 2), u32At(keys, <u32>(at - gap)));
        store<u64>(lists + (<usize>at << 3), load<u64>(lists + (<usize>(at - gap) << 3)));
      }
      store<u32>(keys + (<usize>at << 2), key);
      store<u64>(lists + (<usize>at << 3), entry);
    }
  }
}

/** Writes the lists of n keys, the shortest first. False where a key has none: it is the first that is asked for in the next shard, which most likely lacks it, too. */
function findLists(shard: usize, needs: usize, keys: usize, n: u32, out: usize): bool {
  const lists = <usize>load<u32>(shard, 36), groups = <usize>load<u32>(shard, 40), bucketShift = load<u32>(shard, 44), postings = load<u32>(shard, 48);
  for (let i: u32 = 0; i < n; i++) {
    const place = keys + (<usize>i << 2), key = load<u32>(place), list = entryAt(lists, groups, bucketShift, key);
    if (!list) { store<u32>(place, load<u32>(needs, 8)); store<u32>(needs, key, 8); return false; }
    if (!i) store<u32>(out, readAhead(lists, groups, bucketShift, keys, n));
    store<u32>(out + (<usize>i << 3), load<u32>(list, 8));
    store<u32>(out + (<usize>i << 3), postings + load<u32>(list, 4), 4);
  }
  sort(keys, out, <i32>n);
  return true;
}

/**
 * At most so many blocks have all keys and pairs. Where the rarest key has more than `few`, so many as that; else `ids` has room for them, and `scratch` for 128.
 * The keys that were rarest in the shard before are asked for first: where they leave nothing the others are not looked up.
 */
export function mostBlocks(shard: usize, needs: usize, few: u32, ids: usize, scratch: usize): u32 {
  const n = load<u32>(needs), pairCount = load<u32>(needs, 4), keys = needs + 8, pairs = keys + (<usize>n << 2), lists = pairs + (<usize>pairCount << 2);
  let known = min(n, FIRST);
  if (!findLists(shard, needs, keys, known, lists)) return 0;
  if (load<u32>(lists) > SHORT && known < n) {
    if (!findLists(shard, needs, keys, n, lists)) return 0;
    known = n;
  }
  let left = load<u32>(lists);
  if (left > few) return left;
  left = decodeRange(<usize>load<u32>(lists, 4), left, 0, ALL, ids);
  for (let i: u32 = 1; i < n && left; i++) {
    const at = <usize>i << 3;
    if (i == known && !findLists(shard, needs, keys + (<usize>i << 2), n - i, lists + at)) return 0;
    left = intersect(ids, left, <usize>load<u32>(lists + at, 4), load<u32>(lists + at), scratch);
    if (i == 1) left = keepPairs(shard, ids, left, pairs, pairCount);
  }
  return left;
}
