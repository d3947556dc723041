import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluate, leavesOf, simplify } from './algebra.ts';
import type { Algebra } from './algebra.ts';

interface Letter {
  readonly kind: 'a' | 'b' | 'c';
}

const letter = fc.record<Letter>({ kind: fc.constantFrom('a', 'b', 'c') });
const { query } = fc.letrec<{ query: Algebra<Letter> }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 4 },
    letter,
    fc.record({ kind: fc.constantFrom('all' as const, 'none' as const) }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      children: fc.array(tie('query'), { maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('not' as const), child: tie('query') }),
  ),
}));
const values = fc.record({ a: fc.boolean(), b: fc.boolean(), c: fc.boolean() });

function isTrue(asked: Algebra<Letter>, known: Record<Letter['kind'], boolean>): boolean {
  switch (asked.kind) {
    case 'all':
    case 'none':
      return asked.kind === 'all';
    case 'and':
      return asked.children.every((child) => isTrue(child, known));
    case 'or':
      return asked.children.some((child) => isTrue(child, known));
    case 'not':
      return !isTrue(asked.child, known);
    default:
      return known[asked.kind];
  }
}

test('where all leaves are known, a query is true or false', () => {
  fc.assert(
    fc.property(query, values, (asked, known) => {
      const kind = isTrue(asked, known) ? 'all' : 'none';
      expect(evaluate(asked, (leaf) => known[leaf.kind])).toEqual({ kind });
    }),
  );
});

test('what is left has only unknown leaves, and is true where the query is', () => {
  fc.assert(
    fc.property(query, values, (asked, known) => {
      const left = evaluate(asked, ({ kind }) => (kind === 'a' ? known.a : undefined));
      expect(leavesOf(left).map(({ leaf }) => leaf.kind)).not.toContain('a');
      expect(isTrue(left, known)).toBe(isTrue(asked, known));
      expect(simplify(left)).toEqual(left);
    }),
  );
});

test('leaves come in order, each with whether it is negated', () => {
  const [a, b, c] = (['a', 'b', 'c'] as const).map((kind): Letter => ({ kind }));
  if (!a || !b || !c) throw new Error('there are three');
  const asked: Algebra<Letter> = {
    kind: 'and',
    children: [a, { kind: 'not', child: { kind: 'or', children: [b, { kind: 'not', child: c }] } }],
  };
  expect(leavesOf(asked)).toEqual([
    { leaf: a, isNegated: false },
    { leaf: b, isNegated: true },
    { leaf: c, isNegated: false },
  ]);
});
