const FIELDS = 6;
const WORD_START = 0x8000_0000;
const WORD_END = 0x4000_0000;
const LINE = 0x3fff_ffff;

/** One match; offsets are those of the content. */
export interface Match {
  document: number;
  /** Counted from 0. */
  line: number;
  /** Bounds of the line (without its newline) in which the match starts. */
  lineStart: number;
  lineEnd: number;
  start: number;
  end: number;
  /** Whether the match begins and ends at the border of a word (of letters, digits, _ and bytes beyond ASCII). */
  isWordStart: boolean;
  isWordEnd: boolean;
}

/** A match to be filled in. */
export const noMatch = (): Match => ({
  document: 0,
  line: 0,
  lineStart: 0,
  lineEnd: 0,
  start: 0,
  end: 0,
  isWordStart: false,
  isWordEnd: false,
});

/** Matches in the order of the content, six u32 each: document, line | word flags, line start, line end, start, end. */
export class Matches {
  readonly data: Uint32Array;

  constructor(data: Uint32Array = new Uint32Array()) {
    this.data = data;
  }

  get length(): number {
    return this.data.length / FIELDS;
  }

  /** The match of a number; filled into `match` where that is given, so that many cost no object each. */
  at(index: number, match: Match = noMatch()): Match {
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

  /** The documents that have a match, ascending. */
  documents(): Uint32Array {
    const found: number[] = [];
    for (let i = 0; i < this.data.length; i += FIELDS) if (this.data[i] !== found.at(-1)) found.push(this.data[i] ?? 0);
    return Uint32Array.from(found);
  }

  /** The matches in some documents, given in ascending order. */
  within(documents: Uint32Array): Matches {
    const kept = new Uint32Array(this.data.length);
    let size = 0;
    let k = 0;
    for (let i = 0; i < this.data.length; i += FIELDS) {
      const document = this.data[i] ?? 0;
      while (k < documents.length && (documents[k] ?? 0) < document) k++;
      if (documents[k] !== document) continue;
      kept.set(this.data.subarray(i, i + FIELDS), size);
      size += FIELDS;
    }
    return new Matches(size === this.data.length ? this.data : kept.slice(0, size));
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

  /** The matches of several searches in the order of the content; a match that several found counts once. */
  static merge(parts: readonly Matches[]): Matches {
    const some = parts.filter((part) => part.length > 0);
    const all = Matches.concat(some);
    if (some.length < 2) return all;
    const { data } = all;
    const field = (match: number, i: number): number => data[match * FIELDS + i] ?? 0;
    const order = Uint32Array.from({ length: all.length }, (_, i) => i).sort(
      (a, b) => field(a, 4) - field(b, 4) || field(a, 5) - field(b, 5),
    );
    const sorted = new Uint32Array(data.length);
    let size = 0;
    for (const match of order) {
      if (size > 0 && sorted[size - 2] === field(match, 4) && sorted[size - 1] === field(match, 5)) continue;
      sorted.set(data.subarray(match * FIELDS, match * FIELDS + FIELDS), size);
      size += FIELDS;
    }
    return new Matches(sorted.slice(0, size));
  }
}
