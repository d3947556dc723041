import { basename } from 'node:path/posix';
import { classWeight, pathClass } from './path-class.ts';
import { mostInRow } from './words-in-row.ts';

/** What is known of a file that matches. */
export interface Scored {
  /** Of the class of its path: see `classWeight`. */
  readonly weight: number;
  /** How far its path says what is searched: see `nameWeight`. */
  readonly named: number;
  /** Lines that match. */
  readonly lineCount: number;
  /** Of the best line: see `lineWeight`. */
  readonly best: number;
}

/** More lines than this count no more. */
const mostLines = 16;
/** More matches in a line than this count no more. */
const mostMatches = 4;

export interface RatedLine {
  readonly isWord: boolean;
  /** See `definitionWeight`; of a name that only some of the texts make up a share: see `shareDefined`. */
  readonly definition: number;
  /** Matches in the line; more than one counts only where several texts are searched. */
  readonly matches: number;
  /** How many are searched. */
  readonly texts: number;
  /** How many of the texts stand in a row in it: see `WordsInRow`; at least 1. Five are a message as it stands there, and better than any definition. */
  readonly inRow: number;
}

/** How good a line with matches is: a definition before a whole word before a part of one. */
export const lineWeight = ({ isWord, definition, matches, texts, inRow }: RatedLine): number =>
  0.2 +
  (isWord ? 0.5 : 0) +
  (isWord ? 1.5 : 0.3) * definition +
  (texts === 1 ? 0 : 0.1 * (Math.min(mostMatches, matches) - 1)) +
  0.5 * pairsOf(Math.min(mostInRow, texts, inRow));

const pairsOf = (count: number): number => (count * (count - 1)) / 2;

/** Best first is largest first; grows with each of what it is made of. */
export const fileScore = ({ weight, named, lineCount, best }: Scored): number =>
  weight * (1 + best + named + 0.08 * Math.log2(1 + Math.min(lineCount, mostLines)));

/** The same for a path; `words` are the texts of the query in lower case. */
export function scoreFile(
  path: string,
  words: readonly string[],
  { lineCount, best }: Pick<Scored, 'lineCount' | 'best'>,
): number {
  return fileScore({ weight: classWeight[pathClass(path)], named: nameWeight(path, words), lineCount, best });
}

/** From 0 to 1: whether the name of the file, or else its path, has the words, which are in lower case. */
export function nameWeight(path: string, words: readonly string[]): number {
  const lower = path.toLowerCase();
  const name = basename(lower);
  const stem = name.replace(/\..*$/, '');
  const weights = words.map((word) => weightOf(word, { path: lower, name, stem }));
  return words.length === 0 ? 0 : weights.reduce((sum, weight) => sum + weight, 0) / words.length;
}

function weightOf(word: string, { path, name, stem }: { path: string; name: string; stem: string }): number {
  if (word === stem || word === name || word === path) return 1;
  if (name.includes(word)) return 0.5;
  return path.includes(word) ? 0.2 : 0;
}
