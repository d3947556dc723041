import { LRUCache } from 'lru-cache';
import type { Database } from './database.ts';

export interface CommittedReadsOptions {
  database: Pick<Database, 'version'>;
  /** Most values that are kept: those that were asked for last. */
  max: number;
}

/**
 * Values read from a database. They are kept until anyone commits, so that the next read sees what another process changed.
 * Missing values are not kept: asking for much that does not exist pushes nothing out.
 */
export class CommittedReads<K extends string | number, V extends object | string> {
  readonly #options: CommittedReadsOptions;
  readonly #values: LRUCache<K, V>;
  #version: number | undefined;

  constructor(options: CommittedReadsOptions) {
    this.#options = options;
    this.#values = new LRUCache({ max: options.max });
  }

  /**
   * The value of a key; `load` reads it from the database unless it is known and still true. `asOf` is a version that was
   * read since the call began: several reads of one call ask for it once.
   */
  async read(key: K, load: (key: K) => Promise<V | undefined>, asOf?: number): Promise<V | undefined> {
    const version = asOf ?? (await this.#options.database.version());
    if (version === undefined) return load(key);
    if (version !== this.#version) this.#values.clear();
    this.#version = version;
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const value = await load(key);
    // A value that was read during a commit may be the old or the new one.
    if (value !== undefined && (await this.#options.database.version()) === version) this.#values.set(key, value);
    return value;
  }
}
