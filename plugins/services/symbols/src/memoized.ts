/** Promises by key. Callers that ask while a promise is pending share it, and its failure. */
export class Memoized<T> {
  readonly #begun = new Map<string, Promise<T>>();

  /** The parts of a key are names, paths and hashes. None of them has a NUL. */
  find(key: readonly string[], begin: () => Promise<T>): Promise<T> {
    const joined = key.join('\0');
    const found = this.#begun.get(joined) ?? begin();
    this.#begun.set(joined, found);
    return found;
  }
}
