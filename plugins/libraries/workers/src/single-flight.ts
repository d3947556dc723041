import { unlessAborted } from '@sextant/core';

interface Flight<T> {
  readonly result: Promise<T>;
  readonly ending: AbortController;
  waiting: number;
}

/** Work in flight by key. Who asks for the same shares it, and its failure. It is aborted when nobody waits for it any more. */
export class SingleFlight<K, T> {
  readonly #flights = new Map<K, Flight<T>>();

  /** Throws the reason of the signal as soon as that aborts, whatever the work does. */
  async run(key: K, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const flight = this.#flights.get(key) ?? this.#begin(key, work);
    flight.waiting += 1;
    try {
      return await unlessAborted(flight.result, signal);
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0) {
        if (this.#flights.get(key) === flight) this.#flights.delete(key);
        flight.ending.abort(new Error('nobody waits for it any more'));
      }
    }
  }

  #begin(key: K, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const ending = new AbortController();
    const flight = { result: work(ending.signal), ending, waiting: 0 };
    this.#flights.set(key, flight);
    return flight;
  }
}
