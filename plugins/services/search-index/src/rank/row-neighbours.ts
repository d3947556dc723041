import { emptyMatch } from '@sextant/library-block-index';
import type { Content, Literal, Matches, Regex } from '@sextant/library-block-index';
import { counts, isLetter } from '@sextant/library-search-results';
import type { WordsInRow } from '@sextant/library-search-results';
import { longLine } from './hit.ts';
import { RowReach } from './row-reach.ts';
import type { LineBytes } from './row-reach.ts';

const beyondASCII = /[^\0-\x7f]/;
const reused = emptyMatch();
/** The line of a match; it is filled for the next one. */
const line: { -readonly [Field in keyof LineBytes]: LineBytes[Field] } = { bytes: new Uint8Array(), start: 0, end: 0 };

/** What stands before and behind a text in a query: how many of them may stand in a row with it. */
export class RowNeighbours {
  /** In lower case. */
  readonly word: string;
  readonly #most: number;
  readonly #before: RowReach;
  readonly #behind: RowReach;
  readonly #isKnown: boolean;
  readonly #isLetter: boolean;

  constructor(text: Literal | Regex, words: WordsInRow) {
    this.word = 'literal' in text ? String(text.literal).toLowerCase() : '';
    this.#isLetter = isLetter(this.word);
    const { before, behind } = words.around(this.word);
    [this.#before, this.#behind] = [new RowReach(before, -1), new RowReach(behind, 1)];
    this.#most = words.most;
    this.#isKnown = 'literal' in text && ![...before, ...behind].some((word) => beyondASCII.test(word));
  }

  /** No row with one of some matches of a document has more of the texts. */
  mostIn(matches: Matches, content: Content): number {
    if (!this.#isKnown || matches.length === 0) return this.#most;
    const [from, to] = [matches.at(0, reused).lineStart, matches.at(matches.length - 1, reused).lineEnd];
    const { bytes, base } = content.bytes(from, to);
    line.bytes = bytes;
    const [before, behind] = [this.#before, this.#behind];
    let most = 1;
    for (let i = 0; i < matches.length && most < this.#most; i += 1) {
      const { start, end, lineStart, lineEnd } = matches.at(i, reused);
      if (this.#isLetter && !counts(reused)) continue;
      // The index does not tell the borders of words of a line of several blocks as they are.
      if (lineEnd - lineStart > longLine) return this.#most;
      [line.start, line.end] = [base + lineStart, base + lineEnd];
      if (!before.mayReach(line, base + start) && !behind.mayReach(line, base + end)) continue;
      before.measure(line, base + start);
      behind.measure(line, base + end);
      most = Math.max(most, 1 + before.named + behind.named);
      // Words side by side begin and end where words do.
      if (before.bordered >= 0 && behind.bordered >= 0) most = Math.max(most, 1 + before.bordered + behind.bordered);
    }
    return Math.min(this.#most, most);
  }
}
