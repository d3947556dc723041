import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseQuery } from './parse.ts';
import { printQuery } from './print.ts';
import { simplify } from './algebra.ts';
import { QuerySyntaxError } from './syntax-error.ts';
import type { Query, QueryOptions } from './query.ts';

const text = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(...'abc"\\/()-: \t\n@OR.é𝒳') });
const pattern = fc
  .array(fc.constantFrom('a', 'b+', '.', '/', ' ', '(c|d)', String.raw`\\`, String.raw`\.`, '"', '[)]'), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(''));
const revision = fc.stringMatching(/^[a-z0-9@~^/.-]{1,8}$/);

const leaf: fc.Arbitrary<Query> = fc.oneof(
  fc.record({ kind: fc.constant('literal' as const), text, isCaseSensitive: fc.boolean() }),
  fc.record({ kind: fc.constant('regex' as const), pattern, isCaseSensitive: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('file' as const, 'repo-has-path' as const), pattern: text }),
  fc.record({ kind: fc.constant('repo' as const), pattern: fc.stringMatching(/^[a-z^$./\\"-]{1,8}$/) }),
  fc.record({ kind: fc.constant('lang' as const), name: fc.stringMatching(/^[a-z+# ]{1,8}$/) }),
  fc.record({ kind: fc.constant('repo-has-topic' as const), name: fc.stringMatching(/^[a-z+# -]{1,8}$/) }),
  fc.record({
    kind: fc.constant('stars' as const),
    bound: fc.constantFrom('least' as const, 'below' as const),
    value: fc.nat(10_000),
  }),
  fc.record({
    kind: fc.constant('pushed' as const),
    bound: fc.constantFrom('least' as const, 'below' as const),
    value: fc.integer({ min: 0, max: 2_000_000_000 }).map((seconds) => new Date(seconds * 1000).toISOString()),
  }),
  fc.record({
    kind: fc.constantFrom('fork' as const, 'archived' as const),
    value: fc.constantFrom('yes' as const, 'no' as const, 'only' as const),
  }),
);
const rev: fc.Arbitrary<Query> = fc.record({
  kind: fc.constant('rev' as const),
  revisions: fc.array(revision, { minLength: 1, maxLength: 3 }),
});

const { query } = fc.letrec<{ query: Query; positive: Query }>((tie) => ({
  positive: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      children: fc.array(tie('positive'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('not' as const), child: tie('positive') }),
  ),
  query: fc.oneof(
    { maxDepth: 3 },
    tie('positive'),
    rev,
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      children: fc.array(tie('query'), { minLength: 1, maxLength: 3 }),
    }),
  ),
}));

const options: fc.Arbitrary<QueryOptions> = fc.record(
  {
    count: fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.constant('all' as const)),
    types: fc.uniqueArray(fc.constantFrom('file' as const, 'path' as const, 'diff' as const)),
    select: fc.constantFrom('repo' as const, 'file' as const),
  },
  { requiredKeys: ['types'] },
);

test('parsing what was printed gives the same query', () => {
  fc.assert(
    fc.property(query, options, (random, chosen) => {
      const simple = simplify(random);
      const parsed = parseQuery(printQuery({ query: simple, options: chosen }));
      expect({ query: parsed.query, options: parsed.options }).toEqual({ query: simple, options: chosen });
    }),
    { numRuns: 2000 },
  );
});

test('what asks for commits and diffs is printed as well', () => {
  const text = 'type:diff (author:"a b" OR message:x) -line:y after:2026-01-01 diff:removed';
  expect(printQuery(parseQuery(text))).toBe(text);
});

test('any text parses or is refused with a place inside it', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 60, unit: fc.constantFrom(...'ab"\\/()-: ORANDT repo:file:rev:case:yes\u{1F600}\u0000') }),
      (random) => {
        try {
          const first = parseQuery(random);
          expect(parseQuery(printQuery(first)).query).toEqual(first.query);
        } catch (error) {
          expect(error).toBeInstanceOf(QuerySyntaxError);
          expect((error as { position: number }).position).toBeLessThanOrEqual(random.length);
        }
      },
    ),
    { numRuns: 5000 },
  );
});
