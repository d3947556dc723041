import type { Content, Matches } from '@sextant/library-block-index';
import { definitionWeight, lineWeight } from '@sextant/library-search-results';
import { showLine } from './document-lines.ts';
import { firstMatches, hasPhrase, linesOf, phraseLines } from './hit.ts';
import type { HitLine } from './hit.ts';

/** Lines of a file that are read to tell how good it is. */
const linesRated = 20;

export interface Rating {
  readonly lineCharacters: number;
  readonly isOneText: boolean;
}

/** How good the first lines with matches are, by their numbers: see `lineWeight`. */
export function rateLines(matches: Matches, content: Content, rating: Rating): Map<number, number> {
  const lines = [...ratedLines(matches, rating)];
  return new Map(lines.map((line) => [line.line, weightOf(line, content, rating)]));
}

/** The best of them; once it is as good as `most` the others are not read. */
export function bestOf(matches: Matches, content: Content, { most, ...rating }: Rating & { most: number }): number {
  let best = 0;
  for (const line of ratedLines(matches, rating)) {
    best = Math.max(best, weightOf(line, content, rating));
    if (best >= most) break;
  }
  return best;
}

/** Of several texts also the lines where they stand side by side, wherever these are. */
function ratedLines(matches: Matches, { isOneText }: Rating): Iterable<HitLine> {
  if (isOneText) return linesOf(matches, linesRated);
  return linesOf(firstMatches(matches, linesRated, phraseLines(matches)));
}

function weightOf(line: HitLine, content: Content, { lineCharacters, isOneText }: Rating): number {
  const { text, ranges } = showLine(content, line, lineCharacters);
  let definition = 0;
  for (const [start, end] of ranges) definition = Math.max(definition, definitionWeight(text, start, end));
  const isWord = line.ranges.some(([, , whole]) => whole);
  const isPhrase = !isOneText && hasPhrase(line);
  return lineWeight({ isWord, definition, matches: line.ranges.length, isOneText, isPhrase });
}
