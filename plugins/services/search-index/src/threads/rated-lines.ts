import type { Matches } from '@sextant/library-block-index';
import { definitionWeight, lineWeight, mayBeDefined } from '@sextant/library-search-results';
import { showLine } from './document-lines.ts';
import type { TextReader } from './document-lines.ts';
import { linesOf } from './hit.ts';
import type { HitLine } from './hit.ts';

/** Lines of a file that are read to tell how good it is. */
const linesRated = 20;

export interface Rating {
  readonly lineCharacters: number;
  readonly isOneText: boolean;
  /** Of several texts the lines where they stand side by side: these are rated wherever they are. */
  readonly phrases: ReadonlySet<number>;
}

/** How good the first lines with matches are, by their numbers: see `lineWeight`. */
export function rateLines(matches: Matches, content: TextReader, rating: Rating): Map<number, number> {
  const lines = [...linesOf(matches, linesRated, rating.phrases)];
  return new Map(lines.map((line) => [line.line, weightOf(line, content, rating)]));
}

/** The best of them; once it is as good as `most` the others are not read. */
export function bestOf(matches: Matches, content: TextReader, { most, ...rating }: Rating & { most: number }): number {
  let best = 0;
  for (const line of linesOf(matches, linesRated, rating.phrases)) {
    if (weightWith(line, rating, surely) <= best) continue;
    best = Math.max(best, weightOf(line, content, rating));
    if (best >= most) break;
  }
  return best;
}

const surely = 1;

const weightOf = (line: HitLine, content: TextReader, rating: Rating): number =>
  weightWith(line, rating, definitionIn(line, content, rating));

/** Of a line that defines what is searched as surely as this. */
function weightWith({ line, ranges }: HitLine, { isOneText, phrases }: Rating, definition: number): number {
  const isWord = ranges.some(([, , whole]) => whole);
  return lineWeight({ isWord, definition, matches: ranges.length, isOneText, isPhrase: phrases.has(line) });
}

function definitionIn(line: HitLine, content: TextReader, { lineCharacters }: Rating): number {
  if (!mayDefine(line, content, lineCharacters)) return 0;
  const { text, ranges } = showLine(content, line, lineCharacters);
  let definition = 0;
  for (const [start, end] of ranges) definition = Math.max(definition, definitionWeight(text, start, end));
  return definition;
}

/** Of most lines that are shown whole their bytes tell that they define none of the matches. */
function mayDefine({ start, end, ranges }: HitLine, content: TextReader, lineCharacters: number): boolean {
  if (end - start > lineCharacters) return true;
  const bytes = content.latin1(start, end);
  return ranges.some(([from, to]) => mayBeDefined(bytes, from - start, to - start));
}
