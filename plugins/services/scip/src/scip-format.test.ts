import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { expect, test } from 'vitest';
import { readDocument } from './scip-format.ts';

interface Written {
  /** `Occurrence.range` of scip.proto. */
  readonly range?: readonly number[];
  readonly typed?: { readonly field: 8 | 9; readonly numbers: readonly number[] };
}

/** Numbers that are 0 are left out, as writers of protocol buffers do. */
function documentWith({ range, typed }: Written): Uint8Array {
  const occurrence = new BinaryWriter().tag(2, 2).string('local 1').tag(3, 0).int32(1);
  if (range) {
    const packed = new BinaryWriter();
    for (const number of range) packed.int32(number);
    occurrence.tag(1, 2).bytes(packed.finish());
  }
  if (typed) {
    const message = new BinaryWriter();
    for (const [index, number] of typed.numbers.entries()) if (number !== 0) message.tag(index + 1, 0).int32(number);
    occurrence.tag(typed.field, 2).bytes(message.finish());
  }
  return new BinaryWriter().tag(1, 2).string('a.go').tag(2, 2).bytes(occurrence.finish()).finish();
}

test.each<[string, Written]>([
  ['three numbers', { range: [4, 0, 7] }],
  ['four numbers', { range: [4, 0, 4, 7] }],
  ['a SingleLineRange', { typed: { field: 8, numbers: [4, 0, 7] } }],
  ['a MultiLineRange of one line', { typed: { field: 9, numbers: [4, 0, 4, 7] } }],
])('the place of a name is read from %s', (_, written) => {
  const { occurrences } = readDocument(documentWith(written), 10);
  expect(occurrences).toEqual([{ line: 4, start: 0, end: 7, symbol: 'local 1', isDefinition: true }]);
});

test.each<[string, Written]>([
  ['no place', {}],
  ['a range over several lines', { range: [4, 0, 5, 7] }],
  ['a line before the first', { range: [-1, 0, 7] }],
  ['a column before the first', { range: [4, -1, 7] }],
  ['an end before its start', { range: [4, 7, 0] }],
  ['a MultiLineRange over several', { typed: { field: 9, numbers: [4, 0, 5, 7] } }],
])('an occurrence with %s is left out', (_, written) => {
  expect(readDocument(documentWith(written), 10).occurrences).toEqual([]);
});
