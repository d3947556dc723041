import { countBlocks, countMatches } from '@sextant/library-block-index';
import type { Literal } from '@sextant/library-block-index';
import { wordScore } from '../results/bm25f.ts';
import type { AttachedPart } from './attached-part.ts';
import type { AttachedView } from './attached-view.ts';
import type { Bits } from './bits.ts';

export interface Counting {
  readonly words: readonly Literal[];
  readonly checkpoint: () => void;
}

/** A view in which words are counted. */
export interface Counted {
  readonly view: AttachedView;
  readonly target: number;
  readonly allowed: Bits;
  /** Words that name the repository: they tell its files from those of others, and none of them from another. */
  readonly namedBy: readonly number[];
}

/** What a word counts within another. */
const insideWord = 0.4;
/** What a word that names the repository and stands nowhere else adds to each of its files (measured: test/bench/nls, `repo:` does no better). */
const namedWeight = 2;
/** About how often a word stands in a block that has it. */
const perBlock = 2;
/** Blocks of a file that are looked at for a word: of others as many matches are expected (with 8, nDCG@10 of questions fell by half a point). */
const blocksRead = 16;

/** How often the words of a question stand in the files of a view: at first about, by the index alone; then in the text of some. */
export class WordCounts {
  readonly view: AttachedView;
  readonly target: number;
  /** The files that the filters of the question allow. */
  readonly allowed: Bits;
  readonly #counting: Counting;
  readonly #namedBy: readonly number[];
  /** Per word: the files whose name, or folder, has it. */
  readonly #names: Bits[] = [];
  readonly #folders: Bits[] = [];
  /** Per word and document of the view. */
  readonly #bodies: Float32Array[];
  /** Per word: the documents that have it, as far as it is known. */
  readonly #documentsWith: number[];

  constructor({ view, target, allowed, namedBy }: Counted, counting: Counting) {
    this.view = view;
    this.target = target;
    this.allowed = allowed;
    this.#namedBy = namedBy;
    this.#counting = counting;
    this.#bodies = counting.words.map(() => new Float32Array(view.documents));
    this.#documentsWith = counting.words.map(() => 0);
  }

  isNamedBy(word: number): boolean {
    return this.#namedBy.includes(word);
  }

  *estimate(): Generator<void> {
    const { words, checkpoint } = this.#counting;
    for (const word of words) {
      const { names, folders } = this.view.partsOfPaths(word, checkpoint);
      this.#names.push(names.and(this.allowed));
      this.#folders.push(folders.and(this.allowed));
      yield;
    }
    for (const part of this.view.parts) yield* this.#estimatePart(part);
  }

  *#estimatePart(part: AttachedPart): Generator<void> {
    const { words, checkpoint } = this.#counting;
    const { base } = part.handle;
    const allowed = this.view.documentsOf(part, this.allowed);
    for (const [word, bodies] of this.#bodies.entries()) {
      const literal = words[word];
      if (!literal) continue;
      const blocks = yield* part.inSteps((place) => countBlocks(place, literal, { checkpoint }));
      for (let document = 0; document < blocks.length; document += 1) {
        const count = blocks[document] ?? 0;
        if (count === 0 || !allowed.has(document)) continue;
        bodies[base + document] = count * perBlock;
        this.#add(word, 1);
      }
    }
  }

  /** Counts in the text of some files; what is known of others stays. */
  *count(files: Bits): Generator<void> {
    for (const part of this.view.parts) {
      const documents = Uint32Array.from(this.view.documentsOf(part, files));
      if (documents.length > 0) yield* this.#countPart(part, documents);
    }
  }

  *#countPart(part: AttachedPart, documents: Uint32Array): Generator<void> {
    const { words, checkpoint } = this.#counting;
    const { base } = part.handle;
    for (const [word, bodies] of this.#bodies.entries()) {
      const literal = words[word];
      if (!literal) continue;
      const before = documents.filter((document) => (bodies[base + document] ?? 0) > 0).length;
      const counts = yield* part.inSteps((place) =>
        countMatches(place, literal, { documents, mostBlocks: blocksRead, insideWord, checkpoint }),
      );
      for (const [i, document] of documents.entries()) bodies[base + document] = counts[i] ?? 0;
      this.#add(word, documents.filter((document) => (bodies[base + document] ?? 0) > 0).length - before);
    }
  }

  #add(word: number, count: number): void {
    this.#documentsWith[word] = (this.#documentsWith[word] ?? 0) + count;
  }

  /** Texts and names that have a word. */
  countWith(word: number): number {
    const named = (this.#names[word]?.count ?? 0) + (this.#folders[word]?.count ?? 0);
    return named + (this.#documentsWith[word] ?? 0);
  }

  /** `scoreOf` of every file, word by word: most files have few of the words, and fewer have them in their paths. */
  scores(weights: readonly number[]): Float32Array {
    const scores = new Float32Array(this.view.handle.files);
    for (const [word, weight] of weights.entries()) {
      if (this.isNamedBy(word)) continue;
      this.#addBodies(scores, word, weight);
      this.#addPaths(scores, word, weight);
    }
    const factor = this.#ofRepository(weights);
    if (factor > 1) for (let file = 0; file < scores.length; file += 1) scores[file] = (scores[file] ?? 0) * factor;
    return scores;
  }

  #addBodies(scores: Float32Array, word: number, weight: number): void {
    const bodies = this.#bodies[word] ?? new Float32Array();
    const { documents } = this.view.handle;
    for (let file = 0; file < scores.length; file += 1) {
      const document = documents[file] ?? -1;
      const body = document < 0 ? 0 : (bodies[document] ?? 0);
      if (body === 0) continue;
      const length = this.view.lengthShare(document);
      scores[file] = (scores[file] ?? 0) + weight * wordScore({ name: 0, folder: 0, body }, length);
    }
  }

  /** What a word in its path adds to what a file has of it. */
  #addPaths(scores: Float32Array, word: number, weight: number): void {
    const [names, folders] = [this.#names[word], this.#folders[word]];
    if (!names || !folders) return;
    for (const file of names.or(folders).numbers()) {
      const document = this.view.handle.documents[file] ?? -1;
      const length = this.view.lengthShare(document);
      const body = this.#bodies[word]?.[document] ?? 0;
      const fields = { name: names.has(file) ? 1 : 0, folder: folders.has(file) ? 1 : 0, body };
      const more = wordScore(fields, length) - wordScore({ name: 0, folder: 0, body }, length);
      scores[file] = (scores[file] ?? 0) + weight * more;
    }
  }

  /** How much a file has of the words, each with its weight. */
  scoreOf(file: number, weights: readonly number[]): number {
    const document = this.view.handle.documents[file] ?? -1;
    const length = this.view.lengthShare(document);
    let score = 0;
    for (let word = 0; word < weights.length; word += 1) {
      if (this.isNamedBy(word)) continue;
      const body = this.#bodies[word]?.[document] ?? 0;
      const name = this.#names[word]?.has(file) ? 1 : 0;
      const folder = this.#folders[word]?.has(file) ? 1 : 0;
      if (body > 0 || name > 0 || folder > 0) score += (weights[word] ?? 0) * wordScore({ name, folder, body }, length);
    }
    return score * this.#ofRepository(weights);
  }

  /** What the words that name the repository make of what its files have of the others. */
  #ofRepository(weights: readonly number[]): number {
    const most = Math.max(...weights);
    return this.#namedBy.reduce((factor, word) => factor + (namedWeight * (weights[word] ?? 0)) / most, 1);
  }
}
