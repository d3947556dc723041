/** One at a time; what someone waits for goes before what is done in the background. */
export class Turns {
  readonly #urgent: (() => void)[] = [];
  readonly #patient: (() => void)[] = [];
  #isTaken = false;

  async run<T>(work: () => Promise<T>, isUrgent: boolean): Promise<T> {
    if (this.#isTaken) await new Promise<void>((resolve) => (isUrgent ? this.#urgent : this.#patient).push(resolve));
    else this.#isTaken = true;
    try {
      return await work();
    } finally {
      const next = this.#urgent.shift() ?? this.#patient.shift();
      // Handed over without a moment in which it is free: whoever came in just then would run beside the next one.
      if (next) next();
      else this.#isTaken = false;
    }
  }
}
