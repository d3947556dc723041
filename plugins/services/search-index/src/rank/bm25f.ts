import { pathClasses } from '@sextant/library-search-results';
import type { PathClass } from '@sextant/library-search-results';

/** How often a word stands in each field of a document. */
export interface FieldCounts {
  readonly folder: number;
  readonly name: number;
  readonly body: number;
}

// Tuned on questions (test/bench/nls): what a file is about is repeated in it, and large files are not worse.
const k1 = 8;
const b = 0.4;
const weights: FieldCounts = { folder: 3, name: 8, body: 1 };

/** Of words that stand in few documents more is learned, and of none less than nothing. */
export const inverseFrequency = (documents: number, withWord: number): number =>
  Math.log(1 + (documents - Math.min(documents, withWord) + 0.5) / (withWord + 0.5));

/** No word adds as much to the score of a document. */
export const mostOfWord = k1 + 1;

/**
 * What one word adds to the score of a document (BM25F); `length` is that of the body, as a share of the average. Of what is looked for
 * exactly it matters that it is there, not how often.
 */
export function wordScore(counts: FieldCounts, length: number, isExact = false): number {
  // Nor does it matter how long the document is.
  const body = counts.body / (isExact ? 1 : 1 - b + b * Math.max(0.1, length));
  const frequency = weights.folder * counts.folder + weights.name * counts.name + weights.body * body;
  return (frequency * (k1 + 1)) / (frequency + (isExact ? 1 : k1));
}

/** Measured on questions over real repositories: source answers them, tests and documents sometimes. */
const prior: Readonly<Record<PathClass, number>> = {
  source: 1,
  test: 0.3,
  documentation: 0.3,
  configuration: 0.3,
  example: 0.3,
  generated: 0.1,
  declaration: 0.5,
};

/** Of each class, in the order of `pathClasses`; what a question asks for is worth no less than a source. */
export const pathPriors = (wanted: ReadonlySet<PathClass>): number[] =>
  pathClasses.map((kind) => (wanted.has(kind) ? Math.max(prior[kind], 1) : prior[kind]));

/** What a repository may be made of as others are of source, such as templates of an infrastructure; examples are of something else. */
const makings: ReadonlySet<PathClass> = new Set(['source', 'configuration', 'documentation', 'declaration']);
/** It is made of what so large a share of these files are. */
const leastShare = 0.75;

/** The same for a repository whose files have these classes: what it is made of is worth no less than a source. */
export function priorsWithin(priors: readonly number[], classes: Uint8Array): readonly number[] {
  const counts = new Uint32Array(pathClasses.length);
  for (const each of classes) counts[each] = (counts[each] ?? 0) + 1;
  const all = pathClasses.reduce((sum, kind, i) => sum + (makings.has(kind) ? (counts[i] ?? 0) : 0), 0);
  return priors.map((prior, i) => {
    const isMaking = makings.has(pathClasses[i] ?? 'generated') && (counts[i] ?? 0) >= leastShare * all;
    return isMaking ? Math.max(prior, 1) : prior;
  });
}

/** A question that asks for tests or documents is answered by them. */
export function wantedClasses(prefixes: readonly string[]): ReadonlySet<PathClass> {
  const kinds: readonly (readonly [RegExp, PathClass])[] = [
    [/^(test|spec|bench|benchmark|fuzz|fuzzer)$/, 'test'],
    [/^(doc|document|readm|chang|licens|tutorial|guid)$/, 'documentation'],
    [/^(typ|interfac|declar)/, 'declaration'],
    [/^(exampl|sampl|demo)$/, 'example'],
    [/^(config|setting|yaml|json|toml|workflow)$/, 'configuration'],
  ];
  return new Set(kinds.flatMap(([pattern, kind]) => (prefixes.some((prefix) => pattern.test(prefix)) ? [kind] : [])));
}
