/** Work that is done one after the other; what fails does not keep the next from it. */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all that is in it by now has ended. */
  get settled(): Promise<unknown> {
    return this.#last;
  }
}
