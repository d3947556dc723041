import { emptyMatch } from '@sextant/library-block-index';
import type { Match, Matches } from '@sextant/library-block-index';
import { counts, isNext, isWord, mostInRow } from '@sextant/library-search-results';
import type { MatchPlace } from '@sextant/library-search-results';

/** A line with matches, with the content offsets of their bounds. */
export interface HitLine {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** Objects: to take a list apart costs more than all else that is done with many of them. */
  readonly ranges: readonly MatchPlace[];
}

/** Lines of a file that are looked at to tell how good it is. */
export const linesRated = 20;
const rangesKept = 8;

/** A common word has too many matches for an object each; it is read before the next match. */
const reused = emptyMatch();

/** What is known of a document without reading its lines. */
export interface HitSummary {
  readonly lineCount: number;
  /** Whether a match in the lines that are rated is a whole word. */
  readonly hasWord: boolean;
}

export function summarize(matches: Matches): HitSummary {
  let [lineCount, last, inLine, hasWord] = [0, -1, 0, false];
  for (let i = 0; i < matches.length; i += 1) {
    const { line } = matches.at(i, reused);
    if (line !== last) [lineCount, last, inLine] = [lineCount + 1, line, 0];
    inLine += 1;
    hasWord ||= isWord(reused) && lineCount <= linesRated && inLine <= rangesKept;
  }
  return { lineCount, hasWord };
}

/** Those that count beside other texts. */
export function countedOf(matches: Matches): Matches {
  const counted: number[] = [];
  for (let i = 0; i < matches.length; i += 1) {
    matches.at(i, reused);
    if (counts(reused)) counted.push(i);
  }
  return counted.length === matches.length ? matches : matches.pick(counted);
}

/** In bytes: a longer line is more than what is shown of a file. */
export const longLine = 4096;

/** Whether a line is longer. */
export function hasLongLine(matches: Matches): boolean {
  for (let i = 0; i < matches.length; i += 1) {
    const { lineStart, lineEnd } = matches.at(i, reused);
    if (lineEnd - lineStart > longLine) return true;
  }
  return false;
}

/** How many texts stand in a row in some lines at most, by their numbers; see `WordsInRow`. 1: there may be several, which stand in none. */
export type Rows = ReadonlyMap<number, number>;

export const noRows: Rows = new Map();

/** What tells texts that are searched apart. */
export interface TextSigns {
  /** Whether matches of two of them may be of the same length. */
  readonly areAlike: boolean;
  /** Whether one of several is a letter: see `isLetter`. */
  readonly hasLetter: boolean;
}

type SomeLines = Pick<ReadonlySet<number>, 'has' | 'size'>;

/** Lines of a file with such that are kept, and matches of each: the index gives as many (`Visit.linesOfEach`). */
const rowsKept = 20;
const wordsOfRow = 64;

/** The lines in which most texts may stand in a row, of these the first, and the first with several of them: who searches several means such before others. */
export function rowsIn(matches: Matches, { areAlike }: Pick<TextSigns, 'areAlike'>): Rows {
  const rows = new Map<number, number>();
  const several: number[] = [];
  let [last, length, end, isWordBefore, inRow] = [-1, 0, 0, false, 0];
  for (let i = 0; i < matches.length; i += 1) {
    const { line, start, end: matchEnd, isWordStart, isWordEnd } = matches.at(i, reused);
    const isFirst = line !== last;
    last = line;
    if (isFirst) length = matchEnd - start;
    else if (several.length < rowsKept && (areAlike || matchEnd - start !== length) && several.at(-1) !== line)
      several.push(line);
    // Of matches that overlap either may be in a row.
    if (!isFirst && start < end) inRow = mostInRow;
    else if (!isFirst && isNext(start - end, isWordStart, isWordBefore)) inRow += 1;
    else inRow = 1;
    if (inRow > 1 && inRow > (rows.get(line) ?? 1)) rows.set(line, inRow);
    [end, isWordBefore] = [Math.max(isFirst ? 0 : end, matchEnd), isWordEnd];
  }
  const first = rows.size > rowsKept ? new Map([...rows].sort(([, a], [, b]) => b - a).slice(0, rowsKept)) : rows;
  for (const line of several) if (first.size < rowsKept && !first.has(line)) first.set(line, 1);
  return first;
}

/** The lines that tell what a file is about, wherever they are: those with several texts in a row, and where one of these is a letter, the first that have more than a part of a word. */
export function tellingLines(matches: Matches, texts: TextSigns): Rows {
  if (!texts.hasLetter) return rowsIn(matches, texts);
  const counted = countedOf(matches);
  const lines = new Map(rowsIn(counted, texts));
  for (const { line } of linesOf(counted, linesRated)) if (!lines.has(line)) lines.set(line, 1);
  return lines;
}

/** The matches of the first lines, at most so many, of some besides, and of each line the first, of those the words that may stand side by side, too: numbers alone, because many files may be kept. */
export function firstMatches(matches: Matches, most: number, besides: SomeLines = noRows): Matches {
  const kept: number[] = [];
  let [lines, last, inLine] = [0, -1, 0];
  for (let i = 0; i < matches.length; i += 1) {
    const { line } = matches.at(i, reused);
    if (line !== last) [lines, last, inLine] = [lines + 1, line, 0];
    if (lines > most && besides.size === 0) break;
    const hasRow = besides.has(line);
    if ((lines > most && !hasRow) || !mayKeep(inLine, hasRow)) continue;
    inLine += 1;
    kept.push(i);
  }
  return kept.length === matches.length ? matches.copy() : matches.pick(kept);
}

const rangeOf = ({ start, end, isWordStart, isWordEnd }: Match): MatchPlace => ({ start, end, isWordStart, isWordEnd });

/** The first lines with matches, and some besides; of each the first matches, and of those the words that may stand in a row. */
export function* linesOf(matches: Matches, most = Infinity, besides: SomeLines = noRows): Generator<HitLine> {
  let current: { line: number; start: number; end: number; ranges: MatchPlace[] } | undefined;
  let hasRow = false;
  for (let i = 0, lines = 0, last = -1; i < matches.length; i += 1) {
    const { line } = matches.at(i, reused);
    if (line !== last) {
      if (current) yield current;
      [lines, last, current] = [lines + 1, line, undefined];
      if (lines > most && besides.size === 0) return;
      hasRow = besides.has(line);
      if (lines > most && !hasRow) continue;
      // Who takes a line may look at other matches before the next.
      matches.at(i, reused);
      // Mostly there is one match; a list that grows takes room for seventeen.
      current = { line, start: reused.lineStart, end: reused.lineEnd, ranges: [rangeOf(reused)] };
    } else if (current && mayKeep(current.ranges.length, hasRow)) current.ranges.push(rangeOf(reused));
  }
  if (current) yield current;
}

/** Whether one more match of a line is kept, of which so many are. */
const mayKeep = (kept: number, hasRow: boolean): boolean =>
  kept < rangesKept || (hasRow && kept < wordsOfRow && isWord(reused));

/** The line with as many matches as others have. */
export const withFirst = (line: HitLine): HitLine =>
  line.ranges.length > rangesKept ? { ...line, ranges: line.ranges.slice(0, rangesKept) } : line;
