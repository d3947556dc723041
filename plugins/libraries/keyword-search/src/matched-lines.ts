import { emptyMatch } from '@sextant/library-block-index';
import type { Match, Matches } from '@sextant/library-block-index';
import { continuesPhrase, countsBesideOthers, isWord } from './phrase.ts';
import type { MatchPlace } from './phrase.ts';
import { lineWeights, readLimits } from './keyword-weights.ts';

const { linesRated, phraseLines, matchesOfLine, wordsOfPhraseLine } = readLimits;

/** A line with matches. Its bounds are content offsets. */
export interface LineMatches {
  /** Counted from 0. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** Objects: destructuring a tuple would cost more than all else that is done with a match. */
  readonly ranges: readonly MatchPlace[];
}

/** A common word has too many matches for an object each; it is read before the next match. */
const reused = emptyMatch();

/** How many lines have matches. */
export function countLines(matches: Matches): number {
  let [count, last] = [0, -1];
  for (let i = 0; i < matches.length; i += 1) {
    const { line } = matches.at(i, reused);
    if (line !== last) [count, last] = [count + 1, line];
  }
  return count;
}

/** The matches that count beside those of other terms. */
export function countedOf(matches: Matches): Matches {
  const counted: number[] = [];
  for (let i = 0; i < matches.length; i += 1) {
    matches.at(i, reused);
    if (countsBesideOthers(reused)) counted.push(i);
  }
  return counted.length === matches.length ? matches : matches.pick(counted);
}

/** If one of several terms is a letter, drops one-letter matches from lines too long to show whole that have other matches. */
export function withoutLettersInLongLines(
  matches: Matches,
  { hasLetter }: Pick<TermTraits, 'hasLetter'>,
  longest: number,
): Matches {
  if (!hasLetter) return matches;
  const others = new Set<number>();
  const isLetterInLongLine = (i: number): boolean => {
    const { start, end, lineStart, lineEnd } = matches.at(i, reused);
    return end - start === 1 && lineEnd - lineStart > longest;
  };
  for (let i = 0; i < matches.length; i += 1) if (!isLetterInLongLine(i)) others.add(reused.line);
  const kept: number[] = [];
  for (let i = 0; i < matches.length; i += 1) if (!isLetterInLongLine(i) || !others.has(reused.line)) kept.push(i);
  return kept.length === matches.length ? matches : matches.pick(kept);
}

/** Lines with several terms, by their numbers, and how many terms their longest phrase may have: 1 for a line that holds none. */
export type LinesToRate = ReadonlyMap<number, number>;

export const noLinesToRate: LinesToRate = new Map();

/** What tells the matches of several terms apart. */
export interface TermTraits {
  /** Whether matches of two terms may have the same length. */
  readonly areAlike: boolean;
  /** Whether one of several terms is a letter: see `isLetter`. */
  readonly hasLetter: boolean;
}

type SomeLines = Pick<ReadonlySet<number>, 'has' | 'size'>;

/** The lines in which the longest phrases may stand, the first of these, and then the first lines with several terms. */
export function linesWithPhrases(matches: Matches, { areAlike }: Pick<TermTraits, 'areAlike'>): LinesToRate {
  const phrases = new Map<number, number>();
  const several: number[] = [];
  let [last, length, end, isWordBefore, terms] = [-1, 0, 0, false, 0];
  for (let i = 0; i < matches.length; i += 1) {
    const { line, start, end: matchEnd, isWordStart, isWordEnd } = matches.at(i, reused);
    const isFirst = line !== last;
    last = line;
    if (isFirst) length = matchEnd - start;
    else if (several.length < phraseLines && (areAlike || matchEnd - start !== length) && several.at(-1) !== line)
      several.push(line);
    // If matches overlap, either may be in a phrase.
    if (!isFirst && start < end) terms = lineWeights.longestPhrase;
    else if (!isFirst && continuesPhrase(start - end, isWordStart, isWordBefore)) terms += 1;
    else terms = 1;
    if (terms > 1 && terms > (phrases.get(line) ?? 1)) phrases.set(line, terms);
    [end, isWordBefore] = [Math.max(isFirst ? 0 : end, matchEnd), isWordEnd];
  }
  const longest =
    phrases.size > phraseLines ? new Map([...phrases].sort(([, a], [, b]) => b - a).slice(0, phraseLines)) : phrases;
  for (const line of several) if (longest.size < phraseLines && !longest.has(line)) longest.set(line, 1);
  return longest;
}

/**
 * The lines that are rated wherever they are: those of `linesWithPhrases` and, if a term is a letter, the first lines with
 * more than a part of a word.
 */
export function linesToRateIn(matches: Matches, traits: TermTraits): LinesToRate {
  if (!traits.hasLetter) return linesWithPhrases(matches, traits);
  const counted = countedOf(matches);
  const lines = new Map(linesWithPhrases(counted, traits));
  for (const { line } of matchedLines(counted, linesRated)) if (!lines.has(line)) lines.set(line, 1);
  return lines;
}

/** A copy of the matches of the first `most` lines, and of the lines `besides`. Records instead of objects, because many files may be kept. */
export function firstMatches(matches: Matches, most: number, besides: SomeLines = noLinesToRate): Matches {
  const kept: number[] = [];
  let [lines, last, inLine] = [0, -1, 0];
  for (let i = 0; i < matches.length; i += 1) {
    const { line } = matches.at(i, reused);
    if (line !== last) [lines, last, inLine] = [lines + 1, line, 0];
    if (lines > most && besides.size === 0) break;
    const isBesides = besides.has(line);
    if ((lines > most && !isBesides) || !isKept(inLine, isBesides)) continue;
    inLine += 1;
    kept.push(i);
  }
  return kept.length === matches.length ? matches.copy() : matches.pick(kept);
}

/** The first `most` lines with matches, and the lines `besides`. */
export function* matchedLines(
  matches: Matches,
  most = Infinity,
  besides: SomeLines = noLinesToRate,
): Generator<LineMatches> {
  let current: { line: number; start: number; end: number; ranges: MatchPlace[] } | undefined;
  let isBesides = false;
  for (let i = 0, lines = 0, last = -1; i < matches.length; i += 1) {
    const { line } = matches.at(i, reused);
    if (line !== last) {
      if (current) yield current;
      [lines, last, current] = [lines + 1, line, undefined];
      if (lines > most && besides.size === 0) return;
      isBesides = besides.has(line);
      if (lines > most && !isBesides) continue;
      // Read again: the consumer of the last line may have read other matches into `reused`.
      matches.at(i, reused);
      // Most lines have one match. An array that grows by `push` takes room for seventeen.
      current = { line, start: reused.lineStart, end: reused.lineEnd, ranges: [rangeOf(reused)] };
    } else if (current && isKept(current.ranges.length, isBesides)) current.ranges.push(rangeOf(reused));
  }
  if (current) yield current;
}

const rangeOf = ({ start, end, isWordStart, isWordEnd }: Match): MatchPlace => ({ start, end, isWordStart, isWordEnd });

/**
 * Whether to keep one more match of a line. The first `matchesOfLine` are kept, and more whole words if the line may
 * hold a phrase.
 */
const isKept = (kept: number, mayHavePhrase: boolean): boolean =>
  kept < matchesOfLine || (mayHavePhrase && kept < wordsOfPhraseLine && isWord(reused));

/** The line with as many matches as are shown. */
export const withFirstMatches = (line: LineMatches): LineMatches =>
  line.ranges.length > matchesOfLine ? { ...line, ranges: line.ranges.slice(0, matchesOfLine) } : line;
