import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { corpus, needleChoice, needleIn } from '../testing/corpus.ts';
import { expression } from '../testing/expression.ts';
import { naiveLiteral, naiveRegex } from '../testing/naive.ts';
import type { Found } from '../testing/naive.ts';
import { Places } from '../testing/places.ts';
import { combination, naiveQuery } from '../testing/queries.ts';
import { runs } from '../testing/runs.ts';
import type { Matches } from './matches.ts';
import { searchAll } from '../testing/search-all.ts';

const places = new Places();

function found(matches: Matches): Found[] {
  return [...matches].map(({ isWordStart: _start, isWordEnd: _end, ...match }) => match);
}

describe('equality with a plain scan of every document', () => {
  test('literals of 1 to 900 bytes, exact and in any case, with line breaks and bytes that are no UTF-8', () => {
    fc.assert(
      fc.property(corpus, fc.array(needleChoice, { minLength: 30, maxLength: 30 }), (documents, choices) => {
        const content = Buffer.concat(documents);
        places.both(documents, (place) => {
          for (const choice of choices) {
            const literal = needleIn(content, choice);
            if (!literal) return;
            expect(found(searchAll(place, { literal, foldCase: choice.foldCase }))).toEqual(
              naiveLiteral(documents, literal, choice.foldCase),
            );
          }
        });
      }),
      runs(60),
    );
  });

  test('regular expressions', () => {
    fc.assert(
      fc.property(
        corpus,
        fc.array(fc.tuple(expression, fc.boolean()), { minLength: 12, maxLength: 12 }),
        (all, expressions) => {
          const documents = all.slice(0, 8).filter(({ length }) => length < 3000);
          places.both(documents, (place) => {
            for (const [{ re2, js }, foldCase] of expressions) {
              const wanted = naiveRegex(documents, new RegExp(js, foldCase ? 'giu' : 'gu'));
              expect(found(searchAll(place, { regex: re2, foldCase })), `${re2} ${foldCase}`).toEqual(wanted);
            }
          });
        },
      ),
      runs(60),
    );
  });

  test('regular expressions that have a new state backwards for nearly each byte', () => {
    let seed = 1;
    const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const line = (): string => {
      const digits = '7'.repeat(next(3) === 0 ? next(30) : 0);
      return digits + Array.from({ length: next(300) }, () => 'ab c 1'[next(40) === 0 ? 5 : next(5)]).join('');
    };
    const documents = [Buffer.from(Array.from({ length: 1000 }, line).join('\n'))];
    places.both(documents, (place) => {
      for (const regex of ['\\D{1,60}?\\S.*$', 'a[ab c]{9,60}?b\\S*c', '\\D{3,40}[ab][^1]{30}'])
        expect(found(searchAll(place, { regex })), regex).toEqual(naiveRegex(documents, new RegExp(regex, 'gu')));
    });
  });

  test('combinations with AND, OR and NOT', () => {
    fc.assert(
      fc.property(corpus, fc.array(combination, { minLength: 10, maxLength: 10 }), (documents, queries) => {
        places.both(documents, (place) => {
          for (const query of queries) {
            expect(found(searchAll(place, query))).toEqual(naiveQuery(documents, query));
          }
        });
      }),
      runs(60),
    );
  });

  test('only in allowed documents', () => {
    fc.assert(
      fc.property(corpus, fc.array(fc.boolean(), { minLength: 24, maxLength: 24 }), (documents, allowed) => {
        const bitmap = new Uint8Array(3);
        allowed.forEach((isAllowed, document) => {
          if (isAllowed) bitmap[document >> 3] = (bitmap[document >> 3] ?? 0) | (1 << (document & 7));
        });
        places.both(documents, (place) => {
          for (const query of [
            { literal: 'o' },
            { regex: 'o+' },
            { literal: '\n' },
            { and: [{ literal: 'o' }, { regex: 'a' }] },
          ]) {
            const wanted = found(searchAll(place, query)).filter(({ document }) => allowed[document]);
            expect(found(searchAll(place, query, { documents: bitmap }))).toEqual(wanted);
          }
        });
      }),
      runs(60),
    );
  });
});
