/** What is found once for each key, also for those who ask while it is still looked for; what fails, fails for all of them. */
export class Memoized<T> {
  readonly #begun = new Map<string, Promise<T>>();

  /** The parts of a key have no NUL: names, paths and hashes. */
  find(key: readonly string[], begin: () => Promise<T>): Promise<T> {
    const joined = key.join('\0');
    const found = this.#begun.get(joined) ?? begin();
    this.#begun.set(joined, found);
    return found;
  }
}
