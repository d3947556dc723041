import type { Query, Term } from '@sextant/library-query';

/** What a query looks for: its terms that are not negated. */
export function positiveTerms(query: Query): Term[] {
  if (query.kind === 'and' || query.kind === 'or') return query.children.flatMap(positiveTerms);
  return query.kind === 'literal' || query.kind === 'regex' ? [query] : [];
}
