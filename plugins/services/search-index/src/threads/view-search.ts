import { visitByBound } from '@sextant/library-block-index';
import type { Matches, Query, SearchPlace } from '@sextant/library-block-index';
import { canBeDefined, classWeight, fileScore, lineWeight } from '@sextant/library-search-results';
import { pathClasses } from '@sextant/library-search-results';
import type { AttachedPart } from './attached-part.ts';
import type { AttachedView } from './attached-view.ts';
import { Bits } from './bits.ts';
import { documentsOf } from './content-search.ts';
import { engineQuery, positiveTerms } from './engine-query.ts';
import type { FoundFiles, RankedFile } from './found-files.ts';
import { firstMatches, phraseLines, summarize } from './hit.ts';
import { Names } from './names.ts';
import { piecesOf } from './pieces.ts';
import type { Piece } from './pieces.ts';
import type { Job, JobView, Term } from './protocol.ts';
import { bestOf } from './rated-lines.ts';
import type { Rating } from './rated-lines.ts';
import { truthOf } from './truth.ts';

interface Searching {
  readonly job: Job;
  readonly found: FoundFiles;
  readonly checkpoint: () => void;
}

type PieceOfPart = Piece & { readonly part: AttachedPart };
type MatchingDocument = PieceOfPart & {
  readonly document: number;
  readonly query: Query;
  /** Lines that match besides those with the matches. */
  readonly more: number;
};

const noLines: ReadonlySet<number> = new Set();

const weights = pathClasses.map((each) => classWeight[each]);

/** The search of one view for a job: it finds files, rates them, and leaves those that cannot be among the best. */
export class ViewSearch {
  readonly jobView: JobView;
  readonly #view: AttachedView;
  readonly #searching: Searching;
  readonly #terms: readonly Term[];
  readonly #names: Names;
  /** How surely a line may define what is searched. */
  readonly #definition: number;
  readonly #isOneText: boolean;
  /** The most that files of each class may be worth whose path says nothing. */
  readonly #bounds: readonly number[];

  constructor(view: AttachedView, jobView: JobView, searching: Searching) {
    this.#view = view;
    this.jobView = jobView;
    this.#searching = searching;
    this.#terms = positiveTerms(jobView.query, searching.job.terms);
    const texts = this.#terms.flatMap((term) => ('literal' in term ? [String(term.literal)] : []));
    this.#names = new Names(texts.map((text) => view.named(text, searching.checkpoint)));
    this.#definition = this.#terms.some((term) => 'regex' in term || canBeDefined(String(term.literal))) ? 1 : 0;
    this.#isOneText = this.#terms.length === 1;
    this.#bounds = weights.map((weight) => this.#bound(weight, 0));
  }

  pieces(): Piece[] {
    const { job, checkpoint } = this.#searching;
    const pieces = piecesOf(this.#view, this.jobView.query, {
      truth: truthOf(this.#view, job, checkpoint),
      wantsPathsOnly: job.wantsPathsOnly,
      namesOf: (files) => this.#names.levelsOf(files),
    });
    const wanted = this.jobView.pieces;
    return wanted ? pieces.filter(({ number }) => wanted.includes(number)) : pieces;
  }

  /** The most that any of the files of a piece may be worth. */
  boundOf({ named }: Piece): number {
    return this.#bound(1, named);
  }

  /** Whether a file that is worth so much would be among the best of the search. */
  canBeWanted(bound: number): boolean {
    return this.#searching.found.wants(bound, this.jobView.target);
  }

  *search({ part, ...piece }: Piece): Generator<void> {
    const { rest, files } = piece;
    if (!part) {
      for (const file of files.numbers()) this.#takeByPath(file, undefined);
      return;
    }
    const documents = this.#view.documentsOf(part, files);
    if (documents.isEmpty) return;
    const ofPart = { ...piece, part };
    yield* part.inSteps((place) =>
      rest.kind === 'all' ? this.#takeAll(place, ofPart, documents) : this.#takeMatching(place, ofPart, documents),
    );
  }

