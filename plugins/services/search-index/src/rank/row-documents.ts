import { search } from '@sextant/library-block-index';
import type { Query, SearchPlace } from '@sextant/library-block-index';
import type { AttachedSlice } from '../snapshot/attached-snapshot.ts';
import { Bits } from '../match/bits.ts';
import type { PieceOfPart } from '../match/pieces.ts';
import type { TextsWorth } from './texts-worth.ts';

/** Which documents have texts side by side as they are searched, all or all but one of them: the index tells it in little time, and mostly they are the best. */
export class RowDocuments {
  readonly #query: Query | undefined;
  readonly #checkpoint: () => void;
  readonly #known = new Map<AttachedSlice, Bits>();

  constructor(texts: TextsWorth, checkpoint: () => void) {
    const phrases = texts.words.phrases();
    this.#query = phrases.length === 0 ? undefined : { or: phrases.map((literal) => ({ literal, foldCase: true })) };
    this.#checkpoint = checkpoint;
  }

  get areAny(): boolean {
    return this.#query !== undefined;
  }

  /** Those of some documents that a piece means. */
  *among(documents: Bits, place: SearchPlace, { part, hasRow }: PieceOfPart): Generator<void, Bits> {
    if (hasRow === undefined || !this.#query) return documents;
    const known = this.#known.get(part) ?? (yield* this.#find(place, this.#query));
    this.#known.set(part, known);
    return hasRow ? documents.and(known) : documents.without(known);
  }

  *#find(place: SearchPlace, query: Query): Generator<void, Bits> {
    const found = new Bits(place.shard.documents);
    for (const matches of search(place, query, { checkpoint: this.#checkpoint })) {
      for (const document of matches.documents()) found.add(document);
      yield;
    }
    return found;
  }
}
