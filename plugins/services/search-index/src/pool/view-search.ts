import type { Matches, Query, SearchPlace, Visit } from '@sextant/library-block-index';
import type { AttachedSnapshot, Source } from '../snapshot/attached-snapshot.ts';
import { BestFirst } from '../rank/best-first.ts';
import type { Searching } from '../rank/best-first.ts';
import { Bits } from '../match/bits.ts';
import { documentsOf } from '../match/content-search.ts';
import { engineQuery, lacksTerms } from '../match/engine-query.ts';
import { FileWorth } from '../rank/file-worth.ts';
import { firstMatches, hasLongLine, summarize } from '../rank/hit.ts';
import { Hopes } from '../rank/hopes.ts';
import { LinesWorth } from '../rank/lines-worth.ts';
import { MatchingFiles } from '../match/matching-files.ts';
import { fewDocuments, PieceBounds } from '../rank/piece-bounds.ts';
import { piecesOf } from '../match/pieces.ts';
import type { Piece, PieceOfPart } from '../match/pieces.ts';
import type { JobView } from './protocol.ts';
import { RowDocuments } from '../rank/row-documents.ts';
import { isLetterAlone, textsOf } from '../rank/texts-worth.ts';
import type { TextsWorth } from '../rank/texts-worth.ts';
import { truthOf } from '../match/truth.ts';

type DocumentOfPiece = PieceOfPart & { readonly document: number };
type PlaceInPiece = Pick<MatchingDocument, 'piece' | 'document'>;
interface MatchingDocument {
  readonly piece: PieceOfPart;
  readonly document: number;
  readonly query: Query;
  /** Lines that match besides those with the matches. */
  readonly more: number;
  /** Whether `more` is less than that. */
  readonly isCut: boolean;
  readonly isCounted: boolean;
}

interface Visited {
  readonly piece: PieceOfPart;
  readonly documents: Bits;
  /** Whether their files are counted already. */
  readonly areCounted?: boolean;
  /** What is known of them. */
  readonly hopes?: Hopes;
  /** Is told which documents match. */
  readonly seen?: Bits;
  /** See `Visit.isWholeWord`. */
  readonly isWholeWord?: Visit['isWholeWord'] | false;
}

/** The search of one view for a job: it finds files, rates them, and leaves those that cannot be among the best. */
export class ViewSearch {
  readonly jobView: JobView;
  readonly #view: AttachedSnapshot;
  readonly #searching: Searching;
  readonly #texts: TextsWorth;
  readonly #worth: FileWorth;
  readonly #bounds: PieceBounds;
  readonly #bestFirst: BestFirst;
  readonly #rowDocuments: RowDocuments;

  constructor(view: AttachedSnapshot, jobView: JobView, searching: Searching) {
    this.#view = view;
    this.jobView = jobView;
    this.#searching = searching;
    this.#texts = textsOf(jobView.query, searching.job.terms);
    this.#worth = new FileWorth(view, this.#texts, searching);
    this.#bounds = new PieceBounds(view, this.#worth);
    this.#rowDocuments = new RowDocuments(this.#texts, searching.checkpoint);
    this.#bestFirst = new BestFirst(view, { jobView, searching, worth: this.#worth, bounds: this.#bounds });
  }

