import { visitByBound } from '@sextant/library-block-index';
import type { Matches, Query, SearchPlace, Visit } from '@sextant/library-block-index';
import type { AttachedPart } from './attached-part.ts';
import type { AttachedView } from './attached-view.ts';
import { Bits } from './bits.ts';
import { documentsOf } from './content-search.ts';
import { engineQuery, positiveTerms } from './engine-query.ts';
import { FileWorth } from './file-worth.ts';
import type { FoundFiles } from './found-files.ts';
import { firstMatches, hasLongLine, summarize } from './hit.ts';
import { Hopes } from './hopes.ts';
import { LinesWorth } from './lines-worth.ts';
import { MatchingFiles } from './matching-files.ts';
import { fewDocuments, PieceBounds } from './piece-bounds.ts';
import { piecesOf } from './pieces.ts';
import type { Piece, PieceOfPart } from './pieces.ts';
import type { Job, JobView } from './protocol.ts';
import { textsOf } from './texts-worth.ts';
import type { TextsWorth } from './texts-worth.ts';
import { truthOf } from './truth.ts';

interface Searching {
  readonly job: Job;
  readonly found: FoundFiles;
  readonly checkpoint: () => void;
}

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
  /** Is told which documents match. */
  readonly seen?: Bits;
  /** Whether the files of these documents are counted already. */
  readonly areCounted?: boolean;
}

const noLines = { lineCount: 0, isCut: false, defined: 0, query: undefined };

/** The search of one view for a job: it finds files, rates them, and leaves those that cannot be among the best. */
export class ViewSearch {
  readonly jobView: JobView;
  readonly #view: AttachedView;
  readonly #searching: Searching;
  readonly #texts: TextsWorth;
  readonly #worth: FileWorth;
  readonly #bounds: PieceBounds;

  constructor(view: AttachedView, jobView: JobView, searching: Searching) {
    this.#view = view;
    this.jobView = jobView;
    this.#searching = searching;
    this.#texts = textsOf(jobView.query, searching.job.terms);
    this.#worth = new FileWorth(view, this.#texts, searching);
    this.#bounds = new PieceBounds(view, this.#worth);
  }

