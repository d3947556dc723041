import { countBlocks, countMatches } from '@sextant/library-block-index';
import type { Literal } from '@sextant/library-block-index';
import { wordScore } from './bm25f.ts';
import type { AttachedSlice, AttachedSnapshot } from '../snapshot/attached-snapshot.ts';
import { BitSet } from '../match/bit-set.ts';
import { SharedNumbers } from '../pool/shared-numbers.ts';
import type { TextCounts } from './text-counts.ts';

export interface Counting {
  readonly words: readonly Literal[];
  /** Of which of them it matters only that they are there. */
  readonly exact: readonly boolean[];
  /** Which of them name a file the more the fewer folders it is in. */
  readonly shallow: readonly boolean[];
  readonly numbers: SharedNumbers;
  readonly checkpoint: () => void;
}

/** A view in which words are counted. */
export interface Counted {
  readonly view: AttachedSnapshot;
  readonly target: number;
  /** Words that name the repository: they tell its files from those of others, and none of them from another. */
  readonly namedBy: readonly number[];
}

/** Texts of a part of a view, and from where on in `TextCounts` their counts stand. */
export interface SomeTexts {
  readonly part: AttachedSlice;
  /** Ascending. */
  readonly documents: Uint32Array;
  readonly at: number;
}

/** What a word counts within another. */
const insideWord = 0.4;
/** What a file counts of which only the name is known, such as a picture, beside one that is read. */
const namedOnly = 0.2;
/** What a word that names the repository and stands nowhere else adds to each of its files (measured: test/bench/nls, `repo:` does no better). */
const namedWeight = 2;
/** The same in a question about a project as a whole: of others nobody wants to know it. */
const projectWeight = 60;
/** What each folder takes from a name that says the more the fewer there are. */
const folderShare = 0.5;
/** About how often a word stands in a block that has it. */
const perBlock = 2;
/** Blocks of a file that are looked at for a word: of others as many matches are expected (with 8, nDCG@10 of questions fell by half a point). */
const blocksRead = 16;

/** Texts that are counted without another thread having a part in it: it takes about a millisecond. */
const textsTogether = 64;

const wordsFor = (bits: number): number => Math.ceil(bits / 32);

/**
 * How often the words of a question stand in the files of a view: at first about, by the index alone; then in the text of some. The numbers stand in
 * memory that all threads of a question share: any of them may count what another looks at.
 */
export class WordCounts {
  readonly view: AttachedSnapshot;
  readonly target: number;
  /** The files that the filters of the question allow. */
  readonly allowed: BitSet;
  /** For each file how much it has of the words by the index alone, in steps. */
  readonly steps: Uint16Array;
  readonly #counting: Counting;
  readonly #namedBy: readonly number[];
  /** Per word: the files whose name, or folder, has it. */
  readonly #names: readonly BitSet[];
  readonly #folders: readonly BitSet[];
  /** Per word and document of the view: in how many blocks it may stand. */
  readonly #blocks: readonly Uint8Array[];
  /** Per word: the texts and names that have it, as far as it is known. */
  readonly #withWord: Int32Array;
  /** Where the counts of a document stand. */
  readonly #counted = new Map<number, number>();

  constructor({ view, target, namedBy }: Counted, counting: Counting) {
    this.view = view;
    this.target = target;
    this.#namedBy = namedBy;
    this.#counting = counting;
    const { words, numbers } = counting;
    const { files } = view.handle;
    const bits = (): BitSet => new BitSet(files, numbers.words(wordsFor(files)));
    this.allowed = bits();
    this.steps = numbers.shorts(files);
    this.#withWord = numbers.integers(words.length);
    this.#names = words.map(bits);
    this.#folders = words.map(bits);
    this.#blocks = words.map(() => numbers.bytes(view.documents));
  }

  /** Memory that the numbers of a view take. */
  static bytesFor({ handle: { files }, documents }: AttachedSnapshot, words: number): number {
    const ofWord = SharedNumbers.bytesFor([wordsFor(files), 4], [wordsFor(files), 4], [documents, 1]);
    return SharedNumbers.bytesFor([wordsFor(files), 4], [files, 2], [words, 4]) + words * ofWord;
  }

  isNamedBy(word: number): boolean {
    return this.#namedBy.includes(word);
  }

