import type { Logger, ServiceFailure } from '@sextant/core';

/** Tells that a code host makes requests wait. */
export class HostWaits {
  readonly #log: Pick<Logger, 'warn'>;
  /** Set when the source is open, which knows its host. */
  name = '';
  #until = 0;
  #since = '';

  constructor(log: Pick<Logger, 'warn'>) {
    this.#log = log;
  }

  note(seconds: number): void {
    this.#since = new Date().toISOString();
    this.#until = Date.now() + seconds * 1000;
    this.#log.warn({ source: this.name, seconds }, `a code host limits requests: the next one goes in ${seconds} s`);
  }

  /** While they wait. */
  get failure(): ServiceFailure | undefined {
    if (Date.now() >= this.#until) return undefined;
    const reason = 'the code host limits requests; what it has is listed when it takes the next one';
    return { name: `source ${this.name}`, reason, since: this.#since, nextTry: new Date(this.#until).toISOString() };
  }
}
