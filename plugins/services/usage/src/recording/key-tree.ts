interface Leaf<V> {
  steps?: Map<string | number, Leaf<V>>;
  value?: V;
}

/**
 * Values by keys of several parts: to make one text of the parts for a map takes as long as to write an event. It is
 * smallest when the parts that differ most come last.
 */
export class KeyTree<V> {
  readonly #root: Leaf<V> = {};

  /** Where the value of a key is kept. */
  at(key: readonly (string | number)[]): { value?: V } {
    let leaf = this.#root;
    for (const part of key) {
      const steps = (leaf.steps ??= new Map());
      let next: Leaf<V> | undefined = steps.get(part);
      if (!next) steps.set(part, (next = {}));
      leaf = next;
    }
    return leaf;
  }
}
