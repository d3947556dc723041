import type { Query } from '@sextant/library-block-index';
import type { FileQuery, Term } from '../pool/protocol.ts';

/** The same for the index, which searches negations only beside something to look for. `query` has only `text` leaves. */
export function engineQuery(query: FileQuery, terms: readonly Term[]): Query | undefined {
  if (query.kind === 'text') return terms[query.term];
  if (query.kind !== 'and' && query.kind !== 'or') return undefined;
  const parts = query.children.map((child) => {
    if (child.kind !== 'not' || query.kind === 'or') return engineQuery(child, terms);
    const inner = engineQuery(child.child, terms);
    return inner && { not: inner };
  });
  if (!parts.every((part) => part !== undefined) || parts.every((part) => 'not' in part)) return undefined;
  return query.kind === 'and' ? { and: parts } : { or: parts };
}

/** The terms that are not negated, or twice: what can be shown of files that match. */
export function positiveTerms(query: FileQuery, terms: readonly Term[]): Term[] {
  return [...positiveNumbers(query)].flatMap((number) => terms[number] ?? []);
}

function positiveNumbers(query: FileQuery, isNegated = false, found = new Set<number>()): Set<number> {
  if (query.kind === 'text' && !isNegated) found.add(query.term);
  if (query.kind === 'not') positiveNumbers(query.child, !isNegated, found);
  if (query.kind === 'and' || query.kind === 'or')
    for (const child of query.children) positiveNumbers(child, isNegated, found);
  return found;
}

/** Whether some of the terms that are shown are no more in what is left of a query, which the index can search. */
export const lacksTerms = (
  rest: FileQuery,
  terms: readonly Term[],
  shown: { readonly terms: readonly Term[] },
): boolean => engineQuery(rest, terms) !== undefined && positiveTerms(rest, terms).length < shown.terms.length;
