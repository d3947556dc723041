import fc from 'fast-check';
import type { DocumentQuery } from '../match/query.ts';
import { naiveLiteral } from './naive.ts';
import type { Found } from './naive.ts';

const LITERALS = ['foo', 'bar', 'error', 'FOO', 'x', '42', 'é', '}\n', 'o', 'absent', 'foobar', '€', 'if (a) {'];

/** Combinations of literals, with negations only beside something else. */
export const combination: fc.Arbitrary<DocumentQuery> = fc.letrec<{ query: DocumentQuery }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(...LITERALS).map((literal) => ({ literal })),
    fc.array(tie('query'), { minLength: 1, maxLength: 3 }).map((or) => ({ or })),
    fc
      .tuple(fc.array(tie('query'), { minLength: 1, maxLength: 3 }), fc.array(tie('query'), { maxLength: 1 }))
      .map(([some, none]) => ({
        and: [...none.map((not) => ({ not })), ...some],
      })),
  ),
})).query;

/** The matches of a combination, from a plain scan for each literal. */
export function naiveQuery(documents: readonly Buffer[], query: DocumentQuery): Found[] {
  if ('literal' in query) return naiveLiteral(documents, Buffer.from(query.literal), false);
  if ('or' in query) return ordered(query.or.flatMap((part) => naiveQuery(documents, part)));
  if (!('and' in query)) throw new Error('not a combination');
  const some = query.and.flatMap((part) => ('not' in part ? [] : [naiveQuery(documents, part)]));
  const none = query.and.flatMap((part) => ('not' in part ? naiveQuery(documents, part.not) : []));
  const isIn = (found: readonly Found[], document: number): boolean =>
    found.some((match) => match.document === document);
  return ordered(
    some.flat().filter(({ document }) => some.every((part) => isIn(part, document)) && !isIn(none, document)),
  );
}

function ordered(found: readonly Found[]): Found[] {
  const sorted = found.toSorted((a, b) => a.start - b.start || a.end - b.end);
  return sorted.filter((match, i) => match.start !== sorted[i - 1]?.start || match.end !== sorted[i - 1]?.end);
}
