import type { Database } from './database.ts';

export interface CommittedReadsOptions {
  database: Pick<Database, 'version'>;
  /** How many values are kept; the one that was not asked for longest goes first. */
  max: number;
}

/**
 * Values read from a database, kept while nothing was committed by anyone: what another process changes holds for the
 * next read. What is not there is not kept, so that asking for much that does not exist pushes nothing out.
 */
export class CommittedReads<K, V> {
  readonly #options: CommittedReadsOptions;
  readonly #values = new Map<K, V>();
  #version: number | undefined;

  constructor(options: CommittedReadsOptions) {
    this.#options = options;
  }

  /** The value of a key; `load` reads it from the database unless it is known and still true. */
  async read(key: K, load: (key: K) => Promise<V | undefined>): Promise<V | undefined> {
    const version = this.#options.database.version();
    if (version === undefined) return load(key);
    if (version !== this.#version) this.#values.clear();
    this.#version = version;
    const known = this.#values.get(key);
    if (known !== undefined) return this.#keep(key, known);
    const value = await load(key);
    // What was read while something changed may be of before or after.
    return value !== undefined && this.#options.database.version() === version ? this.#keep(key, value) : value;
  }

  #keep(key: K, value: V): V {
    // A map is in the order of insertion: the first key is the one that was not asked for longest.
    this.#values.delete(key);
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (oldest !== undefined && this.#values.size > this.#options.max) this.#values.delete(oldest);
    return value;
  }
}
