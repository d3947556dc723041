import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Arena } from '../kernel/arena.ts';
import { expression } from '../testing/expression.ts';
import { runs } from '../testing/runs.ts';
import { Workspace } from '../workspace.ts';
import { LineMatcher } from './patterns.ts';

const workspace = new Workspace(Arena.create(32 << 20));
const line = fc.string({
  unit: fc.constantFrom('a', 'b', 'A', '_', '1', ' ', '.', 'é', 'ß', '€', '😀'),
  maxLength: 24,
});

/** The matches that JavaScript finds, in bytes. */
function wanted(text: string, regex: RegExp): [number, number][] {
  const bytes = (length: number): number => Buffer.byteLength(text.slice(0, length));
  return [...text.matchAll(regex)]
    .filter(([match]) => match !== '')
    .map(({ 0: match, index }) => [bytes(index), bytes(index + match.length)]);
}

test('the matches of a line are those of a plain search', () => {
  fc.assert(
    fc.property(
      expression,
      fc.boolean(),
      fc.array(line, { minLength: 4, maxLength: 4 }),
      ({ re2, js }, foldCase, lines) => {
        const matcher = new LineMatcher(workspace, re2, { foldCase });
        try {
          for (const text of lines) {
            const regex = new RegExp(js, foldCase ? 'giu' : 'gu');
            expect(matcher.ranges(Buffer.from(text)), `${re2} ${text}`).toEqual(wanted(text, regex));
            for (const each of [text, Buffer.from(text)])
              expect(matcher.test(each), `${re2} ${text}`).toBe(text.search(regex) >= 0);
          }
        } finally {
          matcher.release();
        }
      },
    ),
    runs(300),
  );
});

test('a released matcher gives its memory back', () => {
  const before = workspace.arena.taken;
  new LineMatcher(workspace, 'a+b').release();
  expect(() => new LineMatcher(workspace, 'a(')).toThrow();
  expect(workspace.arena.taken).toBe(before);
});
