/** What is searched again and again of one commit: filters above all. */
const mostKept = 32;

/** The last answers by their keys. */
export class Kept<T> {
  readonly #answers = new Map<string, T>();

  find(key: string, make: () => T): T {
    const known = this.#answers.get(key);
    const answer = known ?? make();
    this.#answers.delete(key);
    this.#answers.set(key, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > mostKept && oldest !== undefined) this.#answers.delete(oldest);
    return answer;
  }
}
