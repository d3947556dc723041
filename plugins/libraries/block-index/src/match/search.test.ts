import { describe, expect, test } from 'vitest';
import { LimitError, QueryError } from '../errors.ts';
import { naiveLiteral } from '../testing/naive.ts';
import type { Found } from '../testing/naive.ts';
import { Places } from '../testing/places.ts';
import { Matches } from './matches.ts';
import { search } from './search.ts';
import { searchAll } from '../testing/search-all.ts';

const places = new Places();

function found(matches: Matches): Found[] {
  return [...matches].map(({ isWordStart: _start, isWordEnd: _end, ...match }) => match);
}

describe('a line of 10 MB', () => {
  const line = Buffer.alloc(10 << 20, 'var a=1;');
  Buffer.from('needle').copy(line, 5_000_000 - 3);
  const documents = [
    Buffer.from('first needle\n'),
    Buffer.concat([Buffer.from('before\n'), line, Buffer.from('\nafter needle\n')]),
  ];

  test('is searched like any other', () => {
    places.both(documents, (place) => {
      const equal = [
        ['needle', 'n.*?le'],
        ['after', '^after'],
        ['=1;\nafter', '=1.$'],
      ] as const;
      for (const [literal, regex] of equal) {
        const wanted = naiveLiteral(documents, Buffer.from(literal), false);
        expect(found(searchAll(place, { literal }))).toEqual(wanted);
        const starts = [...searchAll(place, { regex })].map(({ line, start }) => ({ line, start }));
        expect(starts).toEqual(wanted.map(({ line, start }) => ({ line, start })));
      }
    });
  });

  test('may have a million matches', () => {
    const matches = line.toString('latin1').split('a=1;v').length - 1;
    places.both(documents, (place) => {
      for (const query of [{ literal: 'a=1;v' }, { regex: 'a=1;v' }])
        expect(searchAll(place, query)).toHaveLength(matches);
    });
  });

  test.each([
    '(a+)+$',
    '.{1,1000}.{1,1000}',
    '(x?){1000}y',
    '(.*a){20}',
    '[^z]{500}b',
    '(a|v)*=(a|v|1){14}z',
    '\\pL{30}\\d',
  ])('is searched for %s in bounded memory, as long as nobody stops the search', (regex) => {
    places.both(documents, (place) => {
      const free = place.workspace.arena.taken;
      let calls = 0;
      const checkpoint = (): void => {
        if (++calls > 50) throw new Error('enough');
      };
      try {
        for (const matches of search(place, { regex }, { checkpoint })) expect(matches.length).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toEqual(new Error('enough'));
      }
      expect(place.workspace.arena.taken - free).toBeLessThan(11 << 20); // room for one copy of the line, which is kept
    });
  });

  test('whose matches all start the same way is left when the search is stopped', () => {
    places.both(documents, (place) => {
      let calls = 0;
      const checkpoint = (): void => {
        if (++calls > 20) throw new Error('enough');
      };
      // quadratic: every match looks for its b to the end of the line
      expect(() => searchAll(place, { regex: 'v.*b|v' }, { checkpoint })).toThrow('enough');
      expect(searchAll(place, { literal: 'needle' })).toHaveLength(3);
    });
  });
});

describe('a search in steps', () => {
  const documents = Array.from({ length: 3000 }, (_, i) =>
    Buffer.from(`file ${i}\n${'text to fill blocks\n'.repeat(100)}${i % 2 ? 'odd' : 'even'} number\n`),
  );

  test('stops early without looking at the rest', () => {
    places.both(documents, (place) => {
      let calls = 0;
      const checkpoint = (): void => void calls++;
      let taken = new Matches();
      for (const matches of search(place, { literal: 'fill' }, { checkpoint })) {
        taken = matches;
        break;
      }
      expect(taken.length).toBeGreaterThan(50);
      expect(taken.length).toBeLessThan(20_000);
      expect(calls).toBe(1);
    });
  });

  test('may be interleaved with others in the same workspace', () => {
    places.both(documents, (place) => {
      const wanted = [
        { literal: 'number' },
        { regex: 'f\\w+ \\d+' },
        { and: [{ literal: 'odd' }, { regex: 'file' }] },
      ].map((query) => ({ query, all: found(searchAll(place, query)) }));
      const running = wanted.map(({ query }) => search(place, query));
      const parts: Matches[][] = running.map(() => []);
      for (let isRunning = true; isRunning; ) {
        isRunning = false;
        running.forEach((generator, i) => {
          const next = generator.next();
          if (next.done) return;
          isRunning = true;
          parts[i]?.push(next.value);
        });
      }
      expect(parts.map((some) => found(Matches.concat(some)))).toEqual(wanted.map(({ all }) => all));
    });
  });

  test('that is left gives its memory back', () => {
    places.both(documents, (place) => {
      const before = place.workspace.arena.taken;
      for (const _ of search(place, { regex: 'f\\w+ \\d+' })) break;
      place.workspace.dfas.keepOnly(0);
      expect(place.workspace.arena.taken).toBe(before);
    });
  });
});

describe('what has no meaning is refused', () => {
  test.each([
    [{ literal: '' }, QueryError],
    [{ literal: 'a\ud800' }, QueryError],
    [{ literal: 'a'.repeat(1025) }, LimitError],
    [{ not: { literal: 'a' } }, QueryError],
    [{ and: [{ not: { literal: 'a' } }] }, QueryError],
    [{ or: [] }, QueryError],
    [{ literal: 'É\né', foldCase: true }, QueryError],
    [{ or: Array.from({ length: 257 }, () => ({ literal: 'a' })) }, QueryError],
    [{ regex: '(' }, QueryError],
  ])('%j', (query, error) => {
    places.both([Buffer.from('text')], (place) => expect(() => searchAll(place, query)).toThrow(error));
  });

  test('a filter for fewer documents than there are', () => {
    places.both(
      Array.from({ length: 9 }, () => Buffer.from('text')),
      (place) => {
        expect(() => searchAll(place, { literal: 'a' }, { documents: new Uint8Array(1) })).toThrow(LimitError);
      },
    );
  });
});

test('borders of words are told', () => {
  places.both([Buffer.from('foo foobar xfoo é')], (place) => {
    const flags = [...searchAll(place, { literal: 'foo' })].map(({ isWordStart, isWordEnd }) => [
      isWordStart,
      isWordEnd,
    ]);
    expect(flags).toEqual([
      [true, true],
      [true, false],
      [false, true],
    ]);
  });
});
