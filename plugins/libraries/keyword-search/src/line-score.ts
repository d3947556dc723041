import type { Content, Matches } from '@sextant/library-block-index';
import { definitionWeight, mayBeDefined } from '@sextant/library-ranking';
import { textBetween } from './text.ts';
import type { TextReader } from './text.ts';
import { showLine } from './shown-line.ts';
import {
  countedOf,
  countLines,
  matchedLines,
  noLinesToRate,
  linesWithPhrases,
  linesToRateIn,
} from './matched-lines.ts';
import type { LineMatches, LinesToRate } from './matched-lines.ts';
import { countsBesideOthers, isWord } from './phrase.ts';
import type { MatchPlace, Phrase } from './phrase.ts';
import { lineParts, sumOf } from './score.ts';
import type { LineParts } from './score.ts';
import type { SearchTerms } from './search-terms.ts';
import { readLimits } from './keyword-weights.ts';

const { linesRated } = readLimits;

interface DocumentContext {
  readonly content: Content;
  readonly lineCharacters: number;
}

/** The best line of a document. */
export class BestLine {
  readonly lineCount: number;
  /** Lines with matches that count. */
  readonly counted: number;
  readonly score: number;
  /** The parts of its score; undefined where no line counts. */
  readonly parts: LineParts | undefined;
  readonly #all: Matches;
  readonly #context: LineContext;

