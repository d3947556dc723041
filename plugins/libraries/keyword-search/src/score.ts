import { basename } from 'node:path/posix';
import { fileWeights, lineWeights, nameWeights } from './keyword-weights.ts';

/** Facts about a file that matches. */
export interface FileFacts {
  /** Weight of the class of its path. */
  readonly weight: number;
  /** How well its path matches the terms: see `nameScore`. */
  readonly named: number;
  /** Lines that match. */
  readonly lineCount: number;
  /** Score of the best line: see `lineScore`. */
  readonly best: number;
}

/** Facts about a line with matches. */
export interface LineFacts {
  /** Whether a term stands there as a whole word. */
  readonly isWord: boolean;
  /** How surely it defines a name, from 0 to 1; see `definedShare` for a name that only some of the terms make up. */
  readonly definition: number;
  /** How many of the terms the line has; at least 1. */
  readonly beside: number;
  /** How many terms are searched. */
  readonly terms: number;
  /** How many of them stand in its longest phrase; at least 1. */
  readonly phrase: number;
}

/** The summands of the score of a line. */
export interface LineParts {
  readonly base: number;
  readonly wholeWord: number;
  readonly definition: number;
  readonly besideTerms: number;
  readonly phrase: number;
}

export function lineParts({ isWord, definition, beside, terms, phrase }: LineFacts): LineParts {
  const w = lineWeights;
  const together = Math.min(terms, beside);
  return {
    base: w.base,
    wholeWord: isWord ? w.wholeWord : 0,
    definition: (isWord ? w.definition : w.partOfDefinition) * definition,
    besideTerms: together > 1 ? w.besideTerm * Math.min(w.mostBeside, together) : 0,
    phrase: w.phrasePair * pairsOf(Math.min(w.longestPhrase, terms, phrase)),
  };
}

/** The score of a line. It grows with each fact, so the highest facts give an upper bound. */
export const lineScore = (facts: LineFacts): number => sumOf(lineParts(facts));

export const sumOf = ({ base, wholeWord, definition, besideTerms, phrase }: LineParts): number =>
  base + wholeWord + definition + besideTerms + phrase;

const pairsOf = (count: number): number => (count * (count - 1)) / 2;

/** The summands of the score of a file, before the weight of its class. */
interface FileParts {
  readonly base: number;
  readonly bestLine: number;
  readonly name: number;
  readonly lines: number;
}

function fileParts({ named, lineCount, best }: FileFacts): FileParts {
  const lines = fileWeights.lines * Math.log2(1 + Math.min(lineCount, fileWeights.mostLines));
  return { base: fileWeights.base, bestLine: best, name: named, lines };
}

/** The best file has the highest score. Grows with each fact, so the score of the highest facts is an upper bound. */
export function fileScore(facts: FileFacts): number {
  const { base, bestLine, name, lines } = fileParts(facts);
  return facts.weight * (base + bestLine + name + lines);
}

/** The parts of a file's score by name; those of its best line, if that is known, stand instead of their sum. */
export function explainFile(facts: FileFacts, line?: LineParts): Record<string, number> {
  const { bestLine, ...parts } = fileParts(facts);
  const ofLine = Object.entries(line ?? { score: bestLine }).map(([name, value]) => [`bestLine.${name}`, value]);
  return { '×class': facts.weight, ...parts, ...Object.fromEntries(ofLine) };
}

/** The score of a path without matching lines: paths with fewer folders come first. */
export const shallowness = (folders: number): number => fileWeights.shallow / (1 + folders);

/** The score of a path that ends with a term with a dot (`redis.conf`, `etcdmain/etcd.go`). `folders` stand before it. */
export const wholeNameScore = (folders: number): number =>
  Math.max(nameWeights.whole, nameWeights.wholeInRoot / (1 + folders));

/** How well a path matches a term (in lower case): 0 to 1. A path that ends with a term with a dot gets more. */
export function nameScore(path: string, term: string): number {
  const lower = path.toLowerCase();
  const name = basename(lower);
  const stem = name.replace(/\..*$/, '');
  const folders = term.includes('.') ? foldersBefore(lower, term) : undefined;
  if (folders !== undefined) return wholeNameScore(folders);
  if (term === stem || term === name || term === lower) return nameWeights.whole;
  let at = name.indexOf(term);
  if (at < 0) return lower.includes(term) ? nameWeights.folder : 0;
  // With its capitals.
  const written = lower.length === path.length ? basename(path) : name;
  while (at >= 0 && isWithinWord(written.charCodeAt(at - 1), written.charCodeAt(at)))
    at = name.indexOf(term, at + term.length);
  return at < 0 ? nameWeights.withinWord : nameWeights.name;
}

/** The folders before a name that a path ends with; undefined where it does not. */
function foldersBefore(path: string, name: string): number | undefined {
  let at = path.indexOf(name);
  // No match begins within another.
  while (at >= 0 && at + name.length < path.length) at = path.indexOf(name, at + name.length);
  if (at < 0 || (at > 0 && path[at - 1] !== '/')) return undefined;
  return path.slice(0, at).split('/').length - 1;
}

/** Whether a letter continues the word of the one before it; a capital begins a word. Letters of ASCII alone; NaN is none. */
const isWithinWord = (before: number, character: number): boolean =>
  character >= 0x61 && character <= 0x7a && (before | 0x20) >= 0x61 && (before | 0x20) <= 0x7a;
