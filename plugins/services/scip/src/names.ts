import type { ColumnUnit, Occurrence, ScipDocument } from './scip-format.ts';

/** What is read behind an occurrence to see whether it is called. */
const lengthBehind = 200;

/** The occurrences of a document whose text is a name, in quotes or not: keys of objects may stand in them. */
export function occurrencesOf(name: string, { unit, occurrences }: ScipDocument, text: string): Occurrence[] {
  const lines = new Lines(text, unit);
  const length = lengthIn(unit, name);
  return occurrences.filter(({ line, start, end }) => {
    // Most occurrences are told apart by their length, without a look at the text.
    if (end - start !== length && end - start !== length + 2) return false;
    const written = lines.slice(line, { start, end });
    return written === name || written?.replace(/^(['"`])(.*)\1$/, '$2') === name;
  });
}

/** Whether what stands behind an occurrence opens the arguments of a call. */
export function calledIn({ unit }: ScipDocument, text: string): (occurrence: Occurrence) => boolean {
  const lines = new Lines(text, unit);
  return ({ line, end }) => /^\s*\(/.test(lines.slice(line, { start: end, end: end + lengthBehind }) ?? '');
}

function lengthIn(unit: ColumnUnit, text: string): number {
  if (unit === 'utf-8') return Buffer.byteLength(text);
  return unit === 'utf-16' ? text.length : [...text].length;
}

type Slice = (start: number, end: number) => string;

/** The lines of a text by columns of a unit. Each is taken apart once: one may be long and have thousands of occurrences. */
class Lines {
  readonly #lines: readonly string[];
  readonly #unit: ColumnUnit;
  readonly #slices = new Map<number, Slice>();

  constructor(text: string, unit: ColumnUnit) {
    this.#lines = text.split(/\r\n|\n|\r/);
    this.#unit = unit;
  }

  /** Undefined for a line that is not there. */
  slice(line: number, { start, end }: { start: number; end: number }): string | undefined {
    const text = this.#lines[line];
    if (text === undefined) return undefined;
    const slice = this.#slices.get(line) ?? slicing(text, this.#unit);
    this.#slices.set(line, slice);
    return slice(start, end);
  }
}

function slicing(line: string, unit: ColumnUnit): Slice {
  // oxlint-disable-next-line no-control-regex -- What is ASCII alone counts the same in all units.
  if (unit === 'utf-16' || /^[\x00-\x7f]*$/.test(line)) return (start, end) => line.slice(start, end);
  if (unit === 'utf-8') {
    const bytes = Buffer.from(line);
    return (start, end) => bytes.subarray(start, end).toString();
  }
  const points = [...line];
  return (start, end) => points.slice(start, end).join('');
}
