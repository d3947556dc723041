import type { AttachedSnapshot } from '../snapshot/attached-snapshot.ts';
import type { FileWorth } from './file-worth.ts';
import type { Piece, PieceOfPart } from '../match/pieces.ts';

/** What the best of so many documents may be worth is found out in less time than they are looked at; of more, one mostly may be worth as much as any. */
export const fewDocuments = 512;

/** The most that files of a view may be worth, before their text is seen. */
export class PieceBounds {
  readonly #view: AttachedSnapshot;
  readonly #worth: FileWorth;

  constructor(view: AttachedSnapshot, worth: FileWorth) {
    this.#view = view;
    this.#worth = worth;
  }

  of({ part, ...piece }: Piece): number {
    const most = this.#worth.mostOfNamed(piece.named);
    if (piece.named > 0 || !part || part.handle.documents > fewDocuments) return most;
    const ofPart = { ...piece, part };
    let bound = 0;
    for (const document of this.#view.documentsOf(part, piece.files).numbers()) {
      bound = Math.max(bound, this.ofDocument(ofPart, document));
      if (bound === most) break;
    }
    return bound;
  }

  /** Of a document in which no more texts stand in a row. */
  ofDocument(piece: PieceOfPart, document: number, inRow?: number): number {
    const { fileStarts, filesOf } = this.#view.handle;
    const at = piece.part.handle.base + document;
    const signs = this.#worth.signsOf(piece.part, document, inRow);
    let bound = 0;
    // Without an object for each file: all documents may be asked for.
    for (let i = fileStarts[at] ?? 0, end = fileStarts[at + 1] ?? 0; i < end; i += 1) {
      const file = filesOf[i] ?? 0;
      if (piece.files !== this.#view.everyFile && !piece.files.has(file)) continue;
      bound = Math.max(bound, this.#worth.mostOf(file, piece.named > 0, signs));
    }
    return bound;
  }
}
