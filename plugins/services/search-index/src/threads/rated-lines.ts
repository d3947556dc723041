import type { Matches } from '@sextant/library-block-index';
import { definitionWeight, lineWeight, mayBeDefined } from '@sextant/library-search-results';
import type { RatedLine } from '@sextant/library-search-results';
import { showLine } from './document-lines.ts';
import type { TextReader } from './document-lines.ts';
import { linesOf, linesRated } from './hit.ts';
import type { HitLine, Rows } from './hit.ts';

export interface Rating {
  readonly lineCharacters: number;
  /** How many are searched. */
  readonly texts: number;
  /** Lines with several of them side by side are rated wherever they are. */
  readonly rows: Rows;
  /** Whether a whole word may be defined there: otherwise what is defined has a part of a name. */
  readonly mayDefine: boolean;
}

/** How good the first lines with matches are: see `lineWeight`. A line that is alone is shown however good it is. */
export function rateLines(lines: readonly HitLine[], reader: TextReader, rating: Rating): RatedLine[] {
  return lines.map((line, number) => {
    const isRated = lines.length > 1 && (number < linesRated || rating.rows.has(line.line));
    const weight = isRated ? weightWith(line, rating, likelyDefinitionIn(line, reader, rating)) : 0;
    return { line: line.line, weight };
  });
}

/** The best of them; once it is as good as `most` the others are not read. */
export function bestOf(matches: Matches, reader: TextReader, rating: Rating & { most: number }): number {
  let best = 0;
  for (const line of linesOf(matches, linesRated, rating.rows)) {
    if (weightWith(line, rating, 1) <= best) continue;
    best = Math.max(best, weightWith(line, rating, likelyDefinitionIn(line, reader, rating)));
    if (best >= rating.most) break;
  }
  return best;
}

const hasWord = ({ ranges }: HitLine): boolean => ranges.some(({ isWord }) => isWord);

/** Of a line that defines what is searched as surely as this, if it may. */
function weightWith(line: HitLine, { texts, rows, mayDefine }: Rating, definition: number): number {
  const isWord = hasWord(line);
  return lineWeight({
    isWord,
    definition: isWord && !mayDefine ? 0 : definition,
    matches: line.ranges.length,
    texts,
    inRow: rows.get(line.line) ?? 1,
  });
}

/** The same as `definitionIn`: of most lines their bytes tell that they define nothing. What has a part of a name is no definition of a word beside it. */
function likelyDefinitionIn(line: HitLine, reader: TextReader, rating: Rating): number {
  if (!rating.mayDefine && hasWord(line)) return 0;
  const words = line.ranges.length > 1 ? line.ranges.filter(({ isWord }) => isWord) : [];
  const named = words.length > 0 ? { ...line, ranges: words } : line;
  return hasSigns(named, reader) ? definitionIn(named, reader, rating) : 0;
}

/** How surely a line defines one of its matches. */
export function definitionIn(
  line: HitLine,
  reader: TextReader,
  { lineCharacters }: Pick<Rating, 'lineCharacters'>,
): number {
  const { text, ranges } = showLine(reader, line, lineCharacters);
  let definition = 0;
  for (const [start, end] of ranges) definition = Math.max(definition, definitionWeight(text, start, end));
  return definition;
}

/** Whether the bytes of a line are such as define one of its matches. */
function hasSigns({ start: lineStart, end: lineEnd, ranges }: HitLine, reader: TextReader): boolean {
  const { bytes, base } = reader.bytes(lineStart, lineEnd);
  const codeAt = (place: number): number => bytes[base + place] ?? 0;
  return ranges.some(({ start, end }) => mayBeDefined(codeAt, { start, end, lineStart, lineEnd }));
}
