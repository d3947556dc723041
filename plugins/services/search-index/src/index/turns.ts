/** One at a time; what someone waits for goes before what is done in the background. */
export class Turns {
  readonly #urgent: (() => void)[] = [];
  readonly #patient: (() => void)[] = [];
  #isTaken = false;

  async run<T>(work: () => Promise<T>, isUrgent: boolean): Promise<T> {
    if (this.#isTaken) await new Promise<void>((resolve) => (isUrgent ? this.#urgent : this.#patient).push(resolve));
    this.#isTaken = true;
    try {
      return await work();
    } finally {
      this.#isTaken = false;
      (this.#urgent.shift() ?? this.#patient.shift())?.();
    }
  }
}
