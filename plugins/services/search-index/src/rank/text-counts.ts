/** How often each word stands in the texts that were looked at, in memory that all threads of a question share. */
export class TextCounts {
  readonly #counts: Float32Array;
  readonly #texts: number;

  constructor(counts: Float32Array, texts: number) {
    this.#counts = counts;
    this.#texts = texts;
  }

  set(word: number, at: number, counts: Float32Array): void {
    this.#counts.set(counts, word * this.#texts + at);
  }

  of(word: number, at: number): number {
    return this.#counts[word * this.#texts + at] ?? 0;
  }
}
