import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { List } from '../format/shard.ts';
import { blocksOf, compiledTerm } from '../match/compiled-term.ts';
import type { SearchPlace } from '../match/query.ts';
import { searchAll } from '../match/search.ts';
import { corpus } from '../testing/corpus.ts';
import { Places } from '../testing/places.ts';
import { runs } from '../testing/runs.ts';
import { mostBlocks } from './most-blocks.ts';

const places = new Places();
const part = fc.constantFrom('foo', 'bar', 'o', 'ba', 'deadlock', 'x', 'lock', ' ');
const text = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));

test('a text that is somewhere has a block, and never more than its rarest trigram', () => {
  fc.assert(
    fc.property(corpus, text, (documents, literal) => {
      places.both(documents, (bare, mode) => {
        const place = { ...bare, text: mode === 'resident' ? bare.content.placeDocument(0) : 0 };
        const query = { literal, foldCase: true };
        const most = mostBlocks(place, query);
        expect(most).toBeLessThanOrEqual(blocksOf(compiledTerm(query).plansFor(place.shard), place.shard));
        // What is looked at in memory is told for sure.
        const isThere = searchAll(place, query).length > 0;
        const isLookedAt = place.text !== 0 && literal.length >= 3 && most <= 32;
        if (isThere || isLookedAt) expect(most > 0).toBe(isThere);
      });
    }),
    runs(60),
  );
});

test('of several shards one after the other it tells as many blocks as are in all lists of each', () => {
  fc.assert(
    fc.property(fc.array(corpus, { minLength: 2, maxLength: 4 }), text, (shards, literal) => {
      const query = { literal, foldCase: true };
      for (const documents of shards)
        places.both(documents, (place) => {
          const { plan } = compiledTerm(query).plansFor(place.shard);
          if (plan.kind !== 'intersection' || plan.bigrams.length > 0) return;
          const [first, ...others] = plan.lists.map((list) => idsOf(place, list));
          const inAll = first?.filter((id) => others.every((ids) => ids.includes(id)));
          expect(mostBlocks(place, query, Infinity)).toBe(inAll?.length);
        });
    }),
    runs(60),
  );
});

function idsOf({ workspace, shard }: SearchPlace, { at, count }: List): number[] {
  const { arena, kernel, records } = workspace;
  return [...arena.words(records, kernel.decodeRange(at, count, 0, shard.blocks, records))];
}

test('a text whose trigrams stand in different blocks has none', () => {
  const filler = 'nothing to be seen here but words that go on and on\n'.repeat(100);
  const documents = ['abcd', 'bcde', 'cdef', 'abcd'].map((word) => Buffer.from(`${word}\n${filler}`));
  places.both(documents, (place) => {
    const most = (literal: string): number => mostBlocks(place, { literal });
    expect(['abcd', 'abcde', 'bcdef', 'abcdef', 'cdef'].map(most)).toEqual([2, 0, 0, 0, 1]);
    expect(mostBlocks(place, { regex: '[a]bcdef' })).toBe(0);
    expect(mostBlocks(place, { regex: 'abcd.*(on|off).*cdef' })).toBe(0);
    expect(mostBlocks(place, { regex: 'abcd.*(on|off)' })).toBe(2);
  });
});
