import type { Query, QueryTerm } from '@sextant/contracts';

/** What a query looks for: its terms that are not negated, or twice. */
export function positiveTerms(query: Query, isNegated = false): QueryTerm[] {
  if (query.kind === 'not') return positiveTerms(query.child, !isNegated);
  if (query.kind === 'and' || query.kind === 'or')
    return query.children.flatMap((child) => positiveTerms(child, isNegated));
  return !isNegated && (query.kind === 'literal' || query.kind === 'regex') ? [query] : [];
}
