import fc from 'fast-check';
import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { windowTables } from '../regex/requirements.ts';
import { asciiLower } from '../testing/naive.ts';
import { runs } from '../testing/runs.ts';
import { Workspace } from '../workspace.ts';
import { Arena } from './arena.ts';
import { buildKernel } from './build-kernel.ts';
import { Needle } from './needle.ts';

const NONE = 0xffff_ffff;
const workspace = new Workspace(Arena.create(64 << 20));
const { arena, kernel } = workspace;
const input = arena.allocate(8 << 20);
const output = arena.allocate(8 << 20);
const other = arena.allocate(8 << 20);

test('the compiled kernel that is committed is what its sources compile to', async () => {
  const committed = await readFile(new URL('./kernel.wasm', import.meta.url));
  expect(Buffer.compare(committed, await buildKernel())).toBe(0);
});

describe('posting lists', () => {
  /** Ascending ids whose gaps change in size along the list, so that every kind of run occurs. */
  const ids = fc
    .array(
      fc.record({
        count: fc.integer({ min: 1, max: 700 }),
        most: fc.constantFrom(1, 1, 2, 3, 40, 300, 70_000),
        seed: fc.nat(),
      }),
      { minLength: 1, maxLength: 12 },
    )
    .map((stretches) => {
      const all: number[] = [];
      let id = -1;
      for (const { count, most, seed } of stretches)
        for (let i = 0, x = seed; i < count; i++)
          all.push((id += 1 + (((x = (Math.imul(x, 1_103_515_245) + 12_345) >>> 0) >>> 8) % most)));
      return all;
    });
  const write = (address: number, list: readonly number[]): number => (
    arena.words(address, list.length).set(list), list.length
  );
  const encode = (list: readonly number[], at: number): number => kernel.encode(output, write(output, list), at);

  test('what was encoded decodes to the same ids, in any range', () => {
    fc.assert(
      fc.property(
        ids,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1.1, noNaN: true }),
        (list, a, b) => {
          const last = list.at(-1) ?? 0;
          const [from, to] = [Math.floor(a * last), Math.floor(b * last) + 1];
          const bytes = encode(list, input);
          expect(bytes).toBeLessThanOrEqual(5 * list.length + 16);
          const count = kernel.decodeRange(input, list.length, from, to, output);
          expect([...arena.words(output, count)]).toEqual(list.filter((id) => id >= from && id < to));
        },
      ),
      runs(300),
    );
  });

  test('an intersection is what both lists hold', () => {
    fc.assert(
      fc.property(ids, ids, fc.boolean(), (left, right, isSparse) => {
        encode(right, input);
        const chosen = isSparse ? left.filter((_, i) => i % 97 === 0) : left;
        const held = new Set(right);
        const count = kernel.intersect(other, write(other, chosen), input, right.length, workspace.run);
        expect([...arena.words(other, count)]).toEqual(chosen.filter((id) => held.has(id)));
      }),
      runs(300),
    );
  });

  test('a list of a million ids', () => {
    const list = Array.from({ length: 1_000_000 }, (_, i) => i * 3 + (i % 2));
    encode(list, input);
    const probes = [0, 5, 299_998, 1_500_000, 2_999_997, 2_999_998, 4_000_000];
    expect([
      ...arena.words(other, kernel.intersect(other, write(other, probes), input, list.length, workspace.run)),
    ]).toEqual(probes.filter((id) => list.includes(id)));
    expect(kernel.decodeRange(input, list.length, 1_499_990, 1_500_010, output)).toBe(
      list.filter((id) => id >= 1_499_990 && id < 1_500_010).length,
    );
  });

  test('bits set from ids are taken out as the same ids', () => {
    const list = [64, 65, 95, 96, 127, 160];
    arena.u8.fill(0, input, input + 64);
    kernel.setBits(other, write(other, list), 64, input);
    expect([...arena.words(output, kernel.takeBits(input, 16, 64, output))]).toEqual(list);
  });
});

describe('searching bytes', () => {
  const text = fc
    .uint8Array({ maxLength: 300 })
    .map((bytes) => bytes.map((byte) => 97 + (byte % 3) - (byte > 200 ? 32 : 0)));

  test('finds the first occurrence that lies wholly in the text', () => {
    fc.assert(
      fc.property(text, text, fc.nat(40), fc.boolean(), (haystack, more, length, foldCase) => {
        const bytes = Buffer.from(more.subarray(0, length + 1));
        if (bytes.length === 0) return;
        arena.u8.set(haystack, input);
        arena.u8.set(bytes, input + haystack.length); // an occurrence across the end must not count
        const needle = new Needle(arena).write(bytes, foldCase);
        const expected = foldCase
          ? asciiLower(haystack).indexOf(asciiLower(bytes))
          : Buffer.from(haystack).indexOf(bytes);
        const found = kernel.find(input, input + haystack.length, needle.address) >>> 0;
        needle.release();
        expect(found === NONE ? -1 : found - input).toBe(expected);
      }),
      runs(2000),
    );
  });

  test('a window proposes every place that fits three byte sets', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    const set = fc.uniqueArray(byte, { minLength: 1, maxLength: 40 }).map((bytes) => new Set(bytes));
    const rare = 0x5e; // one of its own is looked for first
    const place = fc.oneof(set, set, fc.constant(new Set([rare])));
    const haystacks = fc
      .array(fc.oneof(byte, fc.constant(rare)), { maxLength: 200 })
      .map((all) => Uint8Array.from(all));
    fc.assert(
      fc.property(haystacks, fc.tuple(place, place, place), (haystack, sets) => {
        arena.u8.set(haystack, input);
        arena.u8.set(windowTables(sets), other);
        const found = kernel.findWindow(input, input + haystack.length, other) >>> 0;
        const first = haystack.findIndex(
          (_, at) => at + 3 <= haystack.length && sets.every((place, i) => place.has(haystack[at + i] ?? -1)),
        );
        if (first >= 0) expect(found - input).toBeLessThanOrEqual(first);
        if (found !== NONE) expect(found - input).toBeLessThanOrEqual(haystack.length - 3);
      }),
      runs(1000),
    );
  });

  test('knows well-formed UTF-8 as Node does', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3 }).map((value) => Buffer.from(value)),
      fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const bytes = Buffer.concat(pieces);
        arena.u8.set(bytes, input);
        expect(kernel.isUtf8(input, input + bytes.length) !== 0).toBe(isUtf8(bytes));
      }),
      runs(2000),
    );
  });
});
