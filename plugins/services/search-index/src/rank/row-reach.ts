import { isLetter } from '@sextant/library-search-results';

const [upperA, upperZ, lowerBit, underscore, firstBeyondASCII] = [65, 90, 32, 95, 128];

/** Bytes of a line: those from `start` to `end`. */
export interface LineBytes {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** How many of some words, which are in lower case and ASCII, stand in a row from a place on, each directly behind the one before it or after one byte. */
export class RowReach {
  /** Up to the border of a word; -1: not even the place is one. */
  bordered = -1;
  /** In one name. */
  named = 0;
  readonly #words: readonly Uint8Array[];
  /** 1: they stand behind the place; -1: before it. */
  readonly #direction: 1 | -1;
  /** Of each of the words, whether it counts only as a word of its own. */
  readonly #areApart: readonly boolean[];

  constructor(words: readonly string[], direction: 1 | -1) {
    this.#words = words.map((word) => Buffer.from(word));
    this.#direction = direction;
    this.#areApart = words.map(isLetter);
  }

  /** Whether any of them may stand there: of most places one byte or two tell that none does. */
  mayReach(line: LineBytes, place: number): boolean {
    const [word] = this.#words;
    if (!word) return false;
    return this.#isAt(word, line, place) || this.#isAt(word, line, place + this.#direction);
  }

  /** Looks from a place of a line on. */
  measure(line: LineBytes, place: number): void {
    const words = this.#words;
    this.bordered = isBorder(line, place) ? 0 : -1;
    this.named = 0;
    // The bytes that are none of the words so far may be as many as bits tell.
    for (let count = 0, at = place, ends = 1, names = 1; count < words.length; ) {
      const word = words[count];
      if (!word) return;
      let [found, foundNames] = [0, 0];
      for (let gaps = 0; ends >>> gaps !== 0; gaps += 1) {
        if (((ends >>> gaps) & 1) === 0) continue;
        const end = at + this.#direction * gaps;
        const isEndOfWord = isBorder(line, end);
        for (let gap = 0; gap <= 1; gap += 1) {
          if (!this.#isAt(word, line, end + this.#direction * gap)) continue;
          if (isBorder(line, end + this.#direction * gap) !== isEndOfWord) continue;
          if (this.#areApart[count] && !(isEndOfWord && isBorder(line, end + this.#direction * (gap + 1)))) continue;
          found |= 1 << (gaps + gap);
          if (!isEndOfWord && ((names >>> gaps) & 1) === 1) foundNames |= 1 << (gaps + gap);
        }
      }
      if (found === 0) return;
      count += 1;
      at += this.#direction * word.length;
      [ends, names] = [found, foundNames];
      if (names !== 0) this.named = count;
      for (let gaps = 0; ends >>> gaps !== 0; gaps += 1)
        if (((ends >>> gaps) & 1) === 1 && isBorder(line, at + this.#direction * gaps)) this.bordered = count;
    }
  }

  /** In any case. */
  #isAt(word: Uint8Array, { bytes, start, end }: LineBytes, place: number): boolean {
    const from = this.#direction > 0 ? place : place - word.length;
    if (from < start || from + word.length > end) return false;
    for (let i = 0; i < word.length; i += 1) {
      const byte = bytes[from + i] ?? 0;
      if ((byte >= upperA && byte <= upperZ ? byte | lowerBit : byte) !== word[i]) return false;
    }
    return true;
  }
}

/** As the index tells it of matches. */
const isBorder = ({ bytes, start, end }: LineBytes, at: number): boolean =>
  at <= start || at >= end || !isWordByte(bytes[at - 1] ?? 0) || !isWordByte(bytes[at] ?? 0);

const isWordByte = (byte: number): boolean =>
  ((byte | lowerBit) >= 97 && (byte | lowerBit) <= 122) ||
  (byte >= 48 && byte <= 57) ||
  byte === underscore ||
  byte >= firstBeyondASCII;