  *pieces(): Generator<void, Piece[]> {
    const [view, { job, checkpoint }, { query, pieces: wanted }] = [this.#view, this.#searching, this.jobView];
    const pieces = yield* piecesOf(view, query, {
      truth: truthOf(view, job, checkpoint),
      matching: () => new MatchingFiles({ view, job, checkpoint }).find(query, view.everyFile),
      wantsPathsOnly: job.wantsPathsOnly,
      namesOf: (files) => this.#worth.levelsOf(files),
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
    const isAll = positiveTerms(piece.rest, job.terms).length === this.#texts.terms.length;
    if (engine && isAll) yield* this.#visit(place, engine, { piece, documents });
    else if (engine) yield* this.#visitTwice(place, engine, { piece, documents });
    else {
      const found = yield* documentsOf({ place, terms: job.terms, checkpoint }, piece.rest, documents);
      yield* this.#takeAll(place, piece, found);
    }
  }

  /** Documents that match whatever their text has of the terms: it is shown. */
  *#takeAll(place: SearchPlace, piece: PieceOfPart, documents: Bits): Generator<void> {
    const seen = new Bits(documents.size);
    if (this.#texts.terms.length > 0) yield* this.#visit(place, { or: this.#texts.terms }, { piece, documents, seen });
    for (const document of documents.without(seen).numbers())
      for (const file of this.#filesOf(piece, document)) this.#takeByPath(file, { part: piece.part, document });
  }

  *#visit(place: SearchPlace, query: Query, { seen, areCounted = false, ...visited }: Visited): Generator<void> {
    const leavesMore = this.#searching.found.areFew && !areCounted;
    const hopes = new Hopes(this.#texts, place.content);
    yield* this.#visitWith(place, query, {
      ...visited,
      leavesMore,
      isPromising: (document, matches) => this.#isPromising(place, { piece: visited.piece, document }, matches),
      isHopefulWith: (text) => (document, matches) => {
        if (this.canBeWanted(0)) return true;
        const bound = this.#bounds.ofDocument(visited.piece, document, hopes.inRow(document, text, matches));
        return this.#searching.found.wants(bound, this.jobView.target, this.#firstFile(visited.piece, document));
      },
      take: (document, matches, more) => {
        seen?.add(document);
        const isCut = leavesMore && more > 0;
        this.#take(place, { piece: visited.piece, document, query, more, isCut, isCounted: areCounted }, matches);
      },
    });
  }

  /** Texts that a path has need not be in its document; where they are tells how good it is, if it may be among the best. */
  *#visitTwice(place: SearchPlace, query: Query, { piece, documents }: Visited): Generator<void> {
    let again = new Bits(documents.size);
    const take = (document: number, matches: Matches, more: number): void => {
      // A very long line is shown around what its path lacks.
      if (hasLongLine(matches))
        this.#take(place, { piece, document, query, more, isCut: false, isCounted: false }, matches);
      else if (this.#count({ ...piece, document }, summarize(matches).lineCount + more)) again.add(document);
    };
    const lookAgain = (): Generator<void> => {
      const some = again;
      again = new Bits(documents.size);
      return this.#visit(place, { or: this.#texts.terms }, { piece, documents: some, areCounted: true });
    };
    for (const step of this.#visitWith(place, query, { piece, documents, take })) {
      yield step;
      if (!again.isEmpty) yield* lookAgain();
    }
    if (!again.isEmpty) yield* lookAgain();
  }

  #visitWith(
    place: SearchPlace,
    query: Query,
    { piece, documents, ...tell }: Visited & Pick<Visit, 'take' | 'isPromising' | 'isHopefulWith' | 'leavesMore'>,
  ): Generator<void> {
    const { job, found, checkpoint } = this.#searching;
    const { target } = this.jobView;
    return visitByBound(place, query, {
      documents: documents.bytes,
      likely: () =>
        documents.count > fewDocuments ? this.#worth.likely(piece, this.canBeWanted.bind(this)) : undefined,
      checkpoint,
      boundOf: (document) => this.#bounds.ofDocument(piece, document),
      rankOf: (document) => this.#firstFile(piece, document),
      isWanted: (bound, document) => found.wants(bound, target, this.#firstFile(piece, document)),
      linesOfEach: job.limits.linesPerFile,
      isOnlyCounted: (bound, document) => !found.hasPlace(bound, target, this.#firstFile(piece, document)),
      ...tell,
    });
  }

  /** Whether a file of a document would be among the best if nothing excluded it; while it is not known that there are more of them, all would. */
  #isPromising(place: SearchPlace, { piece, document }: PlaceInPiece, matches: Matches): boolean {
    const [{ found }, { target }] = [this.#searching, this.jobView];
    if (found.wants(0, target)) return true;
    const lines = this.#linesOf(place, { piece, document }, matches);
    const isWanted = (file: number, best: number): boolean =>
      found.wants(this.#worth.of(file, lines.lineCount, best), target, file);
    return this.#filesOf(piece, document).some((file) => isWanted(file, lines.most) && isWanted(file, lines.best));
  }

  /** Counts the files of a document; whether one of them may be among the best. */
  #count({ document, ...piece }: DocumentOfPiece, lineCount: number): boolean {
    const { found } = this.#searching;
    let hasPlace = false;
    for (const file of this.#filesOf(piece, document)) {
      found.count(lineCount);
      hasPlace ||= found.hasPlace(this.#worth.mostOf(file), this.jobView.target, file);
    }
    return hasPlace;
  }

  #take(place: SearchPlace, { piece, document, ...matching }: MatchingDocument, matches: Matches): void {
    const { found, job } = this.#searching;
    const { target } = this.jobView;
    const { query, more, isCut, isCounted } = matching;
    const lines = this.#linesOf(place, { piece, document }, matches);
    const lineCount = lines.lineCount + more;
    for (const file of this.#filesOf(piece, document)) {
      if (!isCounted) found.count(lineCount);
      if (!found.hasPlace(this.#worth.of(file, lineCount, lines.most), target, file)) continue;
      const score = this.#worth.of(file, lineCount, lines.best);
      if (!found.hasPlace(score, target, file)) continue;
      const keep = (): Matches =>
        firstMatches(matches, found.linesToKeep(lineCount, job.limits.linesPerFile), lines.rows);
      const [view, texts, source] = [this.#view, this.#texts, { part: piece.part, document }];
      const ranked = { view, target, file, texts, defined: lines.defined, source, lineCount, isCut, query, score };
      found.add(ranked, isCut ? undefined : keep);
    }
  }

  #linesOf({ content }: SearchPlace, { piece, document }: PlaceInPiece, matches: Matches): LinesWorth {
    const { lineCharacters } = this.#searching.job.limits;
    const defined = this.#worth.definedIn(piece.part, document);
    return new LinesWorth(matches, this.#texts, { content, lineCharacters, defined });
  }

  #takeByPath(file: number, source: { part: AttachedPart; document: number } | undefined): void {
    const [{ found }, { target }, view, texts] = [this.#searching, this.jobView, this.#view, this.#texts];
    found.count(0);
    if (!found.hasPlace(this.#worth.mostOfPath(file), target, file)) return;
    const score = this.#worth.ofPath(file);
    if (!found.hasPlace(score, target, file)) return;
    found.add({ ...noLines, view, target, file, texts, source, score });
  }

  #firstFile({ part }: PieceOfPart, document: number): number {
    const { fileStarts, filesOf } = this.#view.handle;
    return filesOf[fileStarts[part.handle.base + document] ?? 0] ?? 0;
  }

  #filesOf({ part, files }: PieceOfPart, document: number): readonly number[] {
    return this.#view.filesOf(part, document, files);
  }
}
