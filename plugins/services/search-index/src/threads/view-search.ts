import { visitByBound } from '@sextant/library-block-index';
import type { Matches, Query, SearchPlace } from '@sextant/library-block-index';
import { canBeDefined, classWeight, fileScore, lineWeight } from '@sextant/library-search-results';
import { nameWeight, pathClasses } from '@sextant/library-search-results';
import type { AttachedPart, AttachedView } from './attached-view.ts';
import { Bits } from './bits.ts';
import { documentsOf } from './content-search.ts';
import { engineQuery, positiveTerms } from './engine-query.ts';
import type { FoundFiles } from './found-files.ts';
import { firstMatches, hitOf, summarize } from './hit.ts';
import { piecesOf } from './pieces.ts';
import type { Piece } from './pieces.ts';
import type { Job, JobView, Term } from './protocol.ts';
import { rateLines } from './shown-file.ts';
import { truthOf } from './truth.ts';

interface Searching {
  readonly job: Job;
  readonly found: FoundFiles;
  readonly checkpoint: () => void;
}

type PieceOfPart = Piece & { readonly part: AttachedPart };

const weights = pathClasses.map((each) => classWeight[each]);

/** The search of one view for a job: it finds files, rates them, and leaves those that cannot be among the best. */
export class ViewSearch {
  readonly jobView: JobView;
  readonly #view: AttachedView;
  readonly #searching: Searching;
  readonly #terms: readonly Term[];
  /** Texts of the query in lower case. */
  readonly #words: readonly string[];
  /** Files whose path has any of them. */
  readonly #named: Bits;
  /** How surely a line may define what is searched. */
  readonly #definition: number;
  readonly #isOneText: boolean;

  constructor(view: AttachedView, jobView: JobView, searching: Searching) {
    this.#view = view;
    this.jobView = jobView;
    this.#searching = searching;
    this.#terms = positiveTerms(jobView.query, searching.job.terms);
    const texts = this.#terms.flatMap((term) => ('literal' in term ? [String(term.literal)] : []));
    this.#words = texts.map((text) => text.toLowerCase());
    this.#named = this.#withNames(texts);
    this.#definition = this.#terms.some((term) => 'regex' in term || canBeDefined(String(term.literal))) ? 1 : 0;
    this.#isOneText = this.#terms.length === 1;
  }

  pieces(): Piece[] {
    const { job, checkpoint } = this.#searching;
    const pieces = piecesOf(this.#view, this.jobView.query, {
      truth: truthOf(this.#view, job, checkpoint),
      wantsPathsOnly: job.wantsPathsOnly,
    });
    const wanted = this.jobView.pieces;
    return wanted ? pieces.filter(({ number }) => wanted.includes(number)) : pieces;
  }

  *search(piece: Piece): Generator<void> {
    const { part, rest, files } = piece;
    if (!this.#canBeWanted(files)) return;
    if (!part) {
      for (const file of files) this.#takeByPath(file, undefined);
      return;
    }
    const documents = this.#view.documentsOf(part, files);
    if (documents.isEmpty) return;
    const ofPart = { ...piece, part };
    yield* part.inSteps((place) =>
      rest.kind === 'all' ? this.#takeAll(place, ofPart, documents) : this.#takeMatching(place, ofPart, documents),
    );
  }

  /** Whether the best file that may be among these would be among the best of the search. */
  #canBeWanted(files: Bits): boolean {
    const named = files.and(this.#named).isEmpty ? 0 : 1;
    const bound = fileScore({ weight: 1, named, best: this.#mostOf({ isWord: true }), lineCount: Infinity });
    return this.#searching.found.wants(bound, this.jobView.target);
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
    for (const document of documents.without(seen))
      for (const file of this.#filesOf(piece, document)) this.#takeByPath(file, { part: piece.part, document });
  }

  *#visit(
    place: SearchPlace,
    query: Query,
    { piece, documents, seen }: { piece: PieceOfPart; documents: Bits; seen?: Bits },
  ): Generator<void> {
    const { found, checkpoint } = this.#searching;
    const { target } = this.jobView;
    const best = this.#mostOf({ isWord: true });
    yield* visitByBound(place, query, {
      documents: documents.bytes,
      checkpoint,
      boundOf: (document) => this.#boundOf(piece, document, best),
      isWanted: (bound) => found.wants(bound, target),
      take: (document, matches) => {
        seen?.add(document);
        this.#take(piece, document, matches);
      },
    });
  }

  #boundOf(piece: PieceOfPart, document: number, best: number): number {
    let bound = 0;
    for (const file of this.#filesOf(piece, document)) {
      const named = this.#named.has(file) ? 1 : 0;
      bound = Math.max(bound, fileScore({ weight: this.#weightOf(file), named, best, lineCount: Infinity }));
    }
    return bound;
  }

  #take(piece: PieceOfPart, document: number, matches: Matches): void {
    const { found, job } = this.#searching;
    const { target } = this.jobView;
    const { part } = piece;
    const { lineCount, hasWord } = summarize(matches);
    const most = this.#mostOf({ isWord: hasWord });
    for (const file of this.#filesOf(piece, document)) {
      found.count(lineCount);
      if (!found.wants(this.#scoreOf(file, lineCount, most), target)) continue;
      const kept = firstMatches(matches, found.linesToKeep(lineCount, job.limits.linesPerFile));
      const weights = rateLines(hitOf(kept, lineCount), part, { ...job.limits, isOneText: this.#isOneText });
      const score = this.#scoreOf(file, lineCount, Math.max(0, ...weights.values()));
      found.add({
        view: this.#view,
        target,
        file,
        source: { part, document },
        lineCount,
        matches: kept,
        weights,
        score,
      });
    }
  }

  #takeByPath(file: number, source: { part: AttachedPart; document: number } | undefined): void {
    const { found } = this.#searching;
    const { target } = this.jobView;
    found.count(0);
    const score = this.#scoreOf(file, 0, 0);
    if (found.wants(score, target))
      found.add({
        view: this.#view,
        target,
        file,
        source,
        lineCount: 0,
        matches: undefined,
        weights: new Map(),
        score,
      });
  }

  /** No line is better than this. */
  #mostOf({ isWord }: { isWord: boolean }): number {
    return lineWeight({ isWord, definition: this.#definition, matches: Infinity, isOneText: this.#isOneText });
  }

  #scoreOf(file: number, lineCount: number, best: number): number {
    const named = this.#named.has(file) ? nameWeight(this.#view.pathOf(file), this.#words) : 0;
    return fileScore({ weight: this.#weightOf(file), named, best, lineCount });
  }

  #weightOf(file: number): number {
    return weights[this.#view.handle.classes[file] ?? 0] ?? 0;
  }

  #filesOf({ part, files }: PieceOfPart, document: number): Uint32Array {
    const all = this.#view.filesOf(part, document);
    return files === this.#view.everyFile ? all : all.filter((file) => files.has(file));
  }

  #withNames(texts: readonly string[]): Bits {
    const { handle } = this.#view;
    const { checkpoint } = this.#searching;
    const none = new Bits(handle.files);
    if (handle.files === 0) return none;
    return texts
      .map((literal) => this.#view.withPath({ literal, foldCase: true }, checkpoint))
      .reduce((all, files) => all.or(files), none);
  }
}
