import type { Content, Matches } from '@sextant/library-block-index';
import { definitionWeight, mayBeDefined } from '@sextant/library-search-results';
import { beyondASCII, showLine } from '../show/lines.ts';
import { matchedLines } from './matched-lines.ts';
import type { MatchedLine } from './matched-lines.ts';

/** Lines of a file that are read for it. */
const linesRead = 2000;
/** Characters of a line in which a definition is looked for. */
const lineCharacters = 256;
/** From here on a line counts as a definition. */
const sureness = 0.7;

/** The words (in lower case) of which a file defines something: what is defined has the word in its name. */
export function definedWords(matches: Matches, content: Content, words: readonly string[]): Set<string> {
  const defined = new Set<string>();
  for (const line of matchedLines(matches, linesRead)) {
    if (!mayDefine(line, content, defined)) continue;
    const { text, ranges } = showLine(content, line, lineCharacters);
    for (const [start, end] of ranges) {
      const word = text.slice(start, end).toLowerCase();
      if (!defined.has(word) && words.includes(word) && isInDefinedName(text, start, end)) defined.add(word);
    }
    if (defined.size === words.length) break;
  }
  return defined;
}

/** Of most lines their bytes tell that they define no word that is not known to be defined. */
function mayDefine({ start, end, ranges }: MatchedLine, content: Content, defined: ReadonlySet<string>): boolean {
  if (end - start > lineCharacters) return true;
  const bytes = content.latin1(start, end);
  // Beyond ASCII it takes the text to tell what a name is.
  if (beyondASCII.test(bytes)) return true;
  const codeAt = (place: number): number => bytes.charCodeAt(place);
  return ranges.some(({ start: from, end: to }) => {
    if (defined.has(bytes.slice(from - start, to - start).toLowerCase())) return false;
    const [name, nameEnd] = nameAround(bytes, from - start, to - start);
    return mayBeDefined(codeAt, { start: name, end: nameEnd, lineStart: 0, lineEnd: bytes.length });
  });
}

function nameAround(line: string, start: number, end: number): [number, number] {
  let [from, to] = [start, end];
  while (from > 0 && isOfName(line, from - 1)) from -= 1;
  while (to < line.length && isOfName(line, to)) to += 1;
  return [from, to];
}

function isInDefinedName(line: string, start: number, end: number): boolean {
  const [from, to] = nameAround(line, start, end);
  return definitionWeight(line, from, to) >= sureness;
}

const isOfName = (line: string, at: number): boolean => /[\p{L}\p{N}_$]/u.test(line.charAt(at));
