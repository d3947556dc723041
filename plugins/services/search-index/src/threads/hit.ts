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

const rangesKept = 8;
export const noLines: ReadonlySet<number> = new Set();

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

const longLine = 4096;

/** Whether a line is longer than what is shown of a file. */
export function hasLongLine(matches: Matches): boolean {
  for (let i = 0; i < matches.length; i += 1) {
    const { lineStart, lineEnd } = matches.at(i, reused);
    if (lineEnd - lineStart > longLine) return true;
  }
  return false;
}

/** Bytes between two words that stand side by side, and lines with such that are looked for. */
const between = 1;
const mostPhrases = 20;

const areBeside = (end: number, start: number): boolean => start - end === between;
const isWord = ({ isWordStart, isWordEnd }: Match): boolean => isWordStart && isWordEnd;

/** The first lines in which two words stand side by side among the matches that are kept: who searches both means these before others. */
export function phraseLines(matches: Matches): Set<number> {
  const found = new Set<number>();
  const [one, next] = [noMatch(), noMatch()];
  for (let i = 1, inLine = 1; i < matches.length && found.size < mostPhrases; i += 1) {
    matches.at(i - 1, one);
    matches.at(i, next);
    inLine = one.line === next.line ? inLine + 1 : 1;
    const isKept = inLine > 1 && inLine <= rangesKept;
    if (isKept && areBeside(one.end, next.start) && isWord(one) && isWord(next)) found.add(one.line);
  }
  return found;
}

/** The matches of the first lines, at most so many, of some besides, and of each line the first: numbers alone, because many files may be kept. */
export function firstMatches(matches: Matches, most: number, besides: ReadonlySet<number> = noLines): Matches {
  const kept: number[] = [];
  let [lines, last, inLine] = [0, -1, 0];
  for (let i = 0; i < matches.length; i += 1) {
    const { line } = matches.at(i, reused);
    if (line !== last) [lines, last, inLine] = [lines + 1, line, 0];
    if (lines > most && besides.size === 0) break;
    inLine += 1;
    if (inLine <= rangesKept && (lines <= most || besides.has(line))) kept.push(i);
  }
  return matches.pick(kept);
}

const rangeOf = (match: Match): HitRange => ({ start: match.start, end: match.end, isWord: isWord(match) });

/** The first lines with matches, and some besides; of each the first matches. */
export function* linesOf(
  matches: Matches,
  most = Infinity,
  besides: ReadonlySet<number> = noLines,
): Generator<HitLine> {
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
