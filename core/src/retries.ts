/** What fails is done again after this many milliseconds, then after twice as long each time, up to the longest. */
const [firstPauseMs, longestPauseMs] = [1000, 600_000];

/** Work in the background, told apart by names, that is done again when it failed: a full disk has room again without anybody telling. */
export class Retries {
  readonly #again: (name: string) => void;
  readonly #pausesMs = new Map<string, number>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #times = new Map<string, number>();

  /** Called with a name after each pause; a process does not stay alive for it. */
  constructor(again: (name: string) => void) {
    this.#again = again;
  }

  /** Whether that is so for the first time since it succeeded is told: what fails again need not be told again. */
  failed(name: string): boolean {
    const last = this.#pausesMs.get(name);
    const pauseMs = last === undefined ? firstPauseMs : Math.min(longestPauseMs, 2 * last);
    this.#pausesMs.set(name, pauseMs);
    this.#times.set(name, Date.now() + pauseMs);
    clearTimeout(this.#timers.get(name));
    this.#timers.set(name, setTimeout(() => this.#again(name), pauseMs).unref());
    return last === undefined;
  }

  /** When what failed is tried again, RFC 3339; nothing for what did not fail. */
  nextTry(name: string): { nextTry: string } | undefined {
    const time = this.#times.get(name);
    return time === undefined ? undefined : { nextTry: new Date(time).toISOString() };
  }

  succeeded(name: string): void {
    this.#pausesMs.delete(name);
    this.#times.delete(name);
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
  }

  close(): void {
    for (const name of this.#timers.keys()) this.succeeded(name);
  }
}
