import fc from 'fast-check';

const WORDS = [
  'foo',
  'Foo',
  'bar',
  'foobar',
  'FOO',
  'x',
  '_',
  'error',
  'if (a) {',
  '}',
  '\t',
  '  ',
  'naïve',
  'NAÏVE',
  'ß',
  '€',
  '😀',
  '42',
  '->',
  '日本',
  'K',
];
const INVALID = ['80', 'ff', 'c3', 'e282', 'f09f98', 'eda080', 'c0af', 'fe41'].map((hex) => Buffer.from(hex, 'hex'));
const NEWLINES = ['\n', '\n', '\n', '\r\n', '\n\n'];

const word = fc.constantFrom(...WORDS).map((text) => Buffer.from(text));
const bytes = fc
  .uint8Array({ minLength: 1, maxLength: 6 })
  .map((some) => Buffer.from(some.map((byte) => (byte === 0 ? 1 : byte))));
const token = fc.oneof(
  { weight: 12, arbitrary: word },
  { weight: 1, arbitrary: fc.constantFrom(...INVALID) },
  { weight: 1, arbitrary: bytes },
);
const shortLine = fc.array(token, { maxLength: 12 }).map((tokens) => Buffer.concat(tokens));
const longLine = fc.tuple(shortLine, fc.integer({ min: 4000, max: 18_000 }), shortLine).map(([piece, length, end]) => {
  const unit = piece.length === 0 ? Buffer.from('min.js;') : piece;
  return Buffer.concat([Buffer.alloc(length, unit), end]);
});
const newline = fc.constantFrom(...NEWLINES).map((text) => Buffer.from(text));
const lines = fc
  .array(fc.tuple(fc.oneof({ weight: 30, arbitrary: shortLine }, { weight: 1, arbitrary: longLine }), newline), {
    maxLength: 40,
  })
  .map((all) => Buffer.concat(all.flat()));

const smallDocument = fc.tuple(lines, shortLine).map((parts) => Buffer.concat(parts));
/** Large enough for several blocks: a text repeated with something at its ends. */
const largeDocument = fc
  .tuple(smallDocument, fc.integer({ min: 5000, max: 30_000 }), smallDocument)
  .map(([piece, length, end]) =>
    Buffer.concat([end, Buffer.alloc(length, piece.length === 0 ? Buffer.from('\n') : piece), end]),
  );

/** Documents: empty, small, large, with long lines, CRLF, no final newline, bytes that are no UTF-8; never a NUL. */
export const corpus: fc.Arbitrary<Buffer[]> = fc
  .array(
    fc.oneof(
      { weight: 1, arbitrary: fc.constant(Buffer.alloc(0)) },
      { weight: 12, arbitrary: smallDocument },
      { weight: 3, arbitrary: largeDocument },
    ),
    { minLength: 1, maxLength: 24 },
  )
  .map((documents) => documents.map(readable));

/** Makes a failure print the start of a document instead of every byte. */
function readable(document: Buffer): Buffer {
  return Object.assign(document, {
    [fc.toStringMethod]: () => `${document.length} bytes ${JSON.stringify(document.toString('latin1', 0, 200))}`,
  });
}

export interface NeedleChoice {
  readonly place: number;
  readonly border: number;
  readonly length: number;
  readonly isChanged: boolean;
  readonly foldCase: boolean;
}

/** Chooses a needle of 1 to 900 bytes; often at a border of blocks, where it can be missed. */
export const needleChoice: fc.Arbitrary<NeedleChoice> = fc.record({
  place: fc.double({ min: 0, max: 1, noNaN: true }),
  border: fc.constantFrom(0, 0, 1, 2),
  length: fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 12 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 900 }) },
  ),
  isChanged: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  foldCase: fc.boolean(),
});

/** The needle that a choice means in a text; undefined in an empty one. */
export function needleIn(content: Buffer, { place, border, length, isChanged }: NeedleChoice): Buffer | undefined {
  if (content.length === 0) return undefined;
  const at = Math.floor(place * (content.length - 1));
  const start =
    border === 0
      ? at
      : Math.max(0, Math.round(at / 4096) * 4096 - (border === 1 ? Math.floor(length / 2) : length - 1));
  const needle = Buffer.from(content.subarray(Math.min(start, content.length - 1), start + length));
  if (isChanged) needle[needle.length - 1] = (needle[needle.length - 1] ?? 0) ^ 1;
  return needle;
}
