const priorities = ['urgent', 'patient', 'idle'] as const;
/** What someone waits for, what is done in the background, and what may wait until nothing else is to be done. */
export type Priority = (typeof priorities)[number];

/** One at a time, by priority. */
export class Turns {
  readonly #waiting: Readonly<Record<Priority, (() => void)[]>> = { urgent: [], patient: [], idle: [] };
  #isTaken = false;

  async run<T>(work: () => Promise<T>, priority: Priority): Promise<T> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting[priority].push(resolve));
    else this.#isTaken = true;
    try {
      return await work();
    } finally {
      const next = priorities.map((each) => this.#waiting[each]).find(({ length }) => length > 0);
      // Handed over without a moment in which it is free: whoever came in just then would run beside the next one.
      if (next) next.shift()?.();
      else this.#isTaken = false;
    }
  }
}
