import { bm25Weights } from './question-weights.ts';
import type { BM25Weights } from './question-weights.ts';

/** How often a word stands in each field of a document. */
export interface FieldCounts {
  readonly folder: number;
  readonly name: number;
  readonly body: number;
  /** Of those in the body: in names that are defined there. */
  readonly defined?: number;
}

/** The fewer documents have a word, the more it says; never less than nothing. */
export const inverseFrequency = (documents: number, withWord: number): number =>
  Math.log(1 + (documents - Math.min(documents, withWord) + 0.5) / (withWord + 0.5));

/** No word adds more to the score of a file, before its weight. */
export const highestWordScore: number = bm25Weights.files.k1 + 1;

/** The part of one word in the score of a document (BM25F). `length` is that of the body, as a share of the average. */
export function wordScore(counts: FieldCounts, length: number, weights: BM25Weights = bm25Weights.files): number {
  const { k1, b, leastLength, fields } = weights;
  const body = fields.body * counts.body + fields.defined * (counts.defined ?? 0);
  const frequency =
    fields.folder * counts.folder + fields.name * counts.name + body / (1 - b + b * Math.max(leastLength, length));
  return (frequency * (k1 + 1)) / (frequency + k1);
}

/** The same for a word that only has to occur, in a document of any length. */
export function exactScore({ folder, name, body }: FieldCounts): number {
  const { k1, fields } = bm25Weights.files;
  const frequency = fields.folder * folder + fields.name * name + fields.body * body;
  return (frequency * (k1 + 1)) / (frequency + 1);
}
