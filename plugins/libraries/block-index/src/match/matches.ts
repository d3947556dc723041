const FIELDS = 6;
const START = 4;
const END = 5;
const WORD_START = 0x8000_0000;
const WORD_END = 0x4000_0000;
const LINE = 0x3fff_ffff;
/** Where the start of a line would be: the number before it is one of lines that match and are not here. */
const MORE = 0xffff_ffff;

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

  /** The matches of each document that has any; they share the memory of these. */
  *byDocument(): Generator<{ readonly document: number; readonly matches: Matches }> {
    const { data } = this;
    for (let from = 0, to = 0; from < data.length; from = to) {
      const document = data[from] ?? 0;
      while (to < data.length && data[to] === document) to += FIELDS;
      yield { document, matches: new Matches(data.subarray(from, to)) };
    }
  }

  /** Of one document: its matches, and how many more lines of it match. */
  counted(): { matches: Matches; more: number } {
    let [more, end] = [0, this.data.length];
    for (; end > 0 && this.data[end - FIELDS + 2] === MORE; end -= FIELDS) more += this.data[end - FIELDS + 1] ?? 0;
    return { matches: end === this.data.length ? this : new Matches(this.data.subarray(0, end)), more };
  }

  /** Adds them to two numbers of each document from the first one on, as far as there are numbers: those at the start of a word, and others. */
  addCounts(counts: Uint32Array, first: number): void {
    for (let from = 0; from < this.data.length; from += FIELDS) {
      const document = (this.data[from] ?? 0) - first;
      if (document < 0 || 2 * document >= counts.length) continue;
      const at = 2 * document + (((this.data[from + 1] ?? 0) & WORD_START) === 0 ? 1 : 0);
      counts[at] = (counts[at] ?? 0) + 1;
    }
  }

  /** A copy of the matches with these numbers. */
  pick(numbers: readonly number[]): Matches {
    const data = new Uint32Array(numbers.length * FIELDS);
    let to = 0;
    for (const number of numbers)
      for (let from = number * FIELDS; from < (number + 1) * FIELDS; from++) data[to++] = this.data[from] ?? 0;
    return new Matches(data);
  }

  /** The documents that have a match, ascending. */
  documents(): Uint32Array {
    const found: number[] = [];
    for (let i = 0; i < this.data.length; i += FIELDS) if (this.data[i] !== found.at(-1)) found.push(this.data[i] ?? 0);
    return Uint32Array.from(found);
  }

  /** Those of them of whose matches something is true. */
  documentsWhere(isTrue: (document: number, matches: Matches) => boolean): Uint32Array {
    const found: number[] = [];
    for (const { document, matches } of this.byDocument()) if (isTrue(document, matches)) found.push(document);
    return Uint32Array.from(found);
  }

  /** These matches in memory of their own. */
  copy(): Matches {
    return new Matches(this.data.slice());
  }

  /** The matches in some documents, given in ascending order. */
  within(documents: Uint32Array, memory: MatchBuffer): Matches {
    const [first, ...others] = this.runsWithin(documents);
    if (!first || others.length === 0) return first ?? new Matches();
    for (const run of [first, ...others]) memory.add(run);
    return memory.take();
  }

  /** The same in parts that share the memory of these. */
  *runsWithin(documents: Uint32Array): Generator<Matches> {
    const { data } = this;
    let from = 0; // of the matches that are kept together
    for (let i = 0, k = 0; i < data.length; i += FIELDS) {
      const document = data[i] ?? 0;
      while (k < documents.length && (documents[k] ?? 0) < document) k++;
      if (documents[k] === document) continue;
      if (i > from) yield new Matches(data.subarray(from, i));
      from = i + FIELDS;
    }
    if (from < data.length) yield new Matches(data.subarray(from));
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
  static merge(parts: readonly Matches[], memory: MatchBuffer): Matches {
    let runs = parts.filter((part) => part.length > 0);
    while (runs.length > 1) {
      const pairs: Matches[] = [];
      for (let i = 0; i < runs.length; i += 2) pairs.push(mergePair(runs[i], runs[i + 1], memory));
      runs = pairs;
    }
    return runs[0] ?? new Matches();
  }
}

/** Two ascending runs as one; what both have counts once. */
function mergePair({ data: a } = new Matches(), other: Matches | undefined, memory: MatchBuffer): Matches {
  if (!other) return new Matches(a);
  const { data: b } = other;
  const merged = memory.room(a.length + b.length);
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
  return memory.keep(size);
}

function difference(a: Uint32Array, b: Uint32Array, { i, j, field }: { i: number; j: number; field: number }): number {
  return (a[i + field] ?? 0) - (b[j + field] ?? 0);
}

/** Numbers that there is always room for; what takes more is not kept for the next step. */
const KEPT = 1 << 21;

/**
 * The matches of one step of a search, in memory that is used again and again: what is put together on the way to them, and themselves, are good until
 * the next step begins. So there is nothing to collect, and no more than this is held by all searches of a thread.
 */
export class MatchBuffer {
  #data = new Uint32Array(KEPT);
  /** What is put together now stands between these, and before it what was taken in this step. */
  #start = 0;
  #end = 0;

  /** The matches of the last step are good no more. */
  begin(): void {
    [this.#start, this.#end] = [0, 0];
    if (this.#data.length > KEPT) this.#data = new Uint32Array(KEPT);
  }

  /** So many numbers to be filled in; `keep` says how many of them were. */
  room(length: number): Uint32Array {
    const end = this.#start + length;
    if (end > this.#data.length) this.#grow(length);
    return this.#data.subarray(this.#start, this.#start + length);
  }

  keep(length: number): Matches {
    this.#end = this.#start + length;
    return this.take();
  }

  add({ data }: Matches): void {
    const end = this.#end + data.length;
    if (end > this.#data.length) this.#grow(end - this.#start);
    this.#data.set(data, this.#end);
    this.#end += data.length;
  }

  /** All that were added. */
  take(): Matches {
    const matches = new Matches(this.#data.subarray(this.#start, this.#end));
    this.#start = this.#end;
    return matches;
  }

  /** Forgets what was added and not taken. */
  drop(): void {
    this.#end = this.#start;
  }

  /** What was taken stays where it is. */
  #grow(length: number): void {
    const added = this.#data.subarray(this.#start, this.#end);
    this.#data = new Uint32Array(Math.max(length, 2 * added.length, KEPT));
    this.#data.set(added);
    [this.#start, this.#end] = [0, added.length];
  }
}
