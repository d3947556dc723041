/** A name in a file, as a compiler sees it. Lines from 0. */
export interface Occurrence {
  readonly path: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly symbol: string;
  readonly isDefinition: boolean;
}

type Field = readonly [number: number, value: number | Uint8Array];

/** The occurrences of names of a SCIP index (https://github.com/sourcegraph/scip). */
export function* occurrencesIn(index: Uint8Array): Generator<Occurrence> {
  for (const [number, document] of fieldsOf(index)) {
    if (number !== 2 || typeof document === 'number') continue;
    const fields = [...fieldsOf(document)];
    const path = textOf(fields, 1);
    for (const [field, occurrence] of fields)
      if (field === 2 && typeof occurrence !== 'number') yield occurrenceOf(path, [...fieldsOf(occurrence)]);
  }
}

function occurrenceOf(path: string, fields: readonly Field[]): Occurrence {
  const [line = 0, start = 0, third = 0, fourth] = rangeOf(fields);
  const roles = fields.find(([number]) => number === 3)?.[1];
  const isDefinition = typeof roles === 'number' && (roles & 1) === 1;
  return { path, line, start, end: fourth ?? third, symbol: textOf(fields, 2), isDefinition };
}

/** As numbers side by side (`range`), or as a message of its own (`single_line_range`), which newer indexers write. */
function rangeOf(fields: readonly Field[]): number[] {
  const [, range] = fields.find(([number]) => number === 1) ?? [];
  if (range instanceof Uint8Array) return [...varintsOf(range)];
  const [, single] = fields.find(([number]) => number === 8) ?? [];
  if (!(single instanceof Uint8Array)) return [];
  const numbers = new Map(fieldsOf(single));
  return [1, 2, 3].map((number) => Number(numbers.get(number) ?? 0));
}

function textOf(fields: readonly Field[], wanted: number): string {
  const value = fields.find(([number]) => number === wanted)?.[1];
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : '';
}

function* varintsOf(bytes: Uint8Array): Generator<number> {
  for (let at = 0; at < bytes.length; ) {
    const [value, next] = varint(bytes, at);
    yield value;
    at = next;
  }
}

/** The fields of a protocol buffers message; numbers of fixed size are left out. */
function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  for (let at = 0; at < bytes.length; ) {
    const [tag, begin] = varint(bytes, at);
    const wire = tag & 7;
    if (wire === 1 || wire === 5) at = begin + (wire === 1 ? 8 : 4);
    else {
      const [value, next] = varint(bytes, begin);
      at = wire === 2 ? next + value : next;
      if (at > bytes.length) throw new Error('the SCIP file ends too early');
      yield [tag >>> 3, wire === 2 ? bytes.subarray(next, at) : value];
    }
  }
}

function varint(bytes: Uint8Array, from: number): [value: number, next: number] {
  let value = 0;
  for (let at = from, scale = 1; at < bytes.length; at += 1, scale *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 127) * scale;
    if (byte < 128) return [value, at + 1];
  }
  throw new Error('the SCIP file ends too early');
}
