import type { Arena } from './arena.ts';

/** Layout of assembly/scan.ts. */
const RECORD_BYTES = 2080;
const BYTES = 16;
const MASK = 1040;
const STATE = 12;
const WANTED = 2064;
export const NO_DOCUMENT = 0xffff_ffff;
export const LONGEST_NEEDLE = 1024;

const isLetter = (byte: number): boolean => (byte | 32) >= 97 && (byte | 32) <= 122;

/** A literal as the kernel searches it. */
export class Needle {
  readonly address: number;
  readonly #arena: Arena;

  constructor(arena: Arena) {
    this.#arena = arena;
    this.address = arena.allocate(RECORD_BYTES);
  }

  /** What will be looked for. */
  write(bytes: Uint8Array, foldCase: boolean): this {
    const { u8 } = this.#arena;
    // No more of it is read than the needle is long.
    for (const [i, byte] of bytes.entries()) {
      const folds = foldCase && isLetter(byte);
      u8[this.address + BYTES + i] = folds ? byte | 32 : byte;
      u8[this.address + MASK + i] = folds ? 32 : 0;
    }
    this.#arena.words(this.address, 3).set([bytes.length, ...rarestTwo(bytes)]);
    return this;
  }

  /** Forgets where the last hit ended; matches in so many lines of each document will be written. */
  begin(lines: number): void {
    this.#arena.words(this.address + STATE, 1).fill(0);
    this.#arena.words(this.address + WANTED, 2).set([lines, NO_DOCUMENT]);
  }

  release(): void {
    this.#arena.release(this.address);
  }
}

/** Positions of the two rarest bytes, different ones if there are. */
function rarestTwo(bytes: Uint8Array): [number, number] {
  const share = (i: number): number => SHARE[bytes[i] ?? 0] ?? 0;
  let first = 0;
  for (let i = 1; i < bytes.length; i++) if (share(i) < share(first)) first = i;
  let second = first;
  for (let i = 0; i < bytes.length; i++)
    if (bytes[i] !== bytes[first] && (second === first || share(i) < share(second))) second = i;
  return [first, second];
}

/** The bytes of source text, most frequent first (counted over 1.2 GB of real repositories). */
const COMMON = ' etaoinsrlcdpum\n_\tfghbyv./(),"k=-w:0;123xj*\'{}5678q94>[]z<@#!$&%+|?\\~^`';

/** Rough share of each byte in source text: tells rare bytes from common ones. */
const SHARE = new Float64Array(256).fill(0.0005);
[...COMMON].forEach((character, i) => {
  SHARE[character.charCodeAt(0)] = i === 0 ? 0.12 : 0.07 * 0.93 ** i;
});
for (let upper = 65; upper < 91; upper++) SHARE[upper] = Math.max(0.001, (SHARE[upper + 32] ?? 0) * 0.15);

export function shareOf(bytes: Iterable<number>): number {
  let share = 0;
  for (const byte of bytes) share += SHARE[byte] ?? 0;
  return share;
}
