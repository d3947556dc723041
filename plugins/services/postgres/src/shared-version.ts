/**
 * A number that is read by one query for all calls that wait. Who asks while a query runs waits for the next one: the
 * running one may not see what was committed since it began.
 */
export class SharedVersion {
  readonly #query: () => Promise<number>;
  #running: Promise<number> | undefined;
  #next: Promise<number> | undefined;

  constructor(query: () => Promise<number>) {
    this.#query = query;
  }

  read(): Promise<number> {
    if (!this.#running) return this.#begin();
    this.#next ??= this.#running.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  #begin(): Promise<number> {
    this.#next = undefined;
    this.#running = this.#query().finally(() => (this.#running = undefined));
    return this.#running;
  }
}
