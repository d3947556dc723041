import fc from 'fast-check';
import { expect, test } from 'vitest';
import { searchAll } from '../testing/search-all.ts';
import { Places } from '../testing/places.ts';
import { runs } from '../testing/runs.ts';

const places = new Places();
const filler = 'nothing to be seen here but words that go on and on\n'.repeat(100);

test('a phrase is found where its words stand side by side', () => {
  const texts = [
    'failed to parse the file',
    'used to pay; failed to see the sparse the old',
    'Failed To Parse The file',
  ];
  const documents = texts.map((text) => Buffer.from(`${text}, parse them\n${filler}`));
  places.both(documents, (place) => {
    expect(searchAll(place, { literal: 'failed to parse the', foldCase: true }).documents()).toEqual(
      Uint32Array.of(0, 2),
    );
  });
});

test('whatever part of a text is searched, in any case and as an expression, is found where it stands', () => {
  const word = fc.stringMatching(/^[a-zA-Z]{1,6}$|^[a-z0-9_]{1,4}[.,;]?$|^\p{L}{1,3}$/u);
  const line = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '));
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 20 }), fc.nat(), fc.nat(), (lines, a, b) => {
      const text = lines[a % lines.length] ?? '';
      const part = Array.from(text)
        .slice(b % 7)
        .join('');
      if (part === '') return;
      const documents = [`${lines.join('\n')}\n`, `${filler}${lines.join('\n')}`].map((each) => Buffer.from(each));
      places.both(documents, (place) => {
        const escaped = part.replaceAll('.', '\\.');
        for (const query of [{ literal: part }, { literal: part.toUpperCase(), foldCase: true }, { regex: escaped }])
          if (!('foldCase' in query) || /^[ -~]*$/.test(part))
            expect(searchAll(place, query).documents()).toEqual(Uint32Array.of(0, 1));
      });
    }),
    runs(100),
  );
});

test('words are known to stand side by side wherever in a very long line they do', () => {
  for (const at of [0, 4080, 8180, 65_520, 65_531, 65_536, 131_060, 149_980]) {
    const line = Buffer.alloc(150_000, 'no such thing; ');
    line.write('found some words', at);
    places.both([line, Buffer.alloc(9000, 'no such thing; ')], (place) => {
      for (const query of [{ literal: 'found some words' }, { regex: 'found some word[s]' }, { regex: 'd some w\\w+' }])
        expect(searchAll(place, query).documents()).toEqual(Uint32Array.of(0));
    });
  }
});

test('an expression without a text is found where it stands', () => {
  const line = 'names of things: some_name someName SOME_NAME 12 x1\n'.repeat(100);
  const documents = ['', 'LOUD_low7', 'a1_B'].map((text) => Buffer.from(`${text}\n${line}`));
  places.both(documents, (place) => {
    expect(searchAll(place, { regex: '[A-Z]{4,}_[a-z]{3,}[0-9]' }).documents()).toEqual(Uint32Array.of(1));
  });
});

test('what a very long line looks like is known wherever it stands in it', () => {
  for (const at of [0, 65_533, 65_534, 65_535, 65_536, 131_071, 149_990]) {
    const line = Buffer.alloc(150_000, 'no such thing; ');
    line.write('AB_cd', at);
    places.both([line, Buffer.alloc(9000, 'no such thing; ')], (place) => {
      expect(searchAll(place, { regex: '[A-Z]_[a-z]' }).documents()).toEqual(Uint32Array.of(0));
    });
  }
});