  constructor(all: Matches, terms: SearchTerms, { content, lineCharacters }: DocumentContext) {
    const matches = terms.hasLetter ? countedOf(all) : all;
    this.#all = all;
    this.counted = countLines(matches);
    this.lineCount = matches === all ? this.counted : countLines(all);
    const linesToRate = terms.terms.length === 1 ? noLinesToRate : linesWithPhrases(matches, terms);
    this.#context = { lineCharacters, terms, linesToRate };
    let score = 0;
    let parts: LineParts | undefined;
    for (const line of matchedLines(matches, linesRated, linesToRate)) {
      const ofLine = new LineScore(line, content, this.#context).parts;
      const sum = sumOf(ofLine);
      if (sum > score) [score, parts] = [sum, ofLine];
    }
    [this.score, this.parts] = [score, parts];
  }

  /** See `linesToRateIn`. */
  get toKeep(): LinesToRate {
    const { terms, linesToRate } = this.#context;
    return terms.hasLetter ? linesToRateIn(this.#all, terms) : linesToRate;
  }
}

interface LineContext {
  readonly lineCharacters: number;
  readonly terms: SearchTerms;
  /** Lines that are rated wherever they are. */
  readonly linesToRate: LinesToRate;
}

/** A matching line, counted from 0, and its score. */
export interface RatedLine {
  readonly line: number;
  readonly weight: number;
}

/** Scores of the first lines with matches of a file, and of lines that may hold phrases. A single line needs no score: it is shown anyway. */
export function rateLines(lines: readonly LineMatches[], reader: TextReader, context: LineContext): RatedLine[] {
  return lines.map((line, number) => {
    const isRated = lines.length > 1 && (number < linesRated || context.linesToRate.has(line.line));
    const counted = isRated ? countedIn(line, context) : undefined;
    return { line: line.line, weight: counted ? sumOf(new LineScore(counted, reader, context).parts) : 0 };
  });
}

/** The line with those matches that count; undefined where there are none. */
function countedIn(line: LineMatches, { terms }: LineContext): LineMatches | undefined {
  if (!terms.hasLetter) return line;
  const ranges = line.ranges.filter(countsBesideOthers);
  return ranges.length === 0 ? undefined : { ...line, ranges };
}

/** Most lines have none, and share this list. */
const noPhrases: readonly Phrase[] = [];

/** The most terms of a phrase, or of a name. */
function longestOf(phrases: readonly Phrase[], areNames: boolean): number {
  let longest = 1;
  for (const { terms, isName } of phrases) if (isName || !areNames) longest = Math.max(longest, terms);
  return longest;
}

/** The score of one line. */
class LineScore {
  readonly #line: LineMatches;
  readonly #reader: TextReader;
  readonly #context: LineContext;
  readonly #phrases: readonly Phrase[];
  readonly #isWord: boolean;
  /** Upper bound of the terms in one name that this line defines. */
  readonly #mostDefined: number;

  constructor(line: LineMatches, reader: TextReader, context: LineContext) {
    this.#line = line;
    this.#reader = reader;
    this.#context = context;
    const mayHavePhrase = context.linesToRate.size > 0 && (context.linesToRate.get(line.line) ?? 1) > 1;
    this.#phrases = mayHavePhrase
      ? context.terms.phrases.phrasesIn(line.ranges, (start, end) => textBetween(reader, start, end))
      : noPhrases;
    this.#isWord = line.ranges.some(isWord) || this.#phrases.some(isWord);
    const ofName = longestOf(this.#phrases, true);
    this.#mostDefined = this.#isWord ? Math.min(ofName, context.terms.mostDefined) : ofName;
  }

  get parts(): LineParts {
    return lineParts({
      isWord: this.#isWord,
      definition: this.#definition(),
      beside: this.#beside(),
      terms: this.#context.terms.terms.length,
      phrase: longestOf(this.#phrases, false),
    });
  }

  /** How many of the terms the line has. */
  #beside(): number {
    const { ranges } = this.#line;
    const most = Math.min(this.#context.terms.terms.length, ranges.length);
    if (most === 1) return most;
    // If two terms have different lengths, the lengths of their matches tell them apart without reading the text.
    const [first] = ranges;
    const length = first ? first.end - first.start : 0;
    const isAlike = ranges.every(({ start, end }) => end - start === length);
    if (isAlike && !this.#context.terms.areAlike) return 1;
    if (!isAlike && most === 2) return 2;
    const found = ranges.map(({ start, end }) => textBetween(this.#reader, start, end).toLowerCase());
    return Math.min(most, new Set(found).size);
  }

  /** How surely the line defines a name, times the share of that name. The best name counts. */
  #definition(): number {
    const { terms } = this.#context;
    let definition = 0;
    for (let count = this.#mostDefined; count > 0 && definition < terms.share(count); count -= 1)
      definition = Math.max(definition, terms.share(count) * this.#surenessOf(count));
    return definition;
  }

  /** How surely the line defines a name of `count` terms. The bytes of most lines show that they define none. */
  #surenessOf(count: number): number {
    const ranges = this.#rangesOf(count);
    const line = ranges === this.#line.ranges ? this.#line : { ...this.#line, ranges };
    return hasDefinitionSigns(line, this.#reader) ? definitionIn(line, this.#reader, this.#context.lineCharacters) : 0;
  }

  /** Where names of `count` terms stand. If the line has a whole word, parts of longer names are left out. */
  #rangesOf(count: number): readonly MatchPlace[] {
    const { ranges } = this.#line;
    if (ranges.length === 1) return ranges;
    const all = count === 1 ? ranges : this.#phrases.filter(({ isName, terms }) => isName && terms === count);
    return this.#isWord ? all.filter(isWord) : all;
  }
}

/** How surely a line defines one of its matches: see `definitionWeight`. */
export function definitionIn(line: LineMatches, reader: TextReader, lineCharacters: number): number {
  const { text, ranges } = showLine(reader, line, lineCharacters);
  let definition = 0;
  for (const [start, end] of ranges) definition = Math.max(definition, definitionWeight(text, start, end));
  return definition;
}

/** Whether a line may define one of its matches, as far as its bytes show. */
function hasDefinitionSigns({ start: lineStart, end: lineEnd, ranges }: LineMatches, reader: TextReader): boolean {
  const bytes = reader.bytes(lineStart, lineEnd);
  const codeAt = (place: number): number => bytes[place - lineStart] ?? 0;
  return ranges.some(({ start, end }) => mayBeDefined(codeAt, { start, end, lineStart, lineEnd }));
}
