/** Strings, each once, by numbers from 0. */
export class StringNumbers {
  readonly strings: string[] = [];
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.strings.length);
    return this.strings.push(text) - 1;
  }
}
