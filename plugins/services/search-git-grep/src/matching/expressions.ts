/** Regular expressions by their source, each compiled once. */
export class Expressions {
  readonly #compiled = new Map<string, RegExp>();

  get(source: string): RegExp {
    const known = this.#compiled.get(source);
    if (known) return known;
    const compiled = new RegExp(source, 'u');
    this.#compiled.set(source, compiled);
    return compiled;
  }
}
