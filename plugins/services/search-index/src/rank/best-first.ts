import { visitByBound } from '@sextant/library-block-index';
import type { Literal, Query, Regex, SearchPlace, Visit } from '@sextant/library-block-index';
import type { AttachedSnapshot } from '../snapshot/attached-snapshot.ts';
import type { Bits } from '../match/bits.ts';
import type { FileWorth } from './file-worth.ts';
import type { FoundFiles } from '../show/found-files.ts';
import type { Hopes } from './hopes.ts';
import { fewDocuments } from './piece-bounds.ts';
import type { PieceBounds } from './piece-bounds.ts';
import type { PieceOfPart } from '../match/pieces.ts';
import type { Job, JobView } from '../pool/protocol.ts';

type HopefulWith = NonNullable<Visit['isHopefulWith']>;

/** A search that goes on. */
export interface Searching {
  readonly job: Job;
  readonly found: FoundFiles;
  readonly checkpoint: () => void;
}

interface Order {
  readonly jobView: JobView;
  readonly searching: Searching;
  readonly worth: FileWorth;
  readonly bounds: PieceBounds;
}

/** Some documents of a piece, and what is done with those that match. */
export interface Visited extends Pick<Visit, 'take' | 'isPromising' | 'isWholeWord' | 'leavesMore'> {
  readonly piece: PieceOfPart;
  readonly documents: Bits;
  /** What is known of them, and is found out. */
  readonly hopes: Hopes;
  /** Whether those that match are looked at a second time. */
  readonly isVisitedAgain?: boolean;
}

/** Goes through documents of a view, those first that may be worth most, and leaves those that cannot be among the best. */
export class BestFirst {
  readonly #view: AttachedSnapshot;
  readonly #order: Order;

  constructor(view: AttachedSnapshot, order: Order) {
    this.#view = view;
    this.#order = order;
  }

  visit(
    place: SearchPlace,
    query: Query,
    { piece, documents, hopes, isVisitedAgain = false, ...tell }: Visited,
  ): Generator<void> {
    const { searching, jobView, worth, bounds } = this.#order;
    const { job, found, checkpoint } = searching;
    const { target } = jobView;
    const firstFile = (document: number): number => this.#firstFile(piece, document);
    const isHopefulWith = (text: Literal | Regex, isLast: boolean): ReturnType<HopefulWith> => {
      if (!found.areFew || (isLast && !isVisitedAgain)) return undefined;
      return (document, matches) => {
        if (!isVisitedAgain && found.wants(0, target)) return true;
        const inRow = hopes.with(document, text, matches);
        return found.wants(bounds.ofDocument(piece, document, inRow), target, firstFile(document));
      };
    };
    return visitByBound(place, query, {
      documents: documents.bytes,
      likely: () =>
        documents.count > fewDocuments ? worth.likely(piece, (bound) => found.wants(bound, target)) : undefined,
      checkpoint,
      boundOf: (document) => bounds.ofDocument(piece, document, hopes.of(document)),
      rankOf: firstFile,
      isWanted: (bound, document) => found.wants(bound, target, firstFile(document)),
      linesOfEach: job.limits.linesPerFile,
      isOnlyCounted: (bound, document) => !found.hasPlace(bound, target, firstFile(document)),
      isHopefulWith,
      ...tell,
    });
  }

  #firstFile({ part }: PieceOfPart, document: number): number {
    const { fileStarts, filesOf } = this.#view.handle;
    return filesOf[fileStarts[part.handle.base + document] ?? 0] ?? 0;
  }
}
