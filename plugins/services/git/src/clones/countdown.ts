/** Aborts its signal after so many seconds, without those for which it was stopped; never where they are infinite. */
export class Countdown {
  readonly #ending = new AbortController();
  readonly #wholeMs: number;
  #leftMs: number;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(seconds: number) {
    this.#wholeMs = seconds * 1000;
    this.#leftMs = this.#wholeMs;
    this.go();
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  go(): void {
    if (!Number.isFinite(this.#leftMs)) return;
    this.#since = performance.now();
    this.#timer = setTimeout(() => this.#ending.abort(), Math.max(0, this.#leftMs));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - this.#since;
  }

  restart(): void {
    clearTimeout(this.#timer);
    this.#leftMs = this.#wholeMs;
    this.go();
  }
}
