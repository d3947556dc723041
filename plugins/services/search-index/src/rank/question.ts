import type { Literal } from '@sextant/library-block-index';
import { pathPriors, wantedClasses } from './bm25f.ts';
import type { Job } from '../pool/protocol.ts';

/** The words of a question, and what it asks for. */
export class Question {
  readonly words: readonly Literal[];
  /** The same as they stand in a text of lower case. */
  readonly texts: readonly string[];
  readonly weights: readonly number[];
  /** Of which it matters only that they are there. */
  readonly exact: readonly boolean[];
  /** Which name a file the more the fewer folders it is in. */
  readonly shallow: readonly boolean[];
  /** What files of each class of paths are worth. */
  readonly priors: readonly number[];

  constructor({ question, terms }: Pick<Job, 'question' | 'terms'>) {
    const words = (question?.words ?? []).flatMap(({ term, ...word }) => {
      const found = terms[term];
      return found && 'literal' in found ? [{ literal: found, ...word }] : [];
    });
    this.words = words.map(({ literal }) => literal);
    this.texts = this.words.map(({ literal }) => String(literal));
    this.weights = words.map(({ weight }) => weight);
    this.exact = words.map(({ isExact }) => isExact);
    this.shallow = words.map(({ isShallow = false }) => isShallow);
    const wanted = words.flatMap(({ wants }) => wants ?? []);
    this.priors = pathPriors(new Set([...wantedClasses(this.texts), ...wanted]));
  }
}
