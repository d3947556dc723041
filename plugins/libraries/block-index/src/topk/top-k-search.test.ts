import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LimitError } from '../errors.ts';
import { PositionalContent } from '../format/positional-content.ts';
import { Shard } from '../format/shard.ts';
import { Arena } from '../kernel/arena.ts';
import { Matches } from '../match/matches.ts';
import type { Match } from '../match/matches.ts';
import type { Limits, DocumentQuery, SearchPlace } from '../match/query.ts';
import { searchAll } from '../testing/search-all.ts';
import { corpus } from '../testing/corpus.ts';
import { expression } from '../testing/expression.ts';
import { buildShard, Places } from '../testing/places.ts';
import { combination } from '../testing/queries.ts';
import { runs } from '../testing/runs.ts';
import { WINDOW, Workspace } from '../workspace.ts';
import { searchTopK } from './top-k-search.ts';

const places = new Places();

interface RankedDocument {
  readonly document: number;
  readonly score: number;
  readonly matches: Matches;
}

interface RankOptions extends Limits {
  readonly limit: number;
  readonly boundOf: (document: number) => number;
  readonly scoreOf: (document: number, matches: Matches) => number;
}

const inOrder = (a: RankedDocument, b: RankedDocument): number => b.score - a.score || a.document - b.document;

/** The best documents, kept while they are visited. */
function* topSteps(
  place: SearchPlace,
  query: DocumentQuery,
  { limit, scoreOf, boundOf, ...options }: RankOptions,
): Generator<void, RankedDocument[]> {
  let best: RankedDocument[] = [];
  const isAmongBest = (score: number, document: number): boolean => {
    const worst = best.at(-1);
    return best.length < limit || !worst || inOrder({ ...worst, document, score }, worst) < 0;
  };
  yield* searchTopK(place, query, {
    ...options,
    collector: {
      upperBound: boundOf,
      tieBreak: (document) => document,
      canWin: isAmongBest,
      emit(document, matches) {
        best = [...best, { document, score: scoreOf(document, matches), matches: matches.copy() }]
          .sort(inOrder)
          .slice(0, limit);
      },
    },
  });
  return best;
}

function top(place: SearchPlace, query: DocumentQuery, options: RankOptions): RankedDocument[] {
  const steps = topSteps(place, query, options);
  for (let next = steps.next(); ; next = steps.next()) if (next.done === true) return next.value;
}

const plain = (ranked: readonly RankedDocument[]): unknown[] =>
  ranked.map(({ document, score, matches }) => ({ document, score, matches: [...matches] }));

/** All documents that match, scored, sorted and cut. */
function sorted(
  place: SearchPlace,
  query: DocumentQuery,
  { limit, scoreOf, documents }: RankOptions,
): RankedDocument[] {
  const all = [...searchAll(place, query, documents && { documents }).byDocument()];
  return all
    .map(({ document, matches }) => ({ document, matches, score: scoreOf(document, matches) }))
    .sort(inOrder)
    .slice(0, limit);
}

interface CountedDocument {
  readonly document: number;
  readonly matches: Matches;
  readonly more: number;
}

interface Wanted {
  readonly lines: number;
  readonly leavesMore: boolean;
}

/** What `searchTopK` gives of each document where so many lines of each are wanted. */
function counted(place: SearchPlace, query: DocumentQuery, { lines, leavesMore }: Wanted): CountedDocument[] {
  const found: CountedDocument[] = [];
  const steps = searchTopK(place, query, {
    linesOfEach: lines,
    leavesMore,
    collector: {
      upperBound: (document) => document % 3,
      canWin: () => true,
      tieBreak: (document) => document,
      emit: (document, matches, more) => found.push({ document, matches: matches.copy(), more }),
    },
  });
  while (steps.next().done !== true);
  return found.sort((a, b) => a.document - b.document);
}

const linesIn = (matches: Matches): Match[][] => [...Map.groupBy(matches, ({ line }) => line).values()];
const firstOf = (lines: readonly Match[][]): Match[] => lines.flatMap((line) => line.slice(0, 8));

test('as many lines of a document are found as are wanted, and the others are counted, or known to be there', () => {
  const literal = fc.record({ literal: fc.constantFrom('o', 'foo', 'x', 'ba', ' ', 'min.js'), foldCase: fc.boolean() });
  const regex = fc.record({
    regex: fc.oneof(
      fc.constantFrom('.', '\\w+', '^', '$', 'x*', '\\W', 'o+'),
      expression.map(({ re2 }) => re2),
    ),
  });
  fc.assert(
    fc.property(
      corpus,
      fc.oneof(literal, regex),
      fc.constantFrom(1, 2, 5),
      fc.boolean(),
      (documents, query, most, leavesMore) => {
        places.both([...documents, ...documents, ...documents], (place) => {
          const all = [...searchAll(place, query).byDocument()];
          const found = counted(place, query, { lines: most, leavesMore });
          expect(found.map(({ document }) => document)).toEqual(all.map(({ document }) => document));
          for (const [i, { matches, more }] of found.entries()) {
            const lines = linesIn(all[i]?.matches ?? new Matches());
            expect(firstOf(linesIn(matches))).toEqual(firstOf(lines.slice(0, most)));
            const left = Math.max(0, lines.length - most);
            if (!leavesMore || left === 0) expect(more).toBe(left);
            else expect([more > 0, more <= left]).toEqual([true, true]);
          }
        });
      },
    ),
    runs(60),
  );
});

