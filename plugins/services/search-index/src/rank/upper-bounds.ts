import type { Content, FirstTier, Literal, Matches, Regex } from '@sextant/library-block-index';
import type { Partition, SlicePartition } from '../match/partitions.ts';
import type { AttachedSlice, AttachedSnapshot } from '../snapshot/attached-snapshot.ts';
import type { FileScore } from './file-score.ts';
import type { DocumentSigns, TermScore } from './term-score.ts';

/** For up to so many documents, computing their bounds is faster than reading their text. Of more, one mostly has the highest bound. */
export const fewDocuments = 512;

/** Upper bounds of the scores of files, before their text is read. */
export class UpperBounds {
  readonly #snapshot: AttachedSnapshot;
  readonly #score: FileScore;
  readonly #terms: TermScore;
  readonly #highestSigns: DocumentSigns;

  constructor(snapshot: AttachedSnapshot, score: FileScore, terms: TermScore) {
    this.#snapshot = snapshot;
    this.#score = score;
    this.#terms = terms;
    this.#highestSigns = { defined: terms.mostDefined, phrase: terms.phrases.longest };
  }

  /** Upper bound of the files of a partition. */
  ofPartition({ slice, ...partition }: Partition): number {
    const highest = this.#ofNamed(partition.named);
    if (partition.named > 0 || !slice || slice.handle.documents > fewDocuments) return highest;
    const ofSlice = { ...partition, slice };
    let bound = 0;
    for (const document of this.#snapshot.documentsOf(slice, partition.files).numbers()) {
      bound = Math.max(bound, this.ofDocument(ofSlice, document));
      if (bound === highest) break;
    }
    return bound;
  }

  /** Upper bound of the files of a document. `phrase` is the most terms that one of its phrases can have. */
  ofDocument(partition: SlicePartition, document: number, phrase?: number): number {
    const { fileStarts, filesOf } = this.#snapshot.handle;
    const at = partition.slice.handle.base + document;
    const signs = this.signsOf(partition.slice, document, phrase);
    let bound = 0;
    // Without an object for each file, as all documents may be asked for.
    for (let i = fileStarts[at] ?? 0, end = fileStarts[at + 1] ?? 0; i < end; i += 1) {
      const file = filesOf[i] ?? 0;
      if (partition.files !== this.#snapshot.everyFile && !partition.files.has(file)) continue;
      bound = Math.max(bound, this.ofFile(file, signs, partition.named > 0));
    }
    return bound;
  }

  /** The bound of a file. `isNamed` is false if its path is known not to match. */
  ofFile(file: number, signs: DocumentSigns, isNamed = true): number {
    const named = isNamed ? this.#score.namedOf(file) : 0;
    if (named === 0 && signs.phrase === this.#highestSigns.phrase)
      return this.#terms.boundOf(this.#score.classOf(file), signs.defined);
    return this.#terms.bound(this.#score.weightOf(file), named, signs);
  }

  /** The documents that may define a name come first; with phrases, a name of several terms. Undefined if it is not known which define one. */
  firstTier({ slice, named }: SlicePartition): FirstTier | undefined {
    const { definable, phrases, mostDefined } = this.#terms;
    if (!definable || mostDefined === 0) return undefined;
    const hasPhrases = phrases.longestName > 1;
    const documents = slice.defining(hasPhrases ? definable.slice(2).flat() : (definable[1] ?? []));
    return documents && { documents: documents.bytes, boundOfOthers: this.#ofNamed(named, hasPhrases ? 1 : 0) };
  }

  signsOf(slice: AttachedSlice, document: number, phrase = this.#highestSigns.phrase): DocumentSigns {
    return { defined: this.definedIn(slice, document), phrase };
  }

  /** Upper bound of the terms in one name that a line of a document defines. */
  definedIn(slice: AttachedSlice, document: number): number {
    const { definable, mostDefined } = this.#terms;
    if (!definable) return mostDefined;
    // Loops without closures, as all documents may be asked for.
    for (let defined = mostDefined; defined > 0; defined -= 1)
      for (const name of definable[defined] ?? []) if (slice.mayDefine(document, name)) return defined;
    return 0;
  }

  /** The bound of files whose names score at most `named`, and that define no name of more terms. */
  #ofNamed(named: number, defined = this.#terms.mostDefined): number {
    return this.#terms.bound(1, named, { defined, phrase: this.#highestSigns.phrase });
  }
}

interface KnownLimits {
  /** The longest phrase with each term, by the term in lower case. */
  readonly ofTerms: Map<string, number>;
  longest: number;
}

/** How long phrases can be in the documents of a partition. Becomes tighter with the matches of each term. */
export class PhraseLimits {
  readonly #terms: TermScore;
  readonly #content: Content;
  readonly #known = new Map<number, KnownLimits>();

  constructor(terms: TermScore, content: Content) {
    this.#terms = terms;
    this.#content = content;
  }

  of(document: number): number {
    return this.#known.get(document)?.longest ?? this.#terms.phrases.longest;
  }

  /** The limit of a document once the matches of one more term are known. */
  with(document: number, term: Literal | Regex, matches: Matches): number {
    const { phrases } = this.#terms;
    const neighbours = this.#terms.neighboursOf(term);
    const limit = neighbours.longestIn(matches, this.#content);
    if (limit === phrases.longest) return this.of(document);
    const known = this.#known.get(document) ?? { ofTerms: new Map<string, number>(), longest: phrases.longest };
    known.ofTerms.set(neighbours.term, limit);
    known.longest = phrases.longestWith(known.ofTerms);
    this.#known.set(document, known);
    return known.longest;
  }
}