  /** Looks up the words in the index of the view. */
  *estimate(allowed: BitSet): Generator<void> {
    this.allowed.words.set(allowed.words);
    const { words, checkpoint } = this.#counting;
    for (const [word, literal] of words.entries()) {
      const { names, folders } = this.view.partsOfPaths(literal, checkpoint);
      for (const [found, kept] of [
        [names, this.#names[word]],
        [folders, this.#folders[word]],
      ] as const) {
        kept?.words.set(found.and(allowed).words);
        this.#add(word, kept?.count ?? 0);
      }
      yield;
    }
    for (const part of this.view.slices) yield* this.#estimatePart(part, this.view.documentsOf(part, allowed));
  }

  *#estimatePart(part: AttachedSlice, allowed: BitSet): Generator<void> {
    const { words, checkpoint } = this.#counting;
    for (const [word, literal] of words.entries()) {
      const found = yield* part.inSteps((place) => countBlocks(place, literal, { checkpoint }));
      const blocks = this.#blocks[word]?.subarray(part.handle.base) ?? new Uint8Array();
      let count = 0;
      for (let document = 0; document < found.length; document += 1) {
        const inDocument = found[document] ?? 0;
        if (inDocument === 0 || !allowed.has(document)) continue;
        blocks[document] = inDocument;
        count += 1;
      }
      this.#add(word, count);
    }
  }

  /** Counts in the text of some files; what is known of others stays. */
  *count({ part, documents, at }: SomeTexts, counts: TextCounts): Generator<void> {
    const { words, checkpoint } = this.#counting;
    for (const [word, literal] of words.entries()) {
      const found = yield* part.inSteps((place) =>
        countMatches(place, literal, { documents, mostBlocks: blocksRead, insideWord, checkpoint }),
      );
      counts.set(word, at, found);
      const blocks = this.#blocks[word]?.subarray(part.handle.base);
      const expected = documents.filter((document) => (blocks?.[document] ?? 0) > 0).length;
      this.#add(word, found.filter((count) => count > 0).length - expected);
    }
  }

  #add(word: number, count: number): void {
    Atomics.add(this.#withWord, word, count);
  }

  /** Texts and names that have a word. */
  countWith(word: number): number {
    return Atomics.load(this.#withWord, word);
  }

  /** The texts of some files. */
  *textsOf(files: BitSet, at: number): Generator<SomeTexts> {
    let next = at;
    for (const part of this.view.slices) {
      const documents = this.view.documentsOf(part, files).numbers();
      for (const [i, document] of documents.entries()) this.#counted.set(part.handle.base + document, next + i);
      for (let from = 0; from < documents.length; from += textsTogether) {
        const some = documents.subarray(from, from + textsTogether);
        yield { part, documents: some, at: next + from };
      }
      next += documents.length;
    }
  }

  /** How much each file has of the words by the index alone: word by word, as most files have few of them, and fewer have them in their paths. */
  scores(weights: readonly number[]): Float32Array {
    const { files, documents } = this.view.handle;
    const ofTexts = new Float32Array(this.view.documents);
    const scores = new Float32Array(files);
    for (const [word, weight] of weights.entries()) if (!this.isNamedBy(word)) this.#addTexts(ofTexts, word, weight);
    for (let file = 0; file < files; file += 1) scores[file] = ofTexts[documents[file] ?? -1] ?? 0;
    for (const [word, weight] of weights.entries()) if (!this.isNamedBy(word)) this.#addPaths(scores, word, weight);
    return scores;
  }

  #addTexts(scores: Float32Array, word: number, weight: number): void {
    const blocks = this.#blocks[word] ?? new Uint8Array();
    const { lengthShares } = this.view;
    const isExact = this.#counting.exact[word];
    for (let document = 0; document < blocks.length; document += 1) {
      const count = blocks[document] ?? 0;
      if (count === 0) continue;
      const body = wordScore({ name: 0, folder: 0, body: count * perBlock }, lengthShares[document] ?? 1, isExact);
      scores[document] = (scores[document] ?? 0) + weight * body;
    }
  }

  /** What a word in its path adds to what a file has of it. */
  #addPaths(scores: Float32Array, word: number, weight: number): void {
    const [names, folders] = [this.#names[word], this.#folders[word]];
    if (!names || !folders) return;
    for (const file of names.or(folders).numbers()) {
      const document = this.view.handle.documents[file] ?? -1;
      const length = this.view.lengthShares[document] ?? 1;
      const body = (this.#blocks[word]?.[document] ?? 0) * perBlock;
      const share = document < 0 ? namedOnly : 1;
      const fields = { name: names.has(file) ? 1 : 0, folder: folders.has(file) ? 1 : 0, body };
      const isExact = this.#counting.exact[word];
      const more = wordScore(fields, length, isExact) - wordScore({ name: 0, folder: 0, body }, length, isExact);
      scores[file] = (scores[file] ?? 0) + share * weight * more;
    }
  }

  /** How much a file whose text was counted has of the words, each with its weight. */
  scoreOf(file: number, weights: readonly number[], counts: TextCounts): number {
    const document = this.view.handle.documents[file] ?? -1;
    const length = this.view.lengthShares[document] ?? 1;
    const at = this.#counted.get(document);
    let score = 0;
    for (let word = 0; word < weights.length; word += 1) {
      if (this.isNamedBy(word)) continue;
      const body = at === undefined ? 0 : counts.of(word, at);
      const name = this.#names[word]?.has(file) ? this.#nameShare(file, word) : 0;
      const folder = this.#folders[word]?.has(file) ? 1 : 0;
      if (body > 0 || name > 0 || folder > 0)
        score += (weights[word] ?? 0) * wordScore({ name, folder, body }, length, this.#counting.exact[word]);
    }
    return score * (document < 0 ? namedOnly : 1) * this.ofRepository(weights);
  }

  #nameShare(file: number, word: number): number {
    return this.#counting.shallow[word] ? 1 / (1 + folderShare * this.view.foldersOf(file)) : 1;
  }

  /** What the words that name the repository make of what its files have of the others. */
  ofRepository(weights: readonly number[]): number {
    const most = Math.max(...weights);
    const each = this.#counting.shallow.includes(true) ? projectWeight : namedWeight;
    return this.#namedBy.reduce((factor, word) => factor + (each * (weights[word] ?? 0)) / most, 1);
  }
}
