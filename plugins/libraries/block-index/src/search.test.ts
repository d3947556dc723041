import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Matches } from './matches.ts';
import { searchAll } from './search.ts';
import { corpus, needleChoice, needleIn } from './testing/corpus.ts';
import { expression } from './testing/expression.ts';
import { naiveLiteral, naiveRegex } from './testing/naive.ts';
import type { Found } from './testing/naive.ts';
import { Places } from './testing/places.ts';
import { runs } from './testing/runs.ts';

const places = new Places();

function found(matches: Matches): Found[] {
  return [...matches].map(({ isWordStart: _start, isWordEnd: _end, ...match }) => match);
}

describe('equality with a plain scan of every document', () => {
  test('literals of 1 to 900 bytes, exact and in any case, with line breaks and bytes that are no UTF-8', () => {
    fc.assert(fc.property(corpus, fc.array(needleChoice, { minLength: 30, maxLength: 30 }), (documents, choices) => {
      const content = Buffer.concat(documents);
      places.both(documents, (place) => {
        for (const choice of choices) {
          const literal = needleIn(content, choice);
          if (!literal) return;
          expect(found(searchAll(place, { literal, foldCase: choice.foldCase }))).toEqual(naiveLiteral(documents, literal, choice.foldCase));
        }
      });
    }), runs(60));
  });

  test('regular expressions', () => {
    fc.assert(fc.property(corpus, fc.array(fc.tuple(expression, fc.boolean()), { minLength: 12, maxLength: 12 }), (all, expressions) => {
      const documents = all.slice(0, 8).filter(({ length }) => length < 3000);
      places.both(documents, (place) => {
        for (const [{ re2, js }, foldCase] of expressions) {
          const wanted = naiveRegex(documents, new RegExp(js, foldCase ? 'giu' : 'gu'));
          expect(found(searchAll(place, { regex: re2, foldCase })), `${re2} ${foldCase}`).toEqual(wanted);
        }
      });
    }), runs(120));
  });
});
