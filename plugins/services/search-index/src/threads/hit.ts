import { noMatch } from '@sextant/library-block-index';
import type { Matches } from '@sextant/library-block-index';

/** What is kept of the matches of a document. */
export interface Hit {
  /** Lines with a match. */
  readonly lineCount: number;
  /** The first of them, in order, with the content offsets of their bounds and matches. */
  readonly lines: readonly HitLine[];
}

export interface HitLine {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly ranges: readonly (readonly [start: number, end: number, isWord: boolean])[];
}

const rangesKept = 8;

/** A common word has too many matches for an object each; it is read before the next match. */
const reused = noMatch();

/** What is known of a document without reading its lines. */
export interface HitSummary {
  readonly lineCount: number;
  readonly hasWord: boolean;
}

export function summarize(matches: Matches): HitSummary {
  let [lineCount, last, hasWord] = [0, -1, false];
  for (let i = 0; i < matches.length; i += 1) {
    const { line, isWordStart, isWordEnd } = matches.at(i, reused);
    hasWord ||= isWordStart && isWordEnd;
    if (line === last) continue;
    lineCount += 1;
    last = line;
  }
  return { lineCount, hasWord };
}

/** The matches of the first lines, at most so many, and of each line the first: numbers alone, because many files may be kept. */
export function firstMatches(matches: Matches, most: number): Matches {
  const kept: number[] = [];
  let [lines, last, inLine] = [0, -1, 0];
  for (let i = 0; i < matches.length; i += 1) {
    const { line } = matches.at(i, reused);
    if (line !== last) [lines, last, inLine] = [lines + 1, line, 0];
    if (lines > most) break;
    inLine += 1;
    if (inLine <= rangesKept) kept.push(i);
  }
  return matches.pick(kept);
}

/** Matches, line by line. */
export const hitOf = (matches: Matches, lineCount: number): Hit => ({ lineCount, lines: [...linesOf(matches)] });

/** The first lines with matches, of each the first of these. */
export function* linesOf(matches: Matches, most = Infinity): Generator<HitLine> {
  let current: { line: number; start: number; end: number; ranges: [number, number, boolean][] } | undefined;
  for (let i = 0, lines = 0; i < matches.length; i += 1) {
    const { line } = matches.at(i, reused);
    if (current?.line !== line) {
      if (current) yield current;
      lines += 1;
      if (lines > most) return;
      // Who takes a line may look at other matches before the next.
      matches.at(i, reused);
      current = { line, start: reused.lineStart, end: reused.lineEnd, ranges: [] };
    }
    if (current.ranges.length < rangesKept)
      current.ranges.push([reused.start, reused.end, reused.isWordStart && reused.isWordEnd]);
  }
  if (current) yield current;
}
