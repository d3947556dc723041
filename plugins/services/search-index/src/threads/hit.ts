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

/** The first lines with matches, at most so many. */
export function hitOf(matches: Matches, { lineCount, most }: { lineCount: number; most: number }): Hit {
  const lines: { line: number; start: number; end: number; ranges: [number, number, boolean][] }[] = [];
  for (let i = 0; i < matches.length; i += 1) {
    const match = matches.at(i, reused);
    const { line, lineStart: start, lineEnd: end } = match;
    if (lines.at(-1)?.line !== line) {
      if (lines.length === most) break;
      lines.push({ line, start, end, ranges: [] });
    }
    const { ranges } = lines.at(-1) ?? { ranges: [] };
    if (ranges.length < rangesKept) ranges.push([match.start, match.end, match.isWordStart && match.isWordEnd]);
  }
  return { lineCount, lines };
}
