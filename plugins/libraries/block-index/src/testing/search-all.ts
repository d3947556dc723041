import { Matches } from '../match/matches.ts';
import type { DocumentQuery, SearchPlace } from '../match/query.ts';
import { search } from '../match/search.ts';
import type { SearchOptions } from '../match/search.ts';

/** All matches of a query at once. */
export const searchAll = (place: SearchPlace, query: DocumentQuery, options: SearchOptions = {}): Matches =>
  Matches.concat([...search(place, query, options)]);