  *pieces(): Generator<void, Piece[]> {
    const [view, { job, found, checkpoint }, { query, pieces: wanted }] = [this.#view, this.#searching, this.jobView];
    const mayPart = found.areFew && this.#rowDocuments.areAny;
    const pieces = yield* piecesOf(view, query, {
      truth: truthOf(view, job, checkpoint),
      matching: () => new MatchingFiles({ view, job, checkpoint }).find(query, view.everyFile),
      wantsPathsOnly: job.wantsPathsOnly,
      namesOf: (files) => this.#worth.levelsOf(files),
      isParted: ({ part, files, rest }) =>
        part !== undefined && mayPart && files.count > fewDocuments && lacksTerms(rest, job.terms, this.#texts),
    });
    return wanted ? pieces.filter(({ number }) => wanted.includes(number)) : pieces;
  }

  /** The most that any of the files of a piece may be worth. */
  boundOf(piece: Piece): number {
    return this.#bounds.of(piece);
  }

  /** Whether a file that is worth so much would be among the best of the search. */
  canBeWanted(bound: number): boolean {
    return this.#searching.found.wants(bound, this.jobView.target);
  }

  *search({ part, ...piece }: Piece): Generator<void> {
    const { files } = piece;
    if (!part) {
      for (const file of files.numbers()) this.#takeByPath(file);
      return;
    }
    const all = this.#view.documentsOf(part, files);
    if (all.isEmpty) return;
    const ofPart = { ...piece, part };
    yield* part.inSteps((place) => this.#searchPart(place, ofPart, all));
  }

  *#searchPart(place: SearchPlace, piece: PieceOfPart, all: Bits): Generator<void> {
    const documents = yield* this.#rowDocuments.among(all, place, piece);
    yield* piece.rest.kind === 'all'
      ? this.#takeAll(place, { piece, documents })
      : this.#takeMatching(place, piece, documents);
  }

  *#takeMatching(place: SearchPlace, piece: PieceOfPart, documents: Bits): Generator<void> {
    const { job, checkpoint } = this.#searching;
    const engine = engineQuery(piece.rest, job.terms);
    if (engine && lacksTerms(piece.rest, job.terms, this.#texts))
      yield* this.#visitTwice(place, engine, { piece, documents });
    else if (engine) yield* this.#visit(place, engine, { piece, documents });
    else {
      const found = yield* documentsOf({ place, terms: job.terms, checkpoint }, piece.rest, documents);
      yield* this.#takeAll(place, { piece, documents: found });
    }
  }

  /** Documents that match whatever their text has of the terms: it is shown. */
  *#takeAll(place: SearchPlace, visited: Visited): Generator<void> {
    const { piece, documents, areCounted = false } = visited;
    const [seen, query] = [new Bits(documents.size), { or: this.#texts.terms }];
    // A letter stands in nearly every line: of the files that are not among the best nobody wants to know in which.
    const isWholeWord = this.#texts.hasLetter && this.#searching.found.areFew && isLetterAlone;
    if (query.or.length > 0) yield* this.#visit(place, query, { ...visited, seen, isWholeWord });
    const shown = { areCounted, ...(isWholeWord && { query }) };
    for (const document of documents.without(seen).numbers())
      for (const file of this.#filesOf(piece, document)) this.#takeByPath(file, { slice: piece.part, document }, shown);
  }

  *#visit(place: SearchPlace, query: Query, { piece, documents, seen, ...visited }: Visited): Generator<void> {
    const { areCounted = false, hopes = new Hopes(this.#texts, place.content), isWholeWord = false } = visited;
    const leavesMore = this.#searching.found.areFew && !areCounted;
    yield* this.#bestFirst.visit(place, query, {
      piece,
      documents,
      hopes,
      leavesMore,
      ...(isWholeWord && { isWholeWord }),
      isPromising: (document, matches) => this.#isPromising(place, { piece, document }, matches),
      take: (document, matches, more) => {
        seen?.add(document);
        const isCut = isWholeWord !== false || (leavesMore && more > 0);
        this.#take(place, { piece, document, query, more, isCut, isCounted: areCounted }, matches);
      },
    });
  }

  /** Texts that a path has need not be in its document; where they are tells how good it is, if it may be among the best. */
  *#visitTwice(place: SearchPlace, query: Query, { piece, documents }: Visited): Generator<void> {
    const hopes = new Hopes(this.#texts, place.content);
    const again = new Bits(documents.size);
    const take = (document: number, matches: Matches, more: number): void => {
      // A very long line is shown around what its path lacks.
      if (hasLongLine(matches))
        this.#take(place, { piece, document, query, more, isCut: false, isCounted: false }, matches);
      else {
        if ('literal' in query && more === 0) hopes.with(document, query, matches);
        const [inRow, lineCount] = [hopes.of(document), summarize(matches).lineCount + more];
        if (this.#count({ ...piece, document }, { inRow, lineCount })) again.add(document);
      }
    };
    yield* this.#bestFirst.visit(place, query, { piece, documents, hopes, take, isVisitedAgain: true });
    yield* this.#takeAll(place, { piece, documents: again, hopes, areCounted: true });
  }

  /** Whether a file of a document would be among the best if nothing excluded it; while it is not known that there are more of them, all would. */
  #isPromising(place: SearchPlace, { piece, document }: PlaceInPiece, matches: Matches): boolean {
    const [{ found }, { target }] = [this.#searching, this.jobView];
    if (found.wants(0, target)) return true;
    const lines = this.#linesOf(place, { piece, document }, matches);
    const isWanted = (file: number, best: number): boolean =>
      found.wants(this.#worth.of(file, lines.counted, best), target, file);
    return this.#filesOf(piece, document).some((file) => isWanted(file, lines.most) && isWanted(file, lines.best));
  }

  /** Counts the files of a document; whether one of them may be among the best. */
  #count({ document, ...piece }: DocumentOfPiece, { inRow, lineCount }: { inRow: number; lineCount: number }): boolean {
    const { found } = this.#searching;
    const signs = this.#worth.signsOf(piece.part, document, inRow);
    let hasPlace = false;
    for (const file of this.#filesOf(piece, document)) {
      found.count(lineCount);
      hasPlace ||= found.hasPlace(this.#worth.mostOf(file, true, signs), this.jobView.target, file);
    }
    return hasPlace;
  }

  #take(place: SearchPlace, { piece, document, ...matching }: MatchingDocument, matches: Matches): void {
    const { found, job } = this.#searching;
    const { target } = this.jobView;
    const { query, more, isCut, isCounted } = matching;
    const lines = this.#linesOf(place, { piece, document }, matches);
    const [lineCount, counted] = [lines.lineCount + more, lines.counted + more];
    for (const file of this.#filesOf(piece, document)) {
      if (!isCounted) found.count(lineCount);
      if (!found.hasPlace(this.#worth.of(file, counted, lines.most), target, file)) continue;
      const score = this.#worth.of(file, counted, lines.best);
      if (!found.hasPlace(score, target, file)) continue;
      const keep = (): Matches =>
        firstMatches(matches, found.linesToKeep(lineCount, job.limits.linesPerFile), lines.telling);
      const [view, texts, source] = [this.#view, this.#texts, { slice: piece.part, document }];
      const ranked = {
        view,
        target,
        file,
        texts,
        defined: lines.defined,
        source,
        lineCount,
        isCut,
        isCounted,
        query,
        score,
      };
      found.add(ranked, isCut ? undefined : keep);
    }
  }

  #linesOf({ content }: SearchPlace, { piece, document }: PlaceInPiece, matches: Matches): LinesWorth {
    const { lineCharacters } = this.#searching.job.limits;
    const defined = this.#worth.definedIn(piece.part, document);
    return new LinesWorth(matches, this.#texts, { content, lineCharacters, defined });
  }

  /** The query tells what is shown of its text. */
  #takeByPath(
    file: number,
    source?: Source,
    { areCounted = false, query }: { areCounted?: boolean; query?: Query } = {},
  ): void {
    const [{ found }, { target }, view, texts] = [this.#searching, this.jobView, this.#view, this.#texts];
    if (!areCounted) found.count(0);
    if (!found.hasPlace(this.#worth.mostOfPath(file), target, file)) return;
    const score = this.#worth.ofPath(file);
    if (!found.hasPlace(score, target, file)) return;
    const noLines = { lineCount: 0, isCut: query !== undefined, isCounted: areCounted, defined: texts.mostDefined };
    found.add({ ...noLines, view, target, file, texts, source, query, score });
  }

  #filesOf({ part, files }: PieceOfPart, document: number): readonly number[] {
    return this.#view.filesOf(part, document, files);
  }
}
