import { pathClasses } from '@sextant/library-ranking';
import type { PathClass } from '@sextant/library-ranking';
import { bm25Weights, classPriors, shareOfMainClass } from './weights.ts';

/** How often a word stands in each field of a document. */
export interface FieldCounts {
  readonly folder: number;
  readonly name: number;
  readonly body: number;
}

/** The fewer documents have a word, the more it says; never less than nothing. */
export const inverseFrequency = (documents: number, withWord: number): number =>
  Math.log(1 + (documents - Math.min(documents, withWord) + 0.5) / (withWord + 0.5));

/** No word adds more to the score of a document, before its weight. */
export const highestWordScore: number = bm25Weights.k1 + 1;

/**
 * The part of one word in the score of a document (BM25F). `length` is that of the body, as a share of the average. A
 * word that is looked for exactly only has to occur, in a document of any length.
 */
export function wordScore(counts: FieldCounts, length: number, isExact = false): number {
  const { k1, b, fields } = bm25Weights;
  const body = counts.body / (isExact ? 1 : 1 - b + b * Math.max(0.1, length));
  const frequency = fields.folder * counts.folder + fields.name * counts.name + fields.body * body;
  return (frequency * (k1 + 1)) / (frequency + (isExact ? 1 : k1));
}

/** Of each class, in the order of `pathClasses`. Classes that a question asks for count as source. */
export const pathPriors = (wanted: ReadonlySet<PathClass>): number[] =>
  pathClasses.map((kind, i) => (wanted.has(kind) ? Math.max(priorOf(i), sourcePrior) : priorOf(i)));

const priorOf = (pathClass: number): number => classPriors[pathClass] ?? 0;
const sourcePrior = priorOf(pathClasses.indexOf('source'));

/** What a repository can consist of. */
const mainClasses: ReadonlySet<PathClass> = new Set(['source', 'configuration', 'documentation', 'declaration']);

/** The same for a repository whose files have these classes: what it consists of counts as source. */
export function priorsWithin(priors: readonly number[], classes: Uint8Array): readonly number[] {
  const counts = new Uint32Array(pathClasses.length);
  for (const each of classes) counts[each] = (counts[each] ?? 0) + 1;
  const all = pathClasses.reduce((sum, kind, i) => sum + (mainClasses.has(kind) ? (counts[i] ?? 0) : 0), 0);
  return priors.map((prior, i) => {
    const isMain = mainClasses.has(pathClasses[i] ?? 'generated') && (counts[i] ?? 0) >= shareOfMainClass * all;
    return isMain ? Math.max(prior, sourcePrior) : prior;
  });
}

/** The classes that a question asks for with its words. */
export function wantedClasses(stems: readonly string[]): ReadonlySet<PathClass> {
  const kinds: readonly (readonly [RegExp, PathClass])[] = [
    [/^(test|spec|bench|benchmark|fuzz|fuzzer)$/, 'test'],
    [/^(doc|document|readm|chang|licens|tutorial|guid)$/, 'documentation'],
    [/^(typ|interfac|declar)/, 'declaration'],
    [/^(exampl|sampl|demo)$/, 'example'],
    [/^(config|setting|yaml|json|toml|workflow)$/, 'configuration'],
  ];
  return new Set(kinds.flatMap(([pattern, kind]) => (stems.some((stem) => pattern.test(stem)) ? [kind] : [])));
}
