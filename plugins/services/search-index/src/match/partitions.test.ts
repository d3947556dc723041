import { BitSet } from '@sextant/library-block-index';
import { describe, expect, test } from 'vitest';
import type { FileQuery } from './job.ts';
import { groupFiles, isTrueWithoutContent } from './partitions.ts';

describe('a set of numbers', () => {
  const of = (...numbers: number[]): BitSet => {
    const bits = new BitSet(70);
    for (const n of numbers) bits.add(n);
    return bits;
  };

  test('has the operations of sets', () => {
    expect([...of(1, 31, 32, 69)]).toEqual([1, 31, 32, 69]);
    expect(of(1, 31, 32, 69).count).toBe(4);
    expect([...of(1, 2).or(of(2, 40))]).toEqual([1, 2, 40]);
    expect([...of(1, 2).and(of(2, 40))]).toEqual([2]);
    expect([...BitSet.all(70).without(of(0, 69))]).toEqual(Array.from({ length: 68 }, (_, i) => i + 1));
    expect([BitSet.all(70).count, BitSet.all(64).count, new BitSet(70).isEmpty, of(3).has(3), of(3).has(4)]).toEqual([
      70,
      64,
      true,
      true,
      false,
    ]);
  });
});

describe('what paths decide of a query', () => {
  const terms = ['foo', 'bar'].map((literal) => ({ literal }));
  const text = (term: number): FileQuery => ({ kind: 'text', term: terms[term] ?? { literal: '' } });
  const path = (regex: string): FileQuery => ({ kind: 'path', term: { regex }, scope: 'file' });
  const paths = ['src/a.ts', 'src/b.go', 'docs/foo.md'];
  const groups = (query: FileQuery): [number[], FileQuery][] | undefined =>
    groupFiles(query, BitSet.all(3), (leaf) => {
      const bits = new BitSet(3);
      const pattern = 'regex' in leaf.term ? leaf.term.regex : String(leaf.term.literal);
      paths.forEach((each, i) => each.includes(pattern) && bits.add(i));
      return bits;
    })?.map(({ files, rest }) => [[...files], rest]);

  test('is put in, and files with the same rest are one group', () => {
    expect(groups({ kind: 'and', children: [path('src'), text(0)] })).toEqual([[[0, 1], text(0)]]);
    expect(groups({ kind: 'or', children: [path('.md'), { kind: 'not', child: text(1) }] })).toEqual([
      [[0, 1], { kind: 'not', child: text(1) }],
      [[2], { kind: 'all' }],
    ]);
  });

  test('has no group where a filter leaves all out', () => {
    const filtered: FileQuery = { kind: 'and', children: [text(0), path('docs')] };
    expect(groups(filtered)).toEqual([[[2], { kind: 'all' }]]);
    expect(groups({ kind: 'or', children: [filtered, { kind: 'and', children: [path('.ts'), text(1)] }] })).toEqual([
      [[0], text(1)],
      [[2], { kind: 'all' }],
    ]);
  });

  test('a word in the path counts as found', () => {
    expect(groups({ kind: 'and', children: [text(0), text(1)] })).toEqual([
      [[0, 1], { kind: 'and', children: [text(0), text(1)] }],
      [[2], text(1)],
    ]);
  });

  test('a file without text has no word', () => {
    expect(isTrueWithoutContent(text(0))).toBe(false);
    expect(isTrueWithoutContent({ kind: 'not', child: text(0) })).toBe(true);
    expect(isTrueWithoutContent({ kind: 'or', children: [text(0), { kind: 'not', child: text(1) }] })).toBe(true);
  });
});
