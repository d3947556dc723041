import { noMatch } from '@sextant/library-block-index';
import type { Match, Matches } from '@sextant/library-block-index';

/** Objects: to take a list apart costs more than all else that is done with many of them. */
interface HitRange {
  readonly start: number;
  readonly end: number;
  readonly isWord: boolean;
}

/** A line with matches, with the content offsets of their bounds. */
export interface HitLine {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly ranges: readonly HitRange[];
}

/** Lines of a file that are looked at to tell how good it is. */
export const linesRated = 20;
const rangesKept = 8;

/** A common word has too many matches for an object each; it is read before the next match. */
const reused = noMatch();

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

const longLine = 4096;

/** Whether a line is longer than what is shown of a file. */
export function hasLongLine(matches: Matches): boolean {
  for (let i = 0; i < matches.length; i += 1) {
    const { lineStart, lineEnd } = matches.at(i, reused);
    if (lineEnd - lineStart > longLine) return true;
  }
  return false;
}

/** How many words stand side by side in some lines, by their numbers: two at least. */
export type Rows = ReadonlyMap<number, number>;

export const noRows: Rows = new Map();

type SomeLines = Pick<ReadonlySet<number>, 'has' | 'size'>;

/** Bytes between two words that stand side by side. */
const between = 1;
/** Lines of a file with such that are kept, and words of each that are looked at: the index gives as many (`Visit.linesOfEach`). */
const rowsKept = 20;
const wordsOfRow = 64;

const isWord = ({ isWordStart, isWordEnd }: Match): boolean => isWordStart && isWordEnd;

/** The lines in which most words stand side by side, of these the first: who searches several means such before others. */
export function rowsIn(matches: Matches): Rows {
  const rows = new Map<number, number>();
  let [last, end, inRow, words] = [-1, 0, 0, 0];
  for (let i = 0; i < matches.length; i += 1) {
    const { line, start } = matches.at(i, reused);
    if (line !== last) [last, end, inRow, words] = [line, 0, 0, 0];
    if (!isWord(reused)) continue;
    words += 1;
    if (words > wordsOfRow || start < end) continue;
    inRow = inRow > 0 && start - end === between ? inRow + 1 : 1;
    end = reused.end;
    if (inRow > 1 && inRow > (rows.get(line) ?? 1)) rows.set(line, inRow);
  }
  return rows.size > rowsKept ? new Map([...rows].sort(([, a], [, b]) => b - a).slice(0, rowsKept)) : rows;
}

/** The matches of the first lines, at most so many, of some besides, and of each line the first, of those the words that may stand side by side, too: numbers alone, because many files may be kept. */
export function firstMatches(matches: Matches, most: number, besides: SomeLines = noRows): Matches {
  const kept: number[] = [];
  let [lines, last, inLine, words] = [0, -1, 0, 0];
  for (let i = 0; i < matches.length; i += 1) {
    const { line } = matches.at(i, reused);
    if (line !== last) [lines, last, inLine, words] = [lines + 1, line, 0, 0];
    if (lines > most && besides.size === 0) break;
    const hasRow = besides.has(line);
    if (lines > most && !hasRow) continue;
    inLine += 1;
    if (isWord(reused)) words += 1;
    if (inLine <= rangesKept || (hasRow && isWord(reused) && words <= wordsOfRow)) kept.push(i);
  }
  return kept.length === matches.length ? matches.copy() : matches.pick(kept);
}

const rangeOf = (match: Match): HitRange => ({ start: match.start, end: match.end, isWord: isWord(match) });

/** The first lines with matches, and some besides; of each the first matches. */
export function* linesOf(matches: Matches, most = Infinity, besides: SomeLines = noRows): Generator<HitLine> {
  let current: { line: number; start: number; end: number; ranges: HitRange[] } | undefined;
  for (let i = 0, lines = 0, last = -1; i < matches.length; i += 1) {
    const { line } = matches.at(i, reused);
    if (line !== last) {
      if (current) yield current;
      [lines, last, current] = [lines + 1, line, undefined];
      if (lines > most && besides.size === 0) return;
      if (lines > most && !besides.has(line)) continue;
      // Who takes a line may look at other matches before the next.
      matches.at(i, reused);
      // Mostly there is one match; a list that grows takes room for seventeen.
      current = { line, start: reused.lineStart, end: reused.lineEnd, ranges: [rangeOf(reused)] };
    } else if (current && current.ranges.length < rangesKept) current.ranges.push(rangeOf(reused));
  }
  if (current) yield current;
}
