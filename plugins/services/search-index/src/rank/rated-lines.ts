import type { Matches } from '@sextant/library-block-index';
import {
  counts,
  definitionWeight,
  differentTexts,
  isWord,
  lineWeight,
  mayBeDefined,
} from '@sextant/library-search-results';
import type { MatchPlace, RatedLine, WordRow } from '@sextant/library-search-results';
import { showLine, textBetween } from '../show/document-lines.ts';
import type { TextReader } from '../show/document-lines.ts';
import { linesOf, linesRated } from './hit.ts';
import type { HitLine, Rows } from './hit.ts';
import type { TextsWorth } from './texts-worth.ts';

export interface Rating {
  readonly lineCharacters: number;
  /** What is searched. */
  readonly texts: TextsWorth;
  /** Lines with several of them side by side are rated wherever they are. */
  readonly rows: Rows;
  /** How many of them a name has at most that is defined there as a whole word: otherwise what is defined has a part of a name. */
  readonly defined: number;
}

/** How good the first lines with matches are: see `lineWeight`. A line that is alone is shown however good it is. */
export function rateLines(lines: readonly HitLine[], reader: TextReader, rating: Rating): RatedLine[] {
  return lines.map((line, number) => {
    const isRated = lines.length > 1 && (number < linesRated || rating.rows.has(line.line));
    const counted = isRated ? countedIn(line, rating) : undefined;
    return { line: line.line, weight: counted ? new LineRating(counted, reader, rating).weight : 0 };
  });
}

/** The line with those matches that count; undefined where there are none. */
function countedIn(line: HitLine, { texts }: Rating): HitLine | undefined {
  if (!texts.hasLetter) return line;
  const ranges = line.ranges.filter(counts);
  return ranges.length === 0 ? undefined : { ...line, ranges };
}

/** The best of them; once it is as good as `most` the others are not read. */
export function bestOf(matches: Matches, reader: TextReader, rating: Rating & { most: number }): number {
  let best = 0;
  for (const line of linesOf(matches, linesRated, rating.rows)) {
    const rated = new LineRating(line, reader, rating);
    if (rated.most <= best) continue;
    best = Math.max(best, rated.weight);
    if (best >= rating.most) break;
  }
  return best;
}

/** Of most lines. */
const none: readonly WordRow[] = [];

/** The most texts of a row, or of a name. */
function mostOf(rows: readonly WordRow[], areNames: boolean): number {
  let most = 1;
  for (let i = 0; i < rows.length; i += 1) if (!areNames || rows[i]?.isName) most = Math.max(most, rows[i]?.words ?? 1);
  return most;
}

/** How good a line is. */
class LineRating {
  readonly #line: HitLine;
  readonly #reader: TextReader;
  readonly #rating: Rating;
  readonly #rows: readonly WordRow[];
  readonly #isWord: boolean;
  /** A name that the line defines has no more of the texts, as a whole word where one is. */
  readonly #mostDefined: number;

  constructor(line: HitLine, reader: TextReader, rating: Rating) {
    this.#line = line;
    this.#reader = reader;
    this.#rating = rating;
    const hasRows = rating.rows.size > 0 && (rating.rows.get(line.line) ?? 1) > 1;
    this.#rows = hasRows
      ? rating.texts.words.rowsIn(line.ranges, (start, end) => textBetween(reader, start, end))
      : none;
    this.#isWord = line.ranges.some(isWord) || this.#rows.some(isWord);
    const ofName = mostOf(this.#rows, true);
    this.#mostDefined = this.#isWord ? Math.min(ofName, rating.defined) : ofName;
  }

  /** It is no better, without being read. */
  get most(): number {
    return this.#weightWith(this.#rating.texts.share(this.#mostDefined), this.#line.ranges.length);
  }

  get weight(): number {
    return this.#weightWith(this.#definition(), this.#beside());
  }

  /** How many of the texts the line has. */
  #beside(): number {
    const { ranges } = this.#line;
    const most = Math.min(this.#rating.texts.terms.length, ranges.length);
    if (most === 1) return most;
    // Two texts are mostly told apart without being read.
    const [first] = ranges;
    const length = first ? first.end - first.start : 0;
    const isAlike = ranges.every(({ start, end }) => end - start === length);
    if (isAlike && !this.#rating.texts.areAlike) return 1;
    if (!isAlike && most === 2) return 2;
    const found = ranges.map(({ start, end }) => textBetween(this.#reader, start, end));
    return differentTexts(found, most);
  }

  #weightWith(definition: number, beside: number): number {
    return lineWeight({
      isWord: this.#isWord,
      definition,
      beside,
      texts: this.#rating.texts.terms.length,
      inRow: mostOf(this.#rows, false),
    });
  }

  #definition(): number {
    const { texts } = this.#rating;
    let definition = 0;
    for (let words = this.#mostDefined; words > 0 && definition < texts.share(words); words -= 1)
      definition = Math.max(definition, texts.share(words) * this.#surenessOf(words));
    return definition;
  }

  /** How surely a name of so many texts is defined: of most lines their bytes tell that none is. */
  #surenessOf(words: number): number {
    const ranges = this.#rangesOf(words);
    const line = ranges === this.#line.ranges ? this.#line : { ...this.#line, ranges };
    return hasSigns(line, this.#reader) ? definitionIn(line, this.#reader, this.#rating) : 0;
  }

  /** What has a part of a name is no definition of a word beside it. */
  #rangesOf(words: number): readonly MatchPlace[] {
    const { ranges } = this.#line;
    if (ranges.length === 1) return ranges;
    const all = words === 1 ? ranges : this.#rows.filter((row) => row.isName && row.words === words);
    return this.#isWord ? all.filter(isWord) : all;
  }
}

/** How surely a line defines one of its matches. */
export function definitionIn(
  line: HitLine,
  reader: TextReader,
  { lineCharacters }: Pick<Rating, 'lineCharacters'>,
): number {
  const { text, ranges } = showLine(reader, line, lineCharacters);
  let definition = 0;
  for (const [start, end] of ranges) definition = Math.max(definition, definitionWeight(text, start, end));
  return definition;
}

/** Whether the bytes of a line are such as define one of its matches. */
function hasSigns({ start: lineStart, end: lineEnd, ranges }: HitLine, reader: TextReader): boolean {
  const { bytes, base } = reader.bytes(lineStart, lineEnd);
  const codeAt = (place: number): number => bytes[base + place] ?? 0;
  return ranges.some(({ start, end }) => mayBeDefined(codeAt, { start, end, lineStart, lineEnd }));
}
