import { Matches, search, searchDocuments } from '@sextant/library-block-index';
import type { Query, SearchPlace } from '@sextant/library-block-index';
import type { Source } from '../snapshot/attached-snapshot.ts';
import { Bits } from './bits.ts';
import { engineQuery } from './engine-query.ts';
import type { FileQuery, Term } from '../pool/protocol.ts';

export interface ContentSearch {
  readonly place: SearchPlace;
  readonly terms: readonly Term[];
  readonly checkpoint: () => void;
}

/** The documents among `allowed` that match any combination. `query` has only `text` leaves, and is not decided. */
export function* documentsOf(searching: ContentSearch, query: FileQuery, allowed: Bits): Generator<void, Bits> {
  const engine = engineQuery(query, searching.terms);
  if (engine) return yield* documentsWith(searching, engine, allowed);
  switch (query.kind) {
    case 'not':
      return allowed.without(yield* documentsOf(searching, query.child, allowed));
    case 'and': {
      let left = allowed;
      for (const child of query.children) if (!left.isEmpty) left = yield* documentsOf(searching, child, left);
      return left;
    }
    case 'or': {
      let found = new Bits(allowed.size);
      for (const child of query.children)
        found = found.or(yield* documentsOf(searching, child, allowed.without(found)));
      return found;
    }
    default:
      throw new Error(`a query of the kind ${query.kind} is decided before content is searched`);
  }
}

function* documentsWith({ place, checkpoint }: ContentSearch, query: Query, allowed: Bits): Generator<void, Bits> {
  const found = new Bits(allowed.size);
  for (const matches of search(place, query, { documents: allowed.bytes, checkpoint })) {
    for (const document of matches.documents()) found.add(document);
    yield;
  }
  return found;
}

/** The matches in one document, to be kept. */
export const matchesIn = ({ slice, document }: Source, query: Query, checkpoint: () => void): Matches =>
  slice.within((place) => {
    const [matches] = searchDocuments(place, query, { documents: Uint32Array.of(document), checkpoint });
    return matches?.copy() ?? new Matches();
  });