test('of a combination all lines are found, and of each the first eight matches and 64 whole words', () => {
  const term = fc.oneof(
    fc.constantFrom('o', 'foo', 'x', ' ', 'bar').map((literal) => ({ literal })),
    fc.constantFrom('.', '\\w+', '\\W', '[a-z_]', 'x*').map((regex) => ({ regex })),
  );
  const isWhole = ({ isWordStart, isWordEnd }: Match): boolean => isWordStart && isWordEnd;
  const same = (matches: Iterable<Match>): string[] => [...matches].map((match) => JSON.stringify(match));
  fc.assert(
    fc.property(corpus, term, term, (documents, one, other) => {
      places.both(documents, (place) => {
        const query = { or: [one, other] };
        const all = [...searchAll(place, query).byDocument()];
        const found = counted(place, query, { lines: 1, leavesMore: true });
        expect(found.map(({ document }) => document)).toEqual(all.map(({ document }) => document));
        for (const [i, { matches, more }] of found.entries()) {
          const [lines, those] = [linesIn(all[i]?.matches ?? new Matches()), linesIn(matches)];
          expect([those.length, more]).toEqual([lines.length, 0]);
          for (const [at, line] of lines.entries()) {
            const [some, every] = [same(those[at] ?? []), new Set(same(line))];
            expect(some.slice(0, 8)).toEqual(same(line.slice(0, 8)));
            expect(some.every((match) => every.has(match))).toBe(true);
            expect(same((those[at] ?? []).filter(isWhole)).slice(0, 64)).toEqual(
              same(line.filter(isWhole)).slice(0, 64),
            );
          }
        }
      });
    }),
    runs(30),
  );
});

test('of a combination a literal may be wanted only where it is a whole word', () => {
  const literal = fc.constantFrom('o', 'x', '(', '1', '_');
  const isWhole = ({ isWordStart, isWordEnd }: Match): boolean => isWordStart && isWordEnd;
  const trigramOf = ({ document, start, end }: Match): string => `${document}: ${start}-${end}`;
  fc.assert(
    fc.property(corpus, literal, fc.constantFrom('foo', 'bar'), (documents, one, other) => {
      places.both(documents, (place) => {
        const whole = [...searchAll(place, { literal: one })].filter(isWhole);
        const others = [...searchAll(place, { literal: other })];
        const found: Match[] = [];
        const [wholeWord, anywhere] = [{ literal: one }, { literal: other }];
        const steps = searchTopK(
          place,
          { or: [wholeWord, anywhere] },
          {
            linesOfEach: 1,
            wholeWords: new Set([wholeWord]),
            collector: {
              upperBound: () => 1,
              canWin: () => true,
              tieBreak: (document) => document,
              emit: (_, matches) => found.push(...matches.copy()),
            },
          },
        );
        while (steps.next().done !== true);
        const [keys, all] = [new Set(found.map(trigramOf)), new Set([...whole, ...others].map(trigramOf))];
        expect([...keys].every((key) => all.has(key))).toBe(true);
        // More than 72 in a line are not wanted.
        for (const line of Map.groupBy([...whole, ...others], ({ document, line: at }) => `${document} ${at}`).values())
          if (line.length <= 8) expect(line.every((match) => keys.has(trigramOf(match)))).toBe(true);
      });
    }),
    runs(60),
  );
});

