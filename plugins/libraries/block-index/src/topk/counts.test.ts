import fc from 'fast-check';
import { expect, test } from 'vitest';
import { QueryError } from '../errors.ts';
import type { SearchPlace } from '../match/query.ts';
import { searchDocuments } from '../match/search.ts';
import { searchAll } from '../testing/search-all.ts';
import { corpus } from '../testing/corpus.ts';
import { Places } from '../testing/places.ts';
import { runs } from '../testing/runs.ts';
import { countBlocks, countMatches } from './counts.ts';

const places = new Places();

const literal = fc.constantFrom('foo', 'bar', 'o', 'ba', 'deadlock', 'x', 'ß');
const insideWord = 0.5;

const everyDocument = ({ shard }: SearchPlace): Uint32Array =>
  Uint32Array.from({ length: shard.documents }, (_, i) => i);

interface Counting {
  readonly mostBlocks: number;
  readonly documents?: Uint32Array;
}

function counted(
  place: SearchPlace,
  text: string,
  { mostBlocks, documents = everyDocument(place) }: Counting,
): number[] {
  const steps = countMatches(place, { literal: text, foldCase: true }, { documents, mostBlocks, insideWord });
  for (let next = steps.next(); ; next = steps.next()) if (next.done === true) return [...next.value];
}

test('a document has as many as a search finds, where no block is left out', () => {
  fc.assert(
    fc.property(corpus, literal, (documents, text) => {
      places.both(documents, (place) => {
        const expected = documents.map(() => 0);
        for (const { document, isWordStart } of searchAll(place, { literal: text, foldCase: true }))
          expected[document] = (expected[document] ?? 0) + (isWordStart ? 1 : insideWord);
        expect(counted(place, text, { mostBlocks: Infinity })).toEqual(expected);
      });
    }),
    runs(60),
  );
});

test('some documents have as many when they are counted without the others', () => {
  fc.assert(
    fc.property(corpus, literal, fc.nat(), (documents, text, seed) => {
      const some = Uint32Array.from([...documents.keys()].filter((document) => (seed >> (document % 31)) & 1));
      places.both(documents, (place) => {
        const all = counted(place, text, { mostBlocks: Infinity });
        expect(counted(place, text, { mostBlocks: Infinity, documents: some })).toEqual(
          [...some].map((each) => all[each]),
        );
      });
    }),
    runs(60),
  );
});

test('a few blocks of a long document stand for all that the index proposes, and small ones that share a block are not disturbed', () => {
  const line = 'one needle in each line of sixty-four bytes, needles are in it too';
  const documents = ['a needle\n', `${line}\n`.repeat(5000), 'no match\n', 'needle needle\n', 'unneedled\n'];
  places.both(
    documents.map((text) => Buffer.from(text)),
    (place) => {
      const [first, long = 0, ...others] = counted(place, 'needle', { mostBlocks: 3 });
      expect([first, ...others]).toEqual([1, 0, 2, insideWord]);
      expect(long).toBeGreaterThan(9800);
      expect(long).toBeLessThan(10_200);
    },
  );
});

test('a text with a line break is refused', () => {
  places.both([Buffer.from('one\ntwo\n')], (place) => {
    expect(() => counted(place, 'one\ntwo', { mostBlocks: 1 })).toThrow(QueryError);
  });
});

const anyLiteral = fc.constantFrom('foo', 'bar', 'o', 'ba', 'deadlock', 'x', '\n');

function last<T>(steps: Generator<unknown, T>): T {
  for (let next = steps.next(); ; next = steps.next()) if (next.done === true) return next.value;
}

test('every document with a text has at least one block that is counted, and none has more than it has blocks', () => {
  fc.assert(
    fc.property(corpus, anyLiteral, (documents, text) => {
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
    fc.property(corpus, anyLiteral, fc.nat(), (documents, text, seed) => {
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
