import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Candidates } from '../postings/candidates.ts';
import type { SearchPlace } from '../match/prepare.ts';
import { searchAll } from '../match/search.ts';
import { compileTerm } from '../match/term.ts';
import { Places } from '../testing/places.ts';
import { runs } from '../testing/runs.ts';

const places = new Places();
const kinds = ['A-Z', 'a-z', '0-9', '_'];
const shapes = kinds.flatMap((a) => kinds.flatMap((b) => kinds.map((c) => new RegExp(`[${a}][${b}][${c}]`))));

/** How many blocks an expression is looked for in. */
function looked({ workspace, shard }: SearchPlace, regex: string): number {
  const term = compileTerm(workspace, shard, { regex });
  const candidates = new Candidates(workspace, shard);
  const count = candidates.fill(term.plan, 0, shard.blocks);
  candidates.release();
  term.release();
  return count;
}

test('the kernel tells the shapes of a text, and nothing of what stands behind it', () => {
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
      kernel.addShapes(at + 16, at + 16 + bytes.length, at);
      const found = shapes.map((_, i) => ((arena.u8[at + (i >> 3)] ?? 0) >> (i & 7)) & 1);
      expect(found).toEqual(shapes.map((shape) => Number(shape.test(bytes.toString('latin1')))));
    }),
    runs(2000),
  );
  arena.release(at);
});

test('an expression without a text is looked for only in blocks with what it looks like', () => {
  const line = 'names of things: some_name someName SOME_NAME 12 x1\n'.repeat(100);
  const documents = ['', 'LOUD_low7', 'a1_B'].map((text) => Buffer.from(`${text}\n${line}`));
  places.both(documents, (place) => {
    expect(looked(place, '[A-Z]{4,}_[a-z]{3,}[0-9]')).toBe(1);
    expect(looked(place, '[a-z][0-9]_[A-Z]')).toBe(1);
    expect(looked(place, '[a-z]+_[a-z]+')).toBe(3);
    expect(looked(place, '\\w\\w\\w')).toBe(3);
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
