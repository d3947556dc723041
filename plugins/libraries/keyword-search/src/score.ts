import { fileWeights, lineWeights } from './weights.ts';

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
