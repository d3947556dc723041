interface Leaf<V> {
  readonly steps: Map<string | number, Leaf<V>>;
  value?: V;
}

/** Values by keys of several parts: to make one text of the parts for a map takes as long as to write an event. */
export class KeyTree<V> {
  readonly #root: Leaf<V> = { steps: new Map() };

  /** Where the value of a key is kept. */
  at(key: readonly (string | number)[]): { value?: V } {
    let leaf = this.#root;
    for (const part of key) {
      let next = leaf.steps.get(part);
      if (!next) leaf.steps.set(part, (next = { steps: new Map() }));
      leaf = next;
    }
    return leaf;
  }
}
