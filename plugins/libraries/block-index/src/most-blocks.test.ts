import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blocksOf, compiledTerm } from './compiled-term.ts';
import { mostBlocks } from './most-blocks.ts';
import { searchAll } from './search.ts';
import { corpus } from './testing/corpus.ts';
import { Places } from './testing/places.ts';
import { runs } from './testing/runs.ts';

const places = new Places();
const part = fc.constantFrom('foo', 'bar', 'o', 'ba', 'deadlock', 'x', 'lock', ' ');
const text = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));

test('a text that is somewhere has a block, and never more than its rarest trigram', () => {
  fc.assert(
    fc.property(corpus, text, (documents, literal) => {
      places.both(documents, (place) => {
        const query = { literal, foldCase: true };
        const most = mostBlocks(place, query);
        expect(most).toBeLessThanOrEqual(blocksOf(compiledTerm(query).plansFor(place.shard), place.shard));
        if (searchAll(place, query).length > 0) expect(most).toBeGreaterThan(0);
      });
    }),
    runs(60),
  );
});

test('a text whose trigrams stand in different blocks has none', () => {
  const filler = 'nothing to be seen here but words that go on and on\n'.repeat(100);
  const documents = ['abcd', 'bcde', 'cdef', 'abcd'].map((word) => Buffer.from(`${word}\n${filler}`));
  places.both(documents, (place) => {
    const most = (literal: string): number => mostBlocks(place, { literal });
    expect(['abcd', 'abcde', 'bcdef', 'abcdef', 'cdef'].map(most)).toEqual([2, 0, 0, 0, 1]);
    expect(mostBlocks(place, { regex: '[a]bcdef' })).toBe(0);
  });
});
