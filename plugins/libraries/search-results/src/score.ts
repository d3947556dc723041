import { basename } from 'node:path/posix';
import { classWeight, pathClass, pathWeight } from './path-class.ts';
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
/** More texts in a line than this count no more. */
const mostBeside = 4;

export interface RatedLine {
  readonly isWord: boolean;
  /** See `definitionWeight`; of a name that only some of the texts make up a share: see `shareDefined`. */
  readonly definition: number;
  /** How many of the texts the line has; at least 1. */
  readonly beside: number;
  /** How many are searched. */
  readonly texts: number;
  /** How many of the texts stand in a row in it: see `WordsInRow`; at least 1. Five are a message as it stands there, and better than any definition. */
  readonly inRow: number;
}

/** How good a line with matches is: a definition before a whole word before a part of one, and several of the texts before one of them. */
export const lineWeight = ({ isWord, definition, beside, texts, inRow }: RatedLine): number =>
  0.2 +
  (isWord ? 0.5 : 0) +
  (isWord ? 1.5 : 0.3) * definition +
  (Math.min(texts, beside) > 1 ? 0.1 * Math.min(mostBeside, texts, beside) : 0) +
  0.5 * pairsOf(Math.min(mostInRow, texts, inRow));

/** How many different texts there are among those of some matches, in any case, but no more than are searched. */
export const differentTexts = (found: readonly string[], texts: number): number =>
  Math.min(texts, new Set(found.map((text) => text.toLowerCase())).size);

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

/** The same where only paths are wanted: what it is called counts more than what kind of file it is. */
export function scorePath(path: string, words: readonly string[]): number {
  const best = shallowness(path.split('/').length - 1);
  return fileScore({ weight: pathWeight[pathClass(path)], named: nameWeight(path, words), lineCount: 0, best });
}

/** Of a path with so many folders, where nothing else tells how good it is: the fewer the better. */
export const shallowness = (folders: number): number => 0.2 / (1 + folders);

/** More than 1, where a file with its ending is named and in no folder: it is the one that is meant, whatever kind of file it is, and comes before what speaks of it. */
const mostOfWhole = 5;

/** What it counts that a path ends with a name with its ending (`redis.conf`, `etcdmain/etcd.go`) behind so many folders: in hundredths, as the index keeps it. */
export const wholeNameWeight = (folders: number): number =>
  Math.max(100, Math.round((100 * mostOfWhole) / (1 + folders)));

/** Whether the name of the file, or else its path, has the words, which are in lower case: from 0 to 1, within another word of the name is not much; more than 1 where they are its name with its ending. */
export function nameWeight(path: string, words: readonly string[]): number {
  const lower = path.toLowerCase();
  const name = basename(lower);
  const stem = name.replace(/\..*$/, '');
  const written = lower.length === path.length ? basename(path) : name;
  const weights = words.map((word) => weightOf(word, { path: lower, name, stem, written }));
  return words.length === 0 ? 0 : weights.reduce((sum, weight) => sum + weight, 0) / words.length;
}

interface Named {
  readonly path: string;
  readonly name: string;
  readonly stem: string;
  /** The name with its capitals. */
  readonly written: string;
}

function weightOf(word: string, { path, name, stem, written }: Named): number {
  const folders = word.includes('.') ? foldersBefore(path, word) : undefined;
  if (folders !== undefined) return wholeNameWeight(folders) / 100;
  if (word === stem || word === name || word === path) return 1;
  let at = name.indexOf(word);
  if (at < 0) return path.includes(word) ? 0.2 : 0;
  while (at >= 0 && isWithinWord(written.charCodeAt(at - 1), written.charCodeAt(at)))
    at = name.indexOf(word, at + word.length);
  return at < 0 ? 0.3 : 0.5;
}

/** The folders before a name that a path ends with; undefined where it does not. */
function foldersBefore(path: string, name: string): number | undefined {
  let at = path.indexOf(name);
  // As matches are found: none begins within another.
  while (at >= 0 && at + name.length < path.length) at = path.indexOf(name, at + name.length);
  if (at < 0 || (at > 0 && path[at - 1] !== '/')) return undefined;
  return path.slice(0, at).split('/').length - 1;
}

/** Whether a character goes on with the word that the one before it is of: a capital does not. Of letters of ASCII alone; NaN is none. */
export const isWithinWord = (before: number, character: number): boolean =>
  character >= 0x61 && character <= 0x7a && (before | 0x20) >= 0x61 && (before | 0x20) <= 0x7a;
