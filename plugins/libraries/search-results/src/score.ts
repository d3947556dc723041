import { basename } from 'node:path/posix';
import { classWeight, pathClass } from './path-class.ts';

export interface Scored {
  readonly path: string;
  /** Lines that match. */
  readonly lineCount: number;
  /** Of the best line: see `lineWeight`. */
  readonly best: number;
  /** Texts of the query in lower case. */
  readonly words: readonly string[];
}

/** How good a line with matches is: a definition before a whole word before a part of one. */
export const lineWeight = (line: { isWord: boolean; definition: number; matches: number }): number =>
  0.2 + (line.isWord ? 0.5 : 0) + (line.isWord ? 1.5 : 0.3) * line.definition + Math.min(0.3, 0.1 * (line.matches - 1));

/** Best first is largest first; the same for the same file and query, whatever else is found. */
export function scoreFile({ path, lineCount, best, words }: Scored): number {
  const name = basename(path).toLowerCase();
  const stem = name.replace(/\..*$/, '');
  const named = words.map((word) => nameWeight(word, { path: path.toLowerCase(), name, stem }));
  const inName = named.length === 0 ? 0 : named.reduce((sum, weight) => sum + weight, 0) / named.length;
  return classWeight[pathClass(path)] * (1 + best + inName + 0.08 * Math.log2(1 + Math.min(lineCount, 1000)));
}

function nameWeight(word: string, { path, name, stem }: { path: string; name: string; stem: string }): number {
  if (word === stem || word === name || word === path) return 1;
  if (name.includes(word)) return 0.5;
  return path.includes(word) ? 0.2 : 0;
}
