import type { Content, Matches } from '@sextant/library-block-index';
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

/** The best of them; once it is as good as `most` the others are not read. Of most lines their bytes tell that they define nothing. */
export function bestOf(matches: Matches, content: Content, rating: Rating & { most: number }): number {
  let best = 0;
  for (const line of linesOf(matches, linesRated, rating.phrases)) {
    if (weightWith(line, rating, surely) <= best) continue;
    const definition = mayDefine(line, content) ? definitionIn(line, content, rating) : 0;
    best = Math.max(best, weightWith(line, rating, definition));
    if (best >= rating.most) break;
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

/** How surely a line defines one of its matches. */
export function definitionIn(
  line: HitLine,
  content: TextReader,
  { lineCharacters }: Pick<Rating, 'lineCharacters'>,
): number {
  const { text, ranges } = showLine(content, line, lineCharacters);
  let definition = 0;
  for (const [start, end] of ranges) definition = Math.max(definition, definitionWeight(text, start, end));
  return definition;
}

function mayDefine({ start: lineStart, end: lineEnd, ranges }: HitLine, content: Content): boolean {
  const { bytes, base } = content.bytes(lineStart, lineEnd);
  const codeAt = (place: number): number => bytes[base + place] ?? 0;
  return ranges.some(([start, end]) => mayBeDefined(codeAt, { start, end, lineStart, lineEnd }));
}
