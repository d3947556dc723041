import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Definition, FileSyntax, Import, Reference } from './file-symbols.ts';
import { PackedSymbols, pack } from './packed-symbols.ts';

const number = fc.nat(1_000_000);
const word = fc.string({ maxLength: 8 });
const place = { line: number, at: number };
const defined = { ...place, column: number, startLine: number, endLine: number };
const definition = fc.oneof(
  fc.record({ ...defined, name: word, kind: word, isMember: fc.boolean() }),
  fc.record({
    ...defined,
    name: word,
    kind: word,
    isMember: fc.constant(false),
    container: word,
    type: word,
    bases: fc.array(fc.stringMatching(/^\w+$/), { minLength: 1, maxLength: 3 }),
    scope: fc.tuple(number, number),
  }),
) satisfies fc.Arbitrary<Definition>;
const reference: fc.Arbitrary<Reference> = fc.oneof(
  fc.record({ ...place, name: word, role: fc.constantFrom('call', 'type', 'import', 'other'), isMember: fc.boolean() }),
  fc.record({ ...place, name: word, role: fc.constant('call'), isMember: fc.constant(true), qualifier: word }),
);
const imported: fc.Arbitrary<Import> = fc.record({
  module: word,
  kind: fc.constantFrom('name', 'module', 'all'),
  imported: word,
  local: word,
});

const inOrder = <T extends { readonly at: number }>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.uniqueArray(one, { selector: ({ at }) => at }).map((all) => all.toSorted((a, b) => a.at - b.at));
const syntax: fc.Arbitrary<FileSyntax> = fc.record({
  definitions: inOrder(definition),
  references: inOrder(reference),
  imports: fc.array(imported),
});

it('what was packed comes out as it was', () => {
  fc.assert(
    fc.property(syntax, (given) => {
      const symbols = new PackedSymbols(pack(given));
      const { definitions, imports } = symbols;
      const references = symbols.names.flatMap((name) => symbols.usesOf(name)).toSorted((a, b) => a.at - b.at);
      expect({ definitions, references, imports }).toEqual(given);
    }),
  );
});

it('what is packed of one name comes out by itself', () => {
  fc.assert(
    fc.property(syntax, (given) => {
      const symbols = new PackedSymbols(pack(given));
      const named = [...given.definitions, ...given.references].map(({ name }) => name);
      expect(symbols.names).toEqual([...new Set(named)].toSorted());
      for (const name of [...named, 'another name']) {
        expect(symbols.has(name)).toBe(named.includes(name));
        expect(symbols.definitionsOf(name)).toEqual(given.definitions.filter((one) => one.name === name));
        expect(symbols.usesOf(name)).toEqual(given.references.filter((one) => one.name === name));
      }
    }),
  );
});

it.each([
  ['nothing', 0],
  ['a part', 20],
  ['all but the end', 40],
])('%s of what was packed is refused', (_what, kept) => {
  const place = { line: 1, column: 0, at: 0, startLine: 1, endLine: 1, isMember: false };
  const packed = pack({ definitions: [{ ...place, name: 'parse', kind: 'function' }], references: [], imports: [] });
  expect(packed.length).toBeGreaterThan(kept);
  expect(() => new PackedSymbols(packed.subarray(0, kept))).toThrow();
});
