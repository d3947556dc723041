import type { Arena } from './arena.ts';

/** Layout of a needle, see assembly/text.ts. */
const RECORD_BYTES = 2080;
const BYTES = 16;
const MASK = 1040;
const LAST_END = 12;
const LINE_LIMIT = 2064;
/** A line limit that has seen no document, see assembly/line-limits.ts. */
export const NO_DOCUMENT = 0xffff_ffff;
/** Maximum length of a literal in UTF-8. */
export const MAX_LITERAL_BYTES = 1024;

const isLetter = (byte: number): boolean => (byte | 32) >= 97 && (byte | 32) <= 122;

/** A literal in the form that the kernel searches. */
export class Needle {
  readonly address: number;
  readonly #arena: Arena;

  constructor(arena: Arena) {
    this.#arena = arena;
    this.address = arena.allocate(RECORD_BYTES);
  }

  /** Sets the text to search for. */
  write(bytes: Uint8Array, foldCase: boolean): this {
    const { u8 } = this.#arena;
    // The kernel reads only as much as the needle is long.
    for (const [i, byte] of bytes.entries()) {
      const folds = foldCase && isLetter(byte);
      u8[this.address + BYTES + i] = folds ? byte | 32 : byte;
      u8[this.address + MASK + i] = folds ? 32 : 0;
    }
    this.#arena.words(this.address, 3).set([bytes.length, ...rarestTwo(bytes)]);
    return this;
  }

  /** Starts a search that writes matches in up to `lines` lines of each document (see `Scanner.blocks`). */
  begin(lines: number): void {
    this.#arena.words(this.address + LAST_END, 1).fill(0);
    this.#arena.words(this.address + LINE_LIMIT, 2).set([lines, NO_DOCUMENT]);
  }

  release(): void {
    this.#arena.release(this.address);
  }
}

/** Positions of the two rarest bytes, which differ if the needle has different bytes. */
function rarestTwo(bytes: Uint8Array): [number, number] {
  const share = (i: number): number => FREQUENCY[bytes[i] ?? 0] ?? 0;
  let first = 0;
  for (let i = 1; i < bytes.length; i++) if (share(i) < share(first)) first = i;
  let second = first;
  for (let i = 0; i < bytes.length; i++)
    if (bytes[i] !== bytes[first] && (second === first || share(i) < share(second))) second = i;
  return [first, second];
}

/** The bytes of source code, most frequent first. Counted over public repositories. */
const COMMON = ' etaoinsrlcdpum\n_\tfghbyv./(),"k=-w:0;123xj*\'{}5678q94>[]z<@#!$&%+|?\\~^`';

/** Rough frequency of each byte in source code, from 0 to 1. */
const FREQUENCY = new Float64Array(256).fill(0.0005);
[...COMMON].forEach((character, i) => {
  FREQUENCY[character.charCodeAt(0)] = i === 0 ? 0.12 : 0.07 * 0.93 ** i;
});
for (let upper = 65; upper < 91; upper++) FREQUENCY[upper] = Math.max(0.001, (FREQUENCY[upper + 32] ?? 0) * 0.15);

/** The sum of the frequencies of some bytes. */
export function frequencyOf(bytes: Iterable<number>): number {
  let share = 0;
  for (const byte of bytes) share += FREQUENCY[byte] ?? 0;
  return share;
}
