import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Client, ClientConfig, PoolClient } from 'pg';
import { toldFailure } from './failure.ts';

/** Connections that one store may use at once. Others of a busy store wait, and leave the rest to other stores. */
const connectionsPerStore = 4;

type Connection = Pick<PoolClient, 'query' | 'release'>;

/** Where stores get their connections. */
export interface Connections {
  readonly options: object;
  connect(): Promise<Connection>;
}

/** One connection, which whoever made it ends. */
export function onlyConnection(client: Client, options: ClientConfig): Connections {
  const connection = { query: client.query.bind(client), release: () => undefined };
  return { options, connect: async () => connection };
}

/** The connections of one store, out of the pool of all stores. */
export class StorePool implements PostgresPool {
  readonly options: object;
  readonly #pool: Connections;
  readonly #clients = new WeakMap<Connection, StoreClient>();
  readonly #waiting: (() => void)[] = [];
  #used = 0;

  constructor(pool: Connections) {
    this.#pool = pool;
    this.options = pool.options;
  }

  async connect(): Promise<PostgresPoolClient> {
    if (this.#used >= connectionsPerStore) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#used += 1;
    try {
      const client = await this.#pool.connect();
      const known = this.#clients.get(client) ?? new StoreClient(client, () => this.#leave());
      this.#clients.set(client, known);
      return known;
    } catch (error) {
      this.#leave();
      throw toldFailure(error);
    }
  }

  /** The pool belongs to all stores. */
  async end(): Promise<void> {}

  /** Hands the place on to who waits longest. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#used -= 1;
  }
}

/** A connection whose errors are told as such, and which can be given any text. */
class StoreClient implements PostgresPoolClient {
  readonly #client: Connection;
  readonly #whenReleased: () => void;

  constructor(client: Connection, whenReleased: () => void) {
    this.#client = client;
    this.#whenReleased = whenReleased;
  }

  // Kysely calls it with a text and its parameters, or with a cursor.
  query = ((query: string | object, parameters?: readonly unknown[]): unknown =>
    typeof query === 'string' ? this.#run(query, parameters) : this.#client.query(query as never)) as never;

  release(mustEnd = false): void {
    this.#client.release(mustEnd);
    this.#whenReleased();
  }

  async #run(text: string, parameters: readonly unknown[] = []): Promise<unknown> {
    try {
      return await (parameters.length === 0
        ? this.#client.query(text)
        : this.#client.query(text, parameters.map(stored)));
    } catch (error) {
      throw toldFailure(error);
    }
  }
}

/** PostgreSQL refuses U+0000 in text: one such name must not keep a whole batch from being written. */
export function stored(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD');
  return Array.isArray(value) ? value.map(stored) : value;
}
