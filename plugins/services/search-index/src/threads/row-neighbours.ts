import { noMatch } from '@sextant/library-block-index';
import type { Content, Literal, Matches, Regex } from '@sextant/library-block-index';
import type { WordsInRow } from '@sextant/library-search-results';

const [upperA, upperZ, lowerBit, firstBeyondASCII] = [65, 90, 32, 128];
const reused = noMatch();

/** What stands before and behind a text in a query: where neither stands there, no row has the text. */
export class RowNeighbours {
  readonly word: string;
  readonly #before: Uint8Array;
  readonly #behind: Uint8Array;
  readonly #isKnown: boolean;

  constructor(text: Literal | Regex, words: WordsInRow) {
    this.word = 'literal' in text ? String(text.literal) : '';
    const { before = '', behind = '' } = words.besides(this.word);
    [this.#before, this.#behind] = [Buffer.from(before.toLowerCase()), Buffer.from(behind.toLowerCase())];
    this.#isKnown = 'literal' in text && [...this.#before, ...this.#behind].every((byte) => byte < firstBeyondASCII);
  }

  /** Whether one of them may stand beside one of some matches of a document, directly or after one byte. */
  mayStandIn(matches: Matches, content: Content): boolean {
    if (!this.#isKnown || matches.length === 0) return true;
    const [before, behind] = [this.#before, this.#behind];
    const [from, to] = [matches.at(0, reused).lineStart, matches.at(matches.length - 1, reused).lineEnd];
    const { bytes, base } = content.bytes(from, to);
    for (let i = 0; i < matches.length; i += 1) {
      const { start, end, lineStart, lineEnd } = matches.at(i, reused);
      const [first, last] = [start - before.length, lineEnd - behind.length];
      if (before.length > 0 && first >= lineStart && isAt(before, bytes, base + first)) return true;
      if (before.length > 0 && first > lineStart && isAt(before, bytes, base + first - 1)) return true;
      if (behind.length > 0 && end <= last && isAt(behind, bytes, base + end)) return true;
      if (behind.length > 0 && end < last && isAt(behind, bytes, base + end + 1)) return true;
    }
    return false;
  }
}

/** In any case. */
function isAt(text: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const byte = bytes[at + i] ?? 0;
    if ((byte >= upperA && byte <= upperZ ? byte | lowerBit : byte) !== text[i]) return false;
  }
  return true;
}
