import type { JobResult } from './protocol.ts';

/** A search, in parts that threads run: more while it runs, when another thread helps. */
export class RunningSearch {
  readonly #results: JobResult[] = [];
  readonly #outcome = Promise.withResolvers<JobResult[]>();
  #parts = 0;

  constructor() {
    // It may fail before anyone waits for it.
    this.#outcome.promise.catch(() => undefined);
  }

  /** The results of all parts, in no order. */
  get results(): Promise<JobResult[]> {
    return this.#outcome.promise;
  }

  addPart(): void {
    this.#parts += 1;
  }

  /** Takes the result of a part. */
  finishPart(result: JobResult): void {
    this.#results.push(result);
    if (this.#results.length === this.#parts) this.#outcome.resolve(this.#results);
  }

  fail(error: unknown): void {
    this.#outcome.reject(error);
  }
}
