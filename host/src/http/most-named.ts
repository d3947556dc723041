/** More would be no part of an answer that anybody reads. */
const mostNames = 1000;

/** What was named most; of several that were named as often the first. */
export class MostNamed {
  readonly #times = new Map<string, number>();

  add(name: string): void {
    const times = this.#times.get(name) ?? 0;
    if (times > 0 || this.#times.size < mostNames) this.#times.set(name, times + 1);
  }

  /** Undefined where nothing was named. */
  get name(): string | undefined {
    let [most, name]: [number, string | undefined] = [0, undefined];
    for (const [each, times] of this.#times) if (times > most) [most, name] = [times, each];
    return name;
  }
}
