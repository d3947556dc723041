import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Literal, Regex } from '../match/compiled-term.ts';
import type { SearchPlace } from '../match/query.ts';
import { searchAll } from '../match/search.ts';
import { compileTerm } from '../match/term.ts';
import { Places } from '../testing/places.ts';
import { runs } from '../testing/runs.ts';
import { Candidates } from './candidates.ts';

const places = new Places();
const filler = 'nothing to be seen here but words that go on and on\n'.repeat(100);

test('a phrase is looked for only in blocks in which its words stand side by side', () => {
  const texts = [
    'failed to parse the file',
    'used to pay; failed to see the sparse the old',
    'Failed To Parse The file',
  ];
  const documents = texts.map((text) => Buffer.from(`${text}, parse them\n${filler}`));
  places.both(documents, (place) => {
    expect(looked(place, { literal: 'failed to parse the file' })).toBe(2);
    expect(looked(place, { regex: 'failed to (parse|read) the file' })).toBe(2);
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

const kinds = ['A-Z', 'a-z', '0-9', '_'];
const classTrigrams = kinds.flatMap((a) => kinds.flatMap((b) => kinds.map((c) => new RegExp(`[${a}][${b}][${c}]`))));

/** How many blocks a term is looked for in. */
function looked({ workspace, shard }: SearchPlace, query: Literal | Regex): number {
  const term = compileTerm(workspace, shard, query);
  const candidates = new Candidates(workspace, shard);
  const count = candidates.fill(term.plan, 0, shard.blocks);
  candidates.release();
  term.release();
  return count;
}

test('the kernel finds the character-class trigrams of a text, and nothing of what stands after it', () => {
  const { arena, kernel } = places.workspace;
  const at = arena.allocate(256);
  const text = fc.array(
    fc.constantFrom('A', 'Z', 'a', 'z', '0', '9', '_', '@', '[', '`', '{', '/', ':', 'é', ' ', 'x'),
    {
      maxLength: 60,
    },
  );
  fc.assert(
    fc.property(text, text, (characters, behind) => {
      const bytes = Buffer.from(characters.join(''));
      arena.u8.fill(0, at, at + 8).set(Buffer.concat([bytes, Buffer.from(behind.join(''))]), at + 16);
      kernel.addClassTrigrams(at + 16, at + 16 + bytes.length, at);
      const found = classTrigrams.map((_, i) => ((arena.u8[at + (i >> 3)] ?? 0) >> (i & 7)) & 1);
      expect(found).toEqual(classTrigrams.map((each) => Number(each.test(bytes.toString('latin1')))));
    }),
    runs(2000),
  );
  arena.release(at);
});

test('an expression without a text is looked for only in blocks with what it looks like', () => {
  const line = 'names of things: some_name someName SOME_NAME 12 x1\n'.repeat(100);
  const documents = ['', 'LOUD_low7', 'a1_B'].map((text) => Buffer.from(`${text}\n${line}`));
  places.both(documents, (place) => {
    expect(looked(place, { regex: '[A-Z]{4,}_[a-z]{3,}[0-9]' })).toBe(1);
    expect(looked(place, { regex: '[a-z][0-9]_[A-Z]' })).toBe(1);
    expect(looked(place, { regex: '[a-z]+_[a-z]+' })).toBe(3);
    expect(looked(place, { regex: '\\w\\w\\w' })).toBe(3);
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
