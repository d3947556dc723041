/** FNV-1a with 32 bits (draft-eastlake-fnv). `fnvStart` is the hash of nothing; `>>> 0` makes a hash unsigned. */
const fnvStart = 0x81_1c_9d_c5;
const fnvWith = (hash: number, next: number): number => Math.imul(hash ^ next, 0x01_00_01_93);

/** The hash of a name. Two names may have the same. */
export function nameHash(name: string): number {
  let hash = fnvStart;
  for (let index = 0; index < name.length; index += 1) hash = fnvWith(hash, name.charCodeAt(index));
  return hash >>> 0;
}

/** The words of the name of a module or package, or of a path to one. */
export const wordsOf = (module: string): readonly string[] => module.match(/[\p{L}\p{N}_$-]+/gu) ?? [];

/** Slots that remember words already seen. Words that share a slot may be listed twice. */
const slots = 1 << 15;

/** 1 for each byte that words are made of: letters, digits, `_`, `$` and all that is not ASCII. */
const isWordByte = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte >= 128 || /[\w$]/.test(String.fromCharCode(byte))),
);

const seen = new Uint32Array(slots);

/** The hashes of the words of a text, sorted. Two words may have the same. */
export function wordHashes(text: Uint8Array): Uint32Array {
  seen.fill(0);
  const found: number[] = [];
  let hash = fnvStart;
  for (let at = 0; at <= text.length; at += 1) {
    const byte = text[at] ?? 0;
    if (isWordByte[byte] === 1) hash = fnvWith(hash, byte);
    else if (hash !== fnvStart) {
      const word = hash >>> 0;
      const slot = word & (slots - 1);
      if (seen[slot] !== word) found.push(word);
      seen[slot] = word;
      hash = fnvStart;
    }
  }
  return Uint32Array.from(found).sort();
}

/** Whether a text may have a word, by its hashes. */
export function hasWordHash(hashes: Uint32Array, word: number): boolean {
  let [low, high] = [0, hashes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((hashes[middle] ?? 0) < word) low = middle + 1;
    else high = middle;
  }
  return hashes[low] === word;
}
