import { SearchTerms, termsNeeded } from '@sextant/library-keyword-search';
import { shownTerms } from '../match/evaluate.ts';
import type { FileQuery } from '../match/job.ts';

const known = new WeakMap<FileQuery, SearchTerms>();

/** Memoized, as most snapshots of a job have the same query. */
export function searchTermsOf(query: FileQuery): SearchTerms {
  const terms = known.get(query) ?? new SearchTerms(shownTerms(query), termsNeeded(query));
  known.set(query, terms);
  return terms;
}
