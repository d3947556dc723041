import { noMatch } from '@sextant/library-block-index';
import type { Match, Matches } from '@sextant/library-block-index';
import type { NamePart } from '@sextant/library-search-results';

/** A line with matches, with the content offsets of their bounds. */
export interface HitLine {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** Objects: to take a list apart costs more than all else that is done with many of them. */
  readonly ranges: readonly NamePart[];
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

/** How many matches follow one another in a line; 1: none does. */
export interface Row {
  /** Words that stand side by side. */
  readonly words: number;
  /** What may be parts of one name: `parse` and `config` in `parse_config`. */
  readonly parts: number;
}

/** Those of some lines, by their numbers. */
export type Rows = ReadonlyMap<number, Row>;

export const noRows: Rows = new Map();

type SomeLines = Pick<ReadonlySet<number>, 'has' | 'size'>;

/** Bytes between two words that stand side by side, and at most between parts of a name. */
const between = 1;
/** Lines of a file with such that are kept, and words of each that are looked at: the index gives as many (`Visit.linesOfEach`). */
const rowsKept = 20;
const wordsOfRow = 64;

export const isWord = ({ isWordStart, isWordEnd }: Pick<NamePart, 'isWordStart' | 'isWordEnd'>): boolean =>
  isWordStart && isWordEnd;

/** The lines in which most words stand side by side or are part of a name, of these the first: who searches several means such before others. */
export function rowsIn(matches: Matches): Rows {
  const rows = new Map<number, Row>();
  let last = -1;
  let [end, inRow, words] = [0, 0, 0];
  let [partEnd, parts, isPartEnd] = [0, 0, true];
  for (let i = 0; i < matches.length; i += 1) {
    const { line, start, end: matchEnd, isWordStart, isWordEnd } = matches.at(i, reused);
    if (line !== last) {
      last = line;
      [end, inRow, words] = [0, 0, 0];
      [partEnd, parts, isPartEnd] = [0, 0, true];
    }
    if (start >= partEnd) {
      parts = !isPartEnd && !isWordStart && start - partEnd <= between ? parts + 1 : 1;
      [partEnd, isPartEnd] = [matchEnd, isWordEnd];
      if (parts > 1) addRow(rows, line, { words: 1, parts });
    }
    if (!isWordStart || !isWordEnd) continue;
    words += 1;
    if (words > wordsOfRow || start < end) continue;
    inRow = inRow > 0 && start - end === between ? inRow + 1 : 1;
    end = matchEnd;
    if (inRow > 1) addRow(rows, line, { words: inRow, parts: 1 });
  }
  if (rows.size <= rowsKept) return rows;
  return new Map([...rows].sort(([, a], [, b]) => longest(b) - longest(a)).slice(0, rowsKept));
}

function addRow(rows: Map<number, Row>, line: number, { words, parts }: Row): void {
  const known = rows.get(line);
  if (known && known.words >= words && known.parts >= parts) return;
  rows.set(line, { words: Math.max(words, known?.words ?? 1), parts: Math.max(parts, known?.parts ?? 1) });
}

export const longest = ({ words, parts }: Row): number => Math.max(words, parts);

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

const rangeOf = ({ start, end, isWordStart, isWordEnd }: Match): NamePart => ({ start, end, isWordStart, isWordEnd });

/** The first lines with matches, and some besides; of each the first matches. */
export function* linesOf(matches: Matches, most = Infinity, besides: SomeLines = noRows): Generator<HitLine> {
  let current: { line: number; start: number; end: number; ranges: NamePart[] } | undefined;
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
