/** A range of a text. Two spans either do not overlap, or one lies in the other. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** Nested spans. Finds the smallest one around a place. */
export class Nesting {
  readonly #spans: readonly Span[];
  readonly #parents: readonly number[];

  constructor(spans: readonly Span[]) {
    this.#spans = spans.toSorted((a, b) => a.start - b.start || b.end - a.end);
    const open: number[] = [];
    this.#parents = this.#spans.map(({ start }, index) => {
      while (open.length > 0 && (this.#spans[open.at(-1) ?? 0]?.end ?? 0) <= start) open.pop();
      const parent = open.at(-1) ?? -1;
      open.push(index);
      return parent;
    });
  }

  /** The smallest span that lies around another and is not equal to it. */
  around({ start, end }: Span): Span | undefined {
    for (let index = this.#lastFrom(start); index >= 0; index = this.#parents[index] ?? -1) {
      const span = this.#spans[index];
      if (span && span.end >= end && (span.start < start || span.end > end)) return span;
    }
    return undefined;
  }

  /** Index of the last span that starts at or before an offset. */
  #lastFrom(offset: number): number {
    let low = 0;
    let high = this.#spans.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#spans[middle]?.start ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
