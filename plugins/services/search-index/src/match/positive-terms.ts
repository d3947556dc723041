import type { Query, Term } from '@sextant/library-query';

/** What a query looks for: its terms that are not negated, or twice. */
export function positiveTerms(query: Query, isNegated = false): Term[] {
  if (query.kind === 'not') return positiveTerms(query.child, !isNegated);
  if (query.kind === 'and' || query.kind === 'or')
    return query.children.flatMap((child) => positiveTerms(child, isNegated));
  return !isNegated && (query.kind === 'literal' || query.kind === 'regex') ? [query] : [];
}
