import type { AttachedSnapshot } from '../snapshot/attached-snapshot.ts';
import { scoreSteps } from './likely-files.ts';
import { SharedNumbers } from '../pool/shared-numbers.ts';
import { SharedWork } from '../pool/shared-work.ts';
import { TextCounts } from './text-counts.ts';
import { WordCounts } from './word-counts.ts';

/** Looking up, rating, counting, looking for definitions, showing. */
const phases = 5;

interface Sizes {
  readonly words: number;
  /** Most texts that are counted, and files that are looked through. */
  readonly texts: number;
  readonly files: number;
}

/** What all threads of a question share. */
export class QuestionMemory {
  readonly work: SharedWork;
  /** How many files have about each score: see `LikelyFiles`. */
  readonly likely: Int32Array;
  readonly texts: TextCounts;
  /** Per file that is looked through: by how much it is better for what it defines. */
  readonly gains: Float32Array;
  /** For the views, one after the other. */
  readonly rest: SharedNumbers;

  constructor(memory: SharedArrayBuffer, { words, texts, files }: Sizes) {
    this.rest = new SharedNumbers(memory);
    this.work = new SharedWork(this.rest.integers(SharedWork.numbersFor(phases)));
    this.likely = this.rest.integers(scoreSteps);
    this.texts = new TextCounts(this.rest.floats(words * texts), texts);
    this.gains = this.rest.floats(files);
  }

  /** For a question about some views. */
  static create(views: readonly AttachedSnapshot[], { words, texts, files }: Sizes): SharedArrayBuffer {
    const ofViews = views.reduce((sum, view) => sum + WordCounts.bytesFor(view, words), 0);
    const numbers = SharedWork.numbersFor(phases) + scoreSteps + words * texts + files;
    return new SharedArrayBuffer(SharedNumbers.bytesFor([numbers, 4]) + ofViews);
  }
}