  *#takeMatching(place: SearchPlace, piece: PieceOfPart, documents: Bits): Generator<void> {
    const { job, checkpoint } = this.#searching;
    const engine = engineQuery(piece.rest, job.terms);
    if (engine) yield* this.#visit(place, engine, { piece, documents });
    else {
      const found = yield* documentsOf({ place, terms: job.terms, checkpoint }, piece.rest, documents);
      yield* this.#takeAll(place, piece, found);
    }
  }

  /** Documents that match whatever their text has of the terms: it is shown. */
  *#takeAll(place: SearchPlace, piece: PieceOfPart, documents: Bits): Generator<void> {
    const seen = new Bits(documents.size);
    if (this.#terms.length > 0) yield* this.#visit(place, { or: this.#terms }, { piece, documents, seen });
    for (const document of documents.without(seen).numbers())
      for (const file of this.#filesOf(piece, document)) this.#takeByPath(file, { part: piece.part, document });
  }

  *#visit(
    place: SearchPlace,
    query: Query,
    { piece, documents, seen }: { piece: PieceOfPart; documents: Bits; seen?: Bits },
  ): Generator<void> {
    const { job, found, checkpoint } = this.#searching;
    const { target } = this.jobView;
    yield* visitByBound(place, query, {
      documents: documents.bytes,
      checkpoint,
      boundOf: (document) => this.#boundOf(piece, document),
      rankOf: (document) => this.#firstFile(piece, document),
      isWanted: (bound, document) => found.wants(bound, target, this.#firstFile(piece, document)),
      linesOfEach: job.limits.linesPerFile,
      isOnlyCounted: (bound, document) => !found.hasPlace(bound, target, this.#firstFile(piece, document)),
      take: (document, matches, more) => {
        seen?.add(document);
        this.#take(place, { ...piece, document, query, more }, matches);
      },
    });
  }

  #boundOf(piece: PieceOfPart, document: number): number {
    const { fileStarts, filesOf, classes } = this.#view.handle;
    const at = piece.part.handle.base + document;
    let bound = 0;
    // Without an object each: all documents may be asked for.
    for (let i = fileStarts[at] ?? 0, end = fileStarts[at + 1] ?? 0; i < end; i += 1) {
      const file = filesOf[i] ?? 0;
      if (piece.files !== this.#view.everyFile && !piece.files.has(file)) continue;
      const named = piece.named === 0 ? 0 : this.#names.of(file);
      const most = named === 0 ? this.#bounds[classes[file] ?? 0] : this.#bound(this.#weightOf(file), named);
      bound = Math.max(bound, most ?? 0);
    }
    return bound;
  }

  #bound(weight: number, named: number): number {
    return Math.fround(
      fileScore({
        weight,
        named,
        best: this.#mostOf({ isWord: true, isPhrase: !this.#isOneText }),
        lineCount: Infinity,
      }),
    );
  }

  #take({ content }: SearchPlace, { document, query, more, ...piece }: MatchingDocument, matches: Matches): void {
    const { found, job } = this.#searching;
    const { target } = this.jobView;
    const { lineCount: lines, hasWord } = summarize(matches);
    const lineCount = lines + more;
    const phrases = this.#isOneText ? noLines : phraseLines(matches);
    const most = this.#mostOf({ isWord: hasWord, isPhrase: phrases.size > 0 });
    let best: number | undefined;
    for (const file of this.#filesOf(piece, document)) {
      found.count(lineCount);
      if (!found.hasPlace(this.#scoreOf(file, lineCount, most), target, file)) continue;
      best ??= this.#definition === 0 && this.#isOneText ? most : bestOf(matches, content, { ...this.#rating, most });
      const score = this.#scoreOf(file, lineCount, best);
      if (!found.hasPlace(score, target, file)) continue;
      const source = { part: piece.part, document };
      found.add({ ...this.#ranked(file), source, lineCount, query, score }, () =>
        firstMatches(matches, found.linesToKeep(lineCount, job.limits.linesPerFile), phrases),
      );
    }
  }

  #ranked(file: number): Pick<RankedFile, 'view' | 'target' | 'file' | 'isOneText'> {
    return { view: this.#view, target: this.jobView.target, file, isOneText: this.#isOneText };
  }

  get #rating(): Rating {
    return { lineCharacters: this.#searching.job.limits.lineCharacters, isOneText: this.#isOneText };
  }

  #takeByPath(file: number, source: { part: AttachedPart; document: number } | undefined): void {
    const { found } = this.#searching;
    const { target } = this.jobView;
    found.count(0);
    const score = this.#scoreOf(file, 0, 0);
    if (found.hasPlace(score, target, file))
      found.add({ ...this.#ranked(file), source, lineCount: 0, query: undefined, score });
  }

  /** No line is better than this. */
  #mostOf(line: { isWord: boolean; isPhrase: boolean }): number {
    return lineWeight({ ...line, definition: this.#definition, matches: Infinity, isOneText: this.#isOneText });
  }

  /** As an f32: threads tell each other what a file needs. */
  #scoreOf(file: number, lineCount: number, best: number): number {
    return Math.fround(fileScore({ weight: this.#weightOf(file), named: this.#names.of(file), best, lineCount }));
  }

  #firstFile({ part }: PieceOfPart, document: number): number {
    const { fileStarts, filesOf } = this.#view.handle;
    return filesOf[fileStarts[part.handle.base + document] ?? 0] ?? 0;
  }

  #weightOf(file: number): number {
    return weights[this.#view.handle.classes[file] ?? 0] ?? 0;
  }

  #filesOf({ part, files }: PieceOfPart, document: number): Uint32Array {
    const all = this.#view.filesOf(part, document);
    return files === this.#view.everyFile ? all : all.filter((file) => files.has(file));
  }
}
