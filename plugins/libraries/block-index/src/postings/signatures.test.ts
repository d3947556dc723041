import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ResidentContent } from '../format/content.ts';
import { Shard } from '../format/shard.ts';
import { Arena } from '../kernel/arena.ts';
import type { Literal, Regex } from '../match/compiled-term.ts';
import type { SearchPlace } from '../match/query.ts';
import { searchAll } from '../match/search.ts';
import { corpus, needleChoice, needleIn } from '../testing/corpus.ts';
import { expression } from '../testing/expression.ts';
import { buildShard } from '../testing/places.ts';
import { runs } from '../testing/runs.ts';
import { Workspace } from '../workspace.ts';
import { BitSlicedSignatures, mayContain } from './signatures.ts';
import type { SignatureColumn } from './signatures.ts';

const workspace = new Workspace(Arena.create(128 << 20));
const columns = new BitSlicedSignatures(workspace.arena);

interface Opened {
  readonly place: SearchPlace;
  readonly column: SignatureColumn | undefined;
}

/** Opened together, and closed after the check. */
function withShards(texts: readonly Buffer[][], check: (opened: readonly Opened[]) => void): void {
  const opened = texts.map((documents): Opened => {
    const shard = Shard.load(workspace, buildShard(documents));
    const all = Buffer.concat(documents);
    const content = ResidentContent.load(workspace, shard, (offset, length) => all.subarray(offset, offset + length));
    return { place: { workspace, shard, content }, column: columns.open(shard) };
  });
  check(opened);
  for (const { place } of opened) {
    columns.close(place.shard.handle.address);
    place.content.release();
    place.shard.release(workspace);
  }
}

const text = (words: string): Buffer[] => [Buffer.from(words)];

test('a shard in which something is found may have it', () => {
  fc.assert(
    fc.property(
      fc.array(corpus, { minLength: 1, maxLength: 4 }),
      fc.array(needleChoice, { minLength: 12, maxLength: 12 }),
      fc.array(fc.tuple(expression, fc.boolean()), { minLength: 6, maxLength: 6 }),
      (texts, choices, expressions) => {
        const all = Buffer.concat(texts.flat());
        const needles = choices.flatMap(({ foldCase, ...choice }): Literal[] => {
          const literal = needleIn(all, { ...choice, foldCase });
          return literal ? [{ literal, foldCase }] : [];
        });
        const terms = [...needles, ...expressions.map(([{ re2 }, foldCase]): Regex => ({ regex: re2, foldCase }))];
        withShards(texts, (opened) => {
          for (const { place, column } of opened)
            for (const term of terms)
              if (!mayContain(workspace.arena, column, term)) expect(searchAll(place, term).length).toBe(0);
        });
      },
    ),
    runs(40),
  );
});

test('of many shards it is known which lack a trigram, and what was closed says nothing of what comes after it', () => {
  const words = ['deadlock', 'mutex', 'dead end', 'lock', 'nothing of it'];
  const having = (term: Literal | Regex): string[] => {
    const found: string[] = [];
    withShards(words.map(text), (opened) => {
      for (const [at, { column }] of opened.entries())
        if (mayContain(workspace.arena, column, term)) found.push(words[at] ?? '');
    });
    return found;
  };
  expect(having({ literal: 'deadlock' })).toEqual(['deadlock']);
  expect(having({ literal: 'DEAD', foldCase: true })).toEqual(['deadlock', 'dead end']);
  expect(having({ regex: 'dead.*lock' })).toEqual(['deadlock']);
  expect(having({ regex: '(mutex|nothing) ?' })).toEqual(['mutex', 'nothing of it']);
  expect(having({ literal: 'lock\nmutex' })).toEqual([]);
  expect(having({ literal: 'zq' })).toEqual(words);
});

test('there is room for the columns of more shards than a table has, and again once they are closed', () => {
  const many = Array.from({ length: 600 }, (_, i) => text(i % 2 === 0 ? 'even' : 'other'));
  withShards(many, () => undefined);
  const taken = workspace.arena.taken;
  withShards(many, (opened) => {
    const even = { literal: 'even' };
    expect(opened.filter(({ column }) => mayContain(workspace.arena, column, even)).length).toBe(300);
    expect(new Set(opened.map(({ column }) => column?.table)).size).toBe(2);
  });
  expect(workspace.arena.taken).toBe(taken);
});

test('shards without trigrams, and those for which there is no room, may have anything', () => {
  const shard = Shard.load(workspace, buildShard(text('something'), false));
  expect(columns.open(shard)).toBeUndefined();
  const small = new BitSlicedSignatures(Arena.create(1 << 20));
  withShards([text('something')], ([opened]) => {
    expect(opened && small.open(opened.place.shard)).toBeUndefined();
  });
  expect(mayContain(workspace.arena, undefined, { literal: 'anything' })).toBe(true);
  shard.release(workspace);
});