describe('the best documents', () => {
  test('are those that sorting all of them gives, with few and many ties', () => {
    const weight = fc.constantFrom(0, 1, 1, 1, 2, 5, -3);
    const priors = fc.array(weight, { minLength: 24, maxLength: 24 });
    const query = fc.oneof(
      combination,
      fc.constantFrom({ regex: 'o+' }, { literal: '\n' }, { and: [{ literal: 'foo' }, { regex: '\\d' }] }),
    );
    fc.assert(
      fc.property(corpus, priors, fc.array(query, { minLength: 4, maxLength: 4 }), (documents, prior, queries) => {
        const priorOf = (document: number): number => prior[document] ?? 0;
        places.both(documents, (place) => {
          for (const limit of [0, 1, 3, 100]) {
            const options = {
              limit,
              documents: Uint8Array.of(0xef, 0xff, 0xf7),
              boundOf: (document: number) => priorOf(document) + 3,
              scoreOf: (document: number, matches: { length: number }) =>
                priorOf(document) + Math.min(3, (matches.length - 1) / 4),
            };
            for (const each of queries)
              expect(plain(top(place, each, options))).toEqual(plain(sorted(place, each, options)));
          }
        });
      }),
      runs(40),
    );
  });

  const filler = 'text that fills a block\n'.repeat(180);
  const many = Array.from({ length: 6000 }, (_, i) => Buffer.from(`word ${i}\n`.repeat(1 + (i % 7)) + filler));

  test('are the same where so many match that they are looked at by their bounds', () => {
    places.both(many, (place) => {
      const queries = [
        { literal: 'word' },
        { regex: '\\w+ \\d*7' },
        { and: [{ literal: 'd 1' }, { not: { literal: '99' } }] },
        { or: [{ literal: '5\n' }, { literal: '1\nw' }] },
      ];
      fc.assert(
        fc.property(fc.constantFrom(...queries), fc.nat(), fc.constantFrom(1, 10, 500), (query, seed, limit) => {
          const priorOf = (document: number): number => Math.imul(document + 1, seed | 1) >>> 28;
          // More becomes known of documents meanwhile.
          let unknown = seed % 20_000;
          const options: RankOptions = {
            limit,
            boundOf: (document) => priorOf(document) + (unknown-- > 0 ? 7 : (1 + (document % 7)) / 4),
            scoreOf: (document, matches) => priorOf(document) + matches.length / 8,
          };
          expect(plain(top(place, query, options))).toEqual(plain(sorted(place, query, options)));
        }),
        runs(8),
      );
    });
  });

  test('are found without looking at those that cannot be among them', () => {
    places.both(many, (place) => {
      let scored = 0;
      const found = top(
        place,
        { literal: 'word' },
        {
          limit: 5,
          boundOf: (document) => document,
          scoreOf: (document) => (scored++, document),
        },
      );
      expect(found.map(({ document }) => document)).toEqual([5999, 5998, 5997, 5996, 5995]);
      expect(scored).toBeLessThanOrEqual(64);
    });
  });

  test('are known before all that are looked at together have had their turn', () => {
    places.both(many, (place) => {
      let scored = 0;
      top(place, { literal: 'word' }, { limit: 40, boundOf: () => 1, scoreOf: () => (scored++, 1) });
      expect(scored).toBeLessThanOrEqual(40 + 192);
    });
  });

  test('come last when every bound is the same, from all documents', () => {
    places.both(many, (place) => {
      const options: RankOptions = {
        limit: 3,
        boundOf: () => 7,
        scoreOf: (each, { length }) => (each > 3000 ? length : 0),
      };
      expect(top(place, { literal: 'word' }, options).map(({ document }) => document)).toEqual([3002, 3009, 3016]);
    });
  });
});

test('a batch of documents may lie further apart than the widest window', () => {
  const document = Buffer.concat([Buffer.alloc(60_000, `${'x'.repeat(60)}\n`), Buffer.from('qz\n')]);
  const count = 4800;
  const workspace = new Workspace(Arena.create(192 << 20));
  const shard = Shard.load(workspace, buildShard(Array.from({ length: count }, () => document)));
  expect(shard.blocks).toBeGreaterThan(WINDOW);
  const twice = Buffer.concat([document, document]);
  const read = (into: Uint8Array, offset: number): void => {
    for (let at = 0; at < into.length; at += document.length)
      twice.copy(into, at, offset % document.length, (offset % document.length) + document.length);
  };
  const content = new PositionalContent(workspace, shard, read);
  const options: RankOptions = {
    limit: 2,
    boundOf: (each) => (each === 0 || each === count - 1 ? 2 : 1),
    scoreOf: (each) => (each === 0 || each === count - 1 ? 2 : 1),
  };
  const found = top({ workspace, shard, content }, { literal: 'qz' }, options);
  expect(found.map((each) => each.document)).toEqual([0, count - 1]);
});

describe('a visit', () => {
  const few = Array.from({ length: 100 }, () => Buffer.from('word\n'));

  test('stops where its checkpoint throws, and gives its memory back', () => {
    places.both(few, (place) => {
      const before = place.workspace.arena.taken;
      const checkpoint = (): never => {
        throw new LimitError('too late');
      };
      const options: RankOptions = { limit: 1, boundOf: () => 1, scoreOf: () => 1, checkpoint };
      expect(() => top(place, { literal: 'word' }, options)).toThrow('too late');
      const steps = topSteps(place, { literal: 'word' }, { limit: 1, boundOf: () => 1, scoreOf: () => 1 });
      steps.next();
      steps.return([]);
      expect(place.workspace.arena.taken).toBe(before);
    });
  });
});
