import { BitSet, countBlocks, countMatches } from '@sextant/library-block-index';
import type { Literal } from '@sextant/library-block-index';
import { exactScore, inverseFrequency, wordScore } from '@sextant/library-ranking';
import type { FieldCounts } from '@sextant/library-ranking';
import { SharedNumbers } from './shared-work.ts';
import type { AttachedSlice, AttachedSnapshot } from '../snapshot/attached-snapshot.ts';
import { fileGains, questionLimits } from '@sextant/library-keyword-search';

export interface CountedWords {
  readonly words: readonly Literal[];
  /** Per word: whether only its presence counts, not how often it occurs. */
  readonly exact: readonly boolean[];
  /** Per word: whether it counts only in paths. */
  readonly ofPath: readonly boolean[];
  readonly numbers: SharedNumbers;
  readonly checkpoint: () => void;
}

/** A snapshot in which words are counted. */
export interface QuestionSnapshot {
  readonly snapshot: AttachedSnapshot;
  readonly target: number;
  /** Words that name the repository. They tell its files from those of other repositories, but not from each other. */
  readonly namedBy: readonly number[];
}

/** Texts of one slice, and from where on in `TextCounts` their counts stand. */
export interface SomeTexts {
  readonly slice: AttachedSlice;
  /** Ascending. */
  readonly documents: Uint32Array;
  readonly at: number;
}

/** Texts that one thread counts in one step of about a millisecond. */
const textsTogether = 64;

const wordsFor = (bits: number): number => Math.ceil(bits / 32);

/**
 * How often the words of a question occur in the files of a snapshot. First it is estimated from the index, then it is
 * counted in the text of some files. All threads of a question share the memory of these numbers, and any thread may
 * count for another.
 */
export class WordCounts {
  readonly snapshot: AttachedSnapshot;
  readonly target: number;
  /** The files that the filters of the question allow. */
  readonly allowed: BitSet;
  /** For each file its score by the index alone, as a step of `ScoreHistogram`. */
  readonly steps: Uint16Array;
  readonly #countedWords: CountedWords;
  readonly #namedBy: readonly number[];
  /** Per word: the files whose name, or folder, has it. */
  readonly #names: readonly BitSet[];
  readonly #folders: readonly BitSet[];
  /** Per word and document of the snapshot: in how many blocks it may stand. */
  readonly #blocks: readonly Uint8Array[];
  /** Per word: the texts and names that have it, as far as it is known. */
  readonly #withWord: Int32Array;
  /** Where the counts of a document stand. */
  readonly #counted = new Map<number, number>();

  constructor({ snapshot, target, namedBy }: QuestionSnapshot, countedWords: CountedWords) {
    this.snapshot = snapshot;
    this.target = target;
    this.#namedBy = namedBy;
    this.#countedWords = countedWords;
    const { words, numbers } = countedWords;
    const { files } = snapshot.handle;
    const bits = (): BitSet => new BitSet(files, numbers.words(wordsFor(files)));
    this.allowed = bits();
    this.steps = numbers.shorts(files);
    this.#withWord = numbers.integers(words.length);
    this.#names = words.map(bits);
    this.#folders = words.map(bits);
    this.#blocks = words.map(() => numbers.bytes(snapshot.documents));
  }

  /** Memory that the numbers of a snapshot take. */
  static bytesFor({ handle: { files }, documents }: AttachedSnapshot, words: number): number {
    const ofWord = SharedNumbers.bytesFor([wordsFor(files), 4], [wordsFor(files), 4], [documents, 1]);
    return SharedNumbers.bytesFor([wordsFor(files), 4], [files, 2], [words, 4]) + words * ofWord;
  }

  isNamedBy(word: number): boolean {
    return this.#namedBy.includes(word);
  }

