import { BitSet, countBlocks, countMatches } from '@sextant/library-block-index';
import { exactScore, inverseFrequency, wordScore } from '@sextant/library-ranking';
import type { FieldCounts } from '@sextant/library-ranking';
import type { WordsJob } from '../match/job.ts';
import type { SharedNumbers } from './shared-work.ts';
import type { AttachedSlice, AttachedSnapshot } from '../snapshot/attached-snapshot.ts';
import { fileGains, questionLimits } from '@sextant/library-keyword-search';

interface Counting {
  readonly words: WordsJob['words'];
  readonly numbers: SharedNumbers;
  readonly checkpoint: () => void;
}

/** Per word: how often it stands in each of the texts that were counted. All threads of a question share the memory. */
export type TextCounts = readonly Float32Array[];

/** A snapshot in which words are counted. */
interface QuestionSnapshot {
  readonly snapshot: AttachedSnapshot;
  readonly target: number;
  /** Words that name the repository. They tell its files from those of other repositories, but not from each other. */
  readonly namedBy: readonly number[];
}

/** Texts of one slice, and from where on in `TextCounts` their counts stand. */
interface SomeTexts {
  readonly slice: AttachedSlice;
  /** Ascending. */
  readonly documents: Uint32Array;
  readonly at: number;
}

/** Texts that one thread counts in one step of about a millisecond. */
const textsTogether = 64;

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
  /** For each file its score by the index alone, as a step: see `likeliest`. */
  readonly steps: Uint16Array;
  readonly #counting: Counting;
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

  constructor({ snapshot, target, namedBy }: QuestionSnapshot, counting: Counting) {
    this.snapshot = snapshot;
    this.target = target;
    this.#namedBy = namedBy;
    this.#counting = counting;
    const { words, numbers } = counting;
    const { files } = snapshot.handle;
    const bits = (): BitSet => new BitSet(files, numbers.take(Uint32Array, Math.ceil(files / 32)));
    this.allowed = bits();
    this.steps = numbers.take(Uint16Array, files);
    this.#withWord = numbers.take(Int32Array, words.length);
    this.#names = words.map(bits);
    this.#folders = words.map(bits);
    this.#blocks = words.map(() => numbers.take(Uint8Array, snapshot.documents));
  }

  isNamedBy(word: number): boolean {
    return this.#namedBy.includes(word);
  }

  /** Estimates counts from the index. */
  *estimate(allowed: BitSet): Generator<void> {
    this.allowed.words.set(allowed.words);
    const { words, checkpoint } = this.#counting;
    for (const [word, { term }] of words.entries()) {
      const { names, folders } = this.snapshot.partsOfPaths(term, checkpoint);
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
    const { words, checkpoint } = this.#counting;
    for (const [word, { term, isOfPath }] of words.entries()) {
      if (isOfPath) continue;
      const found = yield* slice.inSteps((place) => countBlocks(place, term, { checkpoint }));
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
    const { words, checkpoint } = this.#counting;
    const [{ blocksRead }, { insideWord }] = [questionLimits, fileGains];
    for (const [word, { term, isOfPath }] of words.entries()) {
      if (isOfPath) continue;
      const found = yield* slice.inSteps((place) =>
        countMatches(place, term, { documents, mostBlocks: blocksRead, insideWord, checkpoint }),
      );
      counts[word]?.set(found, at);
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
    const isExact = this.#counting.words[word]?.isExact;
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
      const isExact = this.#counting.words[word]?.isExact;
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
      `word ${String(this.#counting.words[word]?.term.literal)}`,
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
    const body = counts[word]?.[at ?? -1] ?? 0;
    const name = this.#names[word]?.has(file) ? 1 : 0;
    const folder = this.#folders[word]?.has(file) ? 1 : 0;
    if (body === 0 && name === 0 && folder === 0) return 0;
    const length = this.snapshot.lengthShares[document] ?? 1;
    return weight * scoreOf({ name, folder, body }, length, this.#counting.words[word]?.isExact);
  }

  /** The factor of all files of the repository, for the words that name it. */
  ofRepository(weights: readonly number[]): number {
    const most = Math.max(...weights);
    return this.#namedBy.reduce((factor, word) => factor + (fileGains.repositoryName * (weights[word] ?? 0)) / most, 1);
  }
}

const scoreOf = (counts: FieldCounts, length: number, isExact = false): number =>
  isExact ? exactScore(counts) : wordScore(counts, length);

/**
 * The weight of each word, times its inverse frequency. For a word that names repositories only files of other repositories count, and it weighs no
 * more than the rarest word that names none.
 */
export function weightsOf(places: readonly WordCounts[], words: WordsJob['words']): number[] {
  const rarities = words.map((_, word) => {
    const others = places.filter((place) => !place.isNamedBy(word));
    const files = others.reduce((sum, { snapshot }) => sum + snapshot.handle.files, 0);
    return inverseFrequency(files, filesWith(others, word));
  });
  const isNaming = words.map((_, word) => places.some((place) => place.isNamedBy(word)));
  // A word that occurs nowhere, such as the whole question, cannot tell files apart.
  const isSomewhere = words.map((_, word) => filesWith(places, word) > 0);
  const others = rarities.filter((_, word) => !isNaming[word] && isSomewhere[word]);
  const most = others.length > 0 ? Math.max(...others) : Infinity;
  return words.map(({ weight }, word) => {
    const rarity = rarities[word] ?? 0;
    return isSomewhere[word] ? weight * (isNaming[word] ? Math.min(rarity, most) : rarity) : 0;
  });
}

/** How many texts and names have a word. */
export const filesWith = (places: readonly WordCounts[], word: number): number =>
  places.reduce((sum, place) => sum + place.countWith(word), 0);
