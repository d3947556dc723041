import { basename, dirname } from 'node:path/posix';
import { bm25Weights, identifierParts, stem, wordScore } from '@sextant/library-ranking';
import type { Scan } from './scan.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Each from 0 to 1, the best of all files having 1. */
export type Signals = Readonly<Record<SignalName, number>>;
export type SignalName = keyof typeof signalWeights;

// Tuned on past commits; see docs/benchmarks.md.
export const signalWeights = {
  words: 1,
  past: 0.9,
  names: 0.5,
  paths: 1,
  phrases: 1,
  scope: 0.7,
  recency: 0.2,
  name: 0.2,
};

/** Inverse document frequency times the weight in the task, per word of the vocabulary. */
export type WordWeights = readonly number[];

/** BM25F over the words of path, definitions and text. `average` is the length of the files it is compared with. */
export function wordsSignal(
  file: { path: string; scan: Scan | undefined },
  { vocabulary, weights, average }: { vocabulary: Vocabulary; weights: WordWeights; average: number },
): number {
  const inName = countsOf(vocabulary, basename(file.path));
  const inFolder = countsOf(vocabulary, dirname(file.path));
  const length = (file.scan?.length ?? average) / average;
  return weights.reduce((sum, weight, word) => {
    const counts = {
      name: inName.get(word) ?? 0,
      folder: Math.min(1, inFolder.get(word) ?? 0),
      body: file.scan?.counts[word] ?? 0,
      defined: file.scan?.defined[word] ?? 0,
    };
    return sum + weight * wordScore(counts, length, bm25Weights.candidates);
  }, 0);
}

function countsOf(vocabulary: Vocabulary, text: string): Map<number, number> {
  const counts = new Map<number, number>();
  for (const word of vocabulary.wordsIn(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** How much of the file's own name the task says, by what its words tell. */
export function nameSignal(path: string, vocabulary: Vocabulary): number {
  const parts = identifierParts(basename(path).replace(/\.[^.]*$/, ''));
  if (parts.length === 0) return 0;
  const said = new Map(vocabulary.words.map(({ stem, weight }) => [stem, weight]));
  return parts.reduce((sum, part) => sum + Math.min(1, said.get(stem(part)) ?? 0), 0) / parts.length;
}

/** Names of the task: defining one counts in full, by the number of files that do; using it counts half. */
export function namesSignal(scan: Scan, definers: readonly number[], users: readonly number[]): number {
  return scan.names.reduce((sum, { uses, definition }, name) => {
    const defining = definition > 0 ? definition / Math.sqrt(Math.max(1, definers[name] ?? 1)) : 0;
    const using = uses > 0 ? 0.5 / Math.sqrt(Math.max(1, users[name] ?? 1)) : 0;
    return sum + Math.max(defining, using);
  }, 0);
}

/** Whether folders or the name of a file are called as the task begins. */
export function scopeSignal(path: string, scopes: readonly string[]): number {
  const lower = path.toLowerCase();
  const segments = lower.split('/').map((segment) => segment.replace(/\.[^.]*$/, ''));
  const of = (scope: string): number => {
    const wanted = scope.toLowerCase().replace(/^\/|\/$/g, '');
    if (wanted.includes('/')) return `/${lower}`.includes(`/${wanted}`) ? 1 : 0;
    if (segments.includes(wanted)) return 1;
    return segments.some((segment) => identifierParts(segment).includes(wanted)) ? 0.6 : 0;
  };
  return Math.max(0, ...scopes.map(of));
}
