import fc from 'fast-check';
import { expect, test } from 'vitest';
import { searchAll, searchDocuments } from '../match/search.ts';
import { corpus } from '../testing/corpus.ts';
import { Places } from '../testing/places.ts';
import { runs } from '../testing/runs.ts';
import { countBlocks } from './count-blocks.ts';

const places = new Places();
const literal = fc.constantFrom('foo', 'bar', 'o', 'ba', 'deadlock', 'x', '\n');

function last<T>(steps: Generator<unknown, T>): T {
  for (let next = steps.next(); ; next = steps.next()) if (next.done === true) return next.value;
}

test('every document with a text has at least one block that is counted, and none has more than it has blocks', () => {
  fc.assert(
    fc.property(corpus, literal, (documents, text) => {
      places.both(documents, (place) => {
        const counts = last(countBlocks(place, { literal: text, foldCase: true }));
        expect(counts).toHaveLength(documents.length);
        for (const { document } of searchAll(place, { literal: text, foldCase: true }))
          expect(counts[document]).toBeGreaterThan(0);
        for (const [document, count] of counts.entries()) {
          const { from, to } = place.shard.documentBlocks(document);
          expect(count).toBeLessThanOrEqual(to - from);
        }
      });
    }),
    runs(60),
  );
});

test('a search in some documents finds what a search in all finds there', () => {
  fc.assert(
    fc.property(corpus, literal, fc.nat(), (documents, text, seed) => {
      const some = Uint32Array.from([...documents.keys()].filter((document) => (seed >> (document % 31)) & 1));
      places.both(documents, (place) => {
        const found = [...searchDocuments(place, { literal: text }, { documents: some })].flatMap((part) => [...part]);
        expect(found).toEqual(
          [...searchAll(place, { literal: text })].filter(({ document }) => some.includes(document)),
        );
      });
    }),
    runs(60),
  );
});
