const FIELDS = 6;
const START = 4;
const END = 5;
const WORD_START = 0x8000_0000;
const WORD_END = 0x4000_0000;
const LINE = 0x3fff_ffff;
/** In the place of the line start: this is no match, its line number is a number of further matching lines. */
const MORE = 0xffff_ffff;

/** A match. Offsets are content offsets. */
export interface Match {
  document: number;
  /** Counted from 0. */
  line: number;
  /** Bounds of the line (without its newline) in which the match starts. */
  lineStart: number;
  lineEnd: number;
  start: number;
  end: number;
  /** Whether the match begins and ends at a word boundary. Words are letters, digits, _ and bytes beyond ASCII. */
  isWordStart: boolean;
  isWordEnd: boolean;
}

/** A match for `Matches.at` to fill in. */
export const emptyMatch = (): Match => ({
  document: 0,
  line: 0,
  lineStart: 0,
  lineEnd: 0,
  start: 0,
  end: 0,
  isWordStart: false,
  isWordEnd: false,
});

/** Matches in content order. A record is six u32: document, line | word flags, line start, line end, start, end. */
export class Matches {
  readonly data: Uint32Array;

  constructor(data: Uint32Array = new Uint32Array()) {
    this.data = data;
  }

  get length(): number {
    return this.data.length / FIELDS;
  }

  /** Match number `index`. It is written to `match` if given, which avoids an object per match. */
  at(index: number, match: Match = emptyMatch()): Match {
    const { data } = this;
    const from = index * FIELDS;
    const line = data[from + 1] ?? 0;
    match.document = data[from] ?? 0;
    match.line = line & LINE;
    match.lineStart = data[from + 2] ?? 0;
    match.lineEnd = data[from + 3] ?? 0;
    match.start = data[from + 4] ?? 0;
    match.end = data[from + 5] ?? 0;
    match.isWordStart = (line & WORD_START) !== 0;
    match.isWordEnd = (line & WORD_END) !== 0;
    return match;
  }

  *[Symbol.iterator](): Generator<Match> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }

  /** The matches of each document. They share the memory of these matches. */
  *byDocument(): Generator<{ readonly document: number; readonly matches: Matches }> {
    const { data } = this;
    for (let from = 0, to = 0; from < data.length; from = to) {
      const document = data[from] ?? 0;
      while (to < data.length && data[to] === document) to += FIELDS;
      yield { document, matches: new Matches(data.subarray(from, to)) };
    }
  }

  /** For the matches of one document: those that are matches, and the number of further matching lines. */
  counted(): { matches: Matches; more: number } {
    let [more, end] = [0, this.data.length];
    for (; end > 0 && this.data[end - FIELDS + 2] === MORE; end -= FIELDS) more += this.data[end - FIELDS + 1] ?? 0;
    return { matches: end === this.data.length ? this : new Matches(this.data.subarray(0, end)), more };
  }

  /** A copy of the matches with these indexes. */
  pick(numbers: readonly number[]): Matches {
    const data = new Uint32Array(numbers.length * FIELDS);
    let to = 0;
    for (const number of numbers)
      for (let from = number * FIELDS; from < (number + 1) * FIELDS; from++) data[to++] = this.data[from] ?? 0;
    return new Matches(data);
  }

  /** The documents with a match, ascending. */
  documents(): Uint32Array {
    const found: number[] = [];
    for (let i = 0; i < this.data.length; i += FIELDS) if (this.data[i] !== found.at(-1)) found.push(this.data[i] ?? 0);
    return Uint32Array.from(found);
  }

  /** A copy in memory of its own. */
  copy(): Matches {
    return new Matches(this.data.slice());
  }

  /** The matches in some documents, which must be ascending. */
  within(documents: Uint32Array): Matches {
    const { data } = this;
    const runs: Matches[] = [];
    let from = 0; // start of the current run
    for (let i = 0, k = 0; i <= data.length; i += FIELDS) {
      const document = data[i] ?? Infinity;
      while (k < documents.length && (documents[k] ?? 0) < document) k++;
      if (documents[k] === document) continue;
      if (i > from) runs.push(new Matches(data.subarray(from, i)));
      from = i + FIELDS;
    }
    return Matches.concat(runs);
  }

  static concat(parts: readonly Matches[]): Matches {
    const [first] = parts;
    if (first && parts.length === 1) return first;
    const data = new Uint32Array(parts.reduce((sum, part) => sum + part.data.length, 0));
    let size = 0;
    for (const part of parts) {
      data.set(part.data, size);
      size += part.data.length;
    }
    return new Matches(data);
  }

  /** Merges the matches of several searches in content order. Equal matches count once. */
  static merge(parts: readonly Matches[]): Matches {
    let runs = parts.filter((part) => part.length > 0);
    while (runs.length > 1) {
      const pairs: Matches[] = [];
      for (let i = 0; i < runs.length; i += 2) pairs.push(mergePair(runs[i], runs[i + 1]));
      runs = pairs;
    }
    return runs[0] ?? new Matches();
  }
}

/** Merges two ascending runs. Equal matches count once. */
function mergePair({ data: a } = new Matches(), other: Matches | undefined): Matches {
  if (!other) return new Matches(a);
  const { data: b } = other;
  const merged = new Uint32Array(a.length + b.length);
  let [i, j, size] = [0, 0, 0];
  while (i < a.length || j < b.length) {
    const order =
      i === a.length
        ? 1
        : j === b.length
          ? -1
          : difference(a, b, { i, j, field: START }) || difference(a, b, { i, j, field: END });
    const [source, at] = order <= 0 ? [a, i] : [b, j];
    for (let field = 0; field < FIELDS; field++) merged[size + field] = source[at + field] ?? 0;
    size += FIELDS;
    if (order <= 0) i += FIELDS;
    if (order >= 0) j += FIELDS;
  }
  return new Matches(merged.subarray(0, size));
}

function difference(a: Uint32Array, b: Uint32Array, { i, j, field }: { i: number; j: number; field: number }): number {
  return (a[i + field] ?? 0) - (b[j + field] ?? 0);
}
