/** Choices that look random; of the same seed always the same. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(count: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * count);
  }

  isOneOf(count: number): boolean {
    return this.below(count) === 0;
  }

  pick<T>(list: readonly T[]): T {
    const chosen = list[this.below(list.length)];
    if (chosen === undefined) throw new Error('there is nothing to choose from');
    return chosen;
  }

  /** So many neighbouring characters of a text, or all of it. */
  part(text: string, length: number): string {
    const characters = [...text];
    const from = this.below(Math.max(1, characters.length - length + 1));
    return characters.slice(from, from + length).join('');
  }
}
