import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Definition, FileSymbols, Import, Reference } from '../file-symbols.ts';
import { pack, unpack } from './packed-symbols.ts';

const number = fc.nat(1_000_000);
const word = fc.string({ maxLength: 8 });
const place = { line: number, column: number, at: number };
const definition = fc.oneof(
  fc.record({ ...place, name: word, kind: word, isMember: fc.boolean(), startLine: number, endLine: number }),
  fc.record({
    ...place,
    name: word,
    kind: word,
    isMember: fc.constant(false),
    startLine: number,
    endLine: number,
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

it('what was packed comes out as it was', () => {
  const symbols: fc.Arbitrary<FileSymbols> = fc.record({
    definitions: fc.array(definition),
    references: fc.array(reference),
    imports: fc.array(imported),
  });
  fc.assert(
    fc.property(symbols, (given) => {
      expect(unpack(pack(given))).toEqual(given);
    }),
  );
});