  /** Estimates counts from the index. */
  *estimate(allowed: BitSet): Generator<void> {
    this.allowed.words.set(allowed.words);
    const { words, checkpoint } = this.#countedWords;
    for (const [word, literal] of words.entries()) {
      const { names, folders } = this.snapshot.partsOfPaths(literal, checkpoint);
      for (const [found, kept] of [
        [names, this.#names[word]],
        [folders, this.#folders[word]],
      ] as const) {
        kept?.words.set(found.and(allowed).words);
        this.#add(word, kept?.count ?? 0);
      }
      yield;
    }
    for (const slice of this.snapshot.slices)
      yield* this.#estimateSlice(slice, this.snapshot.documentsOf(slice, allowed));
  }

  *#estimateSlice(slice: AttachedSlice, allowed: BitSet): Generator<void> {
    const { words, ofPath, checkpoint } = this.#countedWords;
    for (const [word, literal] of words.entries()) {
      if (ofPath[word]) continue;
      const found = yield* slice.inSteps((place) => countBlocks(place, literal, { checkpoint }));
      const blocks = this.#blocks[word]?.subarray(slice.handle.base) ?? new Uint8Array();
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

  /** Counts in the text of some files. The estimates of others stay. */
  *count({ slice, documents, at }: SomeTexts, counts: TextCounts): Generator<void> {
    const { words, ofPath, checkpoint } = this.#countedWords;
    const [{ blocksRead }, { insideWord }] = [questionLimits, fileGains];
    for (const [word, literal] of words.entries()) {
      if (ofPath[word]) continue;
      const found = yield* slice.inSteps((place) =>
        countMatches(place, literal, { documents, mostBlocks: blocksRead, insideWord, checkpoint }),
      );
      counts.set(word, at, found);
      const blocks = this.#blocks[word]?.subarray(slice.handle.base);
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
    for (const slice of this.snapshot.slices) {
      const documents = this.snapshot.documentsOf(slice, files).numbers();
      for (const [i, document] of documents.entries()) this.#counted.set(slice.handle.base + document, next + i);
      for (let from = 0; from < documents.length; from += textsTogether) {
        const some = documents.subarray(from, from + textsTogether);
        yield { slice, documents: some, at: next + from };
      }
      next += documents.length;
    }
  }

  /** The score of each file by the index alone. Word by word, because most files have few of the words. */
  scores(weights: readonly number[]): Float32Array {
    const { files, documents } = this.snapshot.handle;
    const ofTexts = new Float32Array(this.snapshot.documents);
    const scores = new Float32Array(files);
    for (const [word, weight] of weights.entries()) if (!this.isNamedBy(word)) this.#addTexts(ofTexts, word, weight);
    for (let file = 0; file < files; file += 1) scores[file] = ofTexts[documents[file] ?? -1] ?? 0;
    for (const [word, weight] of weights.entries()) if (!this.isNamedBy(word)) this.#addPaths(scores, word, weight);
    return scores;
  }

  #addTexts(scores: Float32Array, word: number, weight: number): void {
    const blocks = this.#blocks[word] ?? new Uint8Array();
    const { lengthShares } = this.snapshot;
    const isExact = this.#countedWords.exact[word];
    for (let document = 0; document < blocks.length; document += 1) {
      const count = blocks[document] ?? 0;
      if (count === 0) continue;
      const counts = { name: 0, folder: 0, body: count * questionLimits.perBlock };
      const body = scoreOf(counts, lengthShares[document] ?? 1, isExact);
      scores[document] = (scores[document] ?? 0) + weight * body;
    }
  }

  /** Adds what a word gains by standing in the path. */
  #addPaths(scores: Float32Array, word: number, weight: number): void {
    const [names, folders] = [this.#names[word], this.#folders[word]];
    if (!names || !folders) return;
    for (const file of names.or(folders).numbers()) {
      const document = this.snapshot.handle.documents[file] ?? -1;
      const length = this.snapshot.lengthShares[document] ?? 1;
      const body = (this.#blocks[word]?.[document] ?? 0) * questionLimits.perBlock;
      const share = document < 0 ? fileGains.nameOnly : 1;
      const fields = { name: names.has(file) ? 1 : 0, folder: folders.has(file) ? 1 : 0, body };
      const isExact = this.#countedWords.exact[word];
      const more = scoreOf(fields, length, isExact) - scoreOf({ name: 0, folder: 0, body }, length, isExact);
      scores[file] = (scores[file] ?? 0) + share * weight * more;
    }
  }

  /** The score of a file whose text was counted. */
  scoreOf(file: number, weights: readonly number[], counts: TextCounts): number {
    let score = 0;
    for (const [word, weight] of weights.entries()) score += this.#scoreOfWord(file, { word, weight }, counts);
    return score * this.#shareOf(file) * this.ofRepository(weights);
  }

  /** The same score in parts: what each word adds, and the factors of their sum. */
  explain(file: number, weights: readonly number[], counts: TextCounts): Record<string, number> {
    const ofWords = weights.map((weight, word): [string, number] => [
      `word ${String(this.#countedWords.words[word]?.literal)}`,
      this.#scoreOfWord(file, { word, weight }, counts),
    ]);
    return {
      '×text': this.#shareOf(file),
      '×repository': this.ofRepository(weights),
      ...Object.fromEntries(ofWords.filter(([, score]) => score > 0)),
    };
  }

  /** A file without searchable text counts less. */
  #shareOf(file: number): number {
    return (this.snapshot.handle.documents[file] ?? -1) < 0 ? fileGains.nameOnly : 1;
  }

  #scoreOfWord(file: number, { word, weight }: { word: number; weight: number }, counts: TextCounts): number {
    if (this.isNamedBy(word)) return 0;
    const document = this.snapshot.handle.documents[file] ?? -1;
    const at = this.#counted.get(document);
    const body = at === undefined ? 0 : counts.of(word, at);
    const name = this.#names[word]?.has(file) ? 1 : 0;
    const folder = this.#folders[word]?.has(file) ? 1 : 0;
    if (body === 0 && name === 0 && folder === 0) return 0;
    const length = this.snapshot.lengthShares[document] ?? 1;
    return weight * scoreOf({ name, folder, body }, length, this.#countedWords.exact[word]);
  }

  /** The factor of all files of the repository, for the words that name it. */
  ofRepository(weights: readonly number[]): number {
    const most = Math.max(...weights);
    return this.#namedBy.reduce((factor, word) => factor + (fileGains.repositoryName * (weights[word] ?? 0)) / most, 1);
  }
}

const scoreOf = (counts: FieldCounts, length: number, isExact = false): number =>
  isExact ? exactScore(counts) : wordScore(counts, length);

/** How often each word stands in the texts that were counted. All threads of a question share the memory. */
export class TextCounts {
  readonly #counts: Float32Array;
  readonly #texts: number;

  constructor(counts: Float32Array, texts: number) {
    this.#counts = counts;
    this.#texts = texts;
  }

  set(word: number, at: number, counts: Float32Array): void {
    this.#counts.set(counts, word * this.#texts + at);
  }

  of(word: number, at: number): number {
    return this.#counts[word * this.#texts + at] ?? 0;
  }
}

/**
 * The weight of each word, times its inverse frequency. For a word that names repositories only files of other repositories count, and it weighs no
 * more than the rarest word that names none.
 */
export function weightsOf(places: readonly WordCounts[], wordWeights: readonly number[]): number[] {
  const rarities = wordWeights.map((_, word) =>
    rarity(
      places.filter((place) => !place.isNamedBy(word)),
      word,
    ),
  );
  const isNaming = wordWeights.map((_, word) => places.some((place) => place.isNamedBy(word)));
  // A word that occurs nowhere, such as the whole question, cannot tell files apart.
  const isSomewhere = wordWeights.map((_, word) => filesWith(places, word) > 0);
  const others = rarities.filter((_, word) => !isNaming[word] && isSomewhere[word]);
  const most = others.length > 0 ? Math.max(...others) : Infinity;
  return rarities.map((each, word) =>
    isSomewhere[word] ? (wordWeights[word] ?? 0) * (isNaming[word] ? Math.min(each, most) : each) : 0,
  );
}

const rarity = (places: readonly WordCounts[], word: number): number => {
  const total = places.reduce((sum, { snapshot }) => sum + snapshot.handle.files, 0);
  return inverseFrequency(total, filesWith(places, word));
};

/** How many texts and names have a word. */
export const filesWith = (places: readonly WordCounts[], word: number): number =>
  places.reduce((sum, place) => sum + place.countWith(word), 0);
