import { createHash, randomUUID } from 'node:crypto';
import { backoffMs, messageOf } from '@sextant/core';
import type { Announcements, Logger } from '@sextant/core';
import pg from 'pg';
import type { ClientConfig, QueryResult, QueryResultRow } from 'pg';
import { reasonOf, toldFailure } from './failure.ts';

type Listener = (text: string | undefined) => void;

/** Bytes. PostgreSQL refuses longer texts; a listener is then told that something happened. */
const longestText = 7000;

interface DirectQuery {
  /** Prepared once under that name. */
  name?: string;
  text: string;
  values?: unknown[];
}

export interface DirectConnectionOptions {
  config: ClientConfig;
  log: Logger;
}

/**
 * One connection of a host that is its own as long as it lives, also where a pooler stands before the server. It reads what
 * must never wait for the pool, and hears what other hosts announce.
 */
export class DirectConnection implements Announcements {
  readonly #options: DirectConnectionOptions;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #self = randomUUID();
  #client: Promise<pg.Client> | undefined;
  #reconnecting: NodeJS.Timeout | undefined;
  #idle: Promise<void> = Promise.resolve();
  #failure: { readonly reason: string; readonly since: string } | undefined;
  #channel = '';
  #isClosed = false;

  constructor(options: DirectConnectionOptions) {
    this.#options = options;
  }

  /** Since the database could not be used, until it can: a host that nobody asks notices it by its heartbeat. */
  get failure(): { readonly reason: string; readonly since: string } | undefined {
    return this.#failure;
  }

  /** One query after the other. */
  query<R extends QueryResultRow>(query: DirectQuery): Promise<QueryResult<R>> {
    const answer = this.#idle.then(() => this.#run<R>(query));
    this.#idle = answer.then(
      () => undefined,
      () => undefined,
    );
    return answer;
  }

  announce(topic: string, text: string): void {
    const said = JSON.stringify([this.#self, topic, text]);
    const values = [Buffer.byteLength(said) > longestText ? JSON.stringify([this.#self, topic]) : said];
    const notify = async (): Promise<void> => {
      await this.#connected();
      await this.query({ text: 'select pg_notify($1, $2)', values: [this.#channel, ...values] });
    };
    notify().catch((error: unknown) =>
      this.#options.log.warn({ topic }, `other hosts were not told at once: ${messageOf(error)}`),
    );
  }

  listen(topic: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#reconnecting);
    const client = await this.#client?.catch(() => undefined);
    await client?.end();
  }

  async #run<R extends QueryResultRow>(query: DirectQuery): Promise<QueryResult<R>> {
    try {
      const result = await (await this.#connected()).query<R>(query);
      this.#failure = undefined;
      return result;
    } catch (error) {
      const reason = reasonOf(error);
      if (reason !== undefined) this.#failure ??= { reason, since: new Date().toISOString() };
      throw toldFailure(error);
    }
  }

  async #connected(): Promise<pg.Client> {
    if (this.#isClosed) throw new Error('the connection is closed');
    this.#client ??= this.#connect().catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#options.config);
    client.on('error', () => undefined);
    client.on('end', () => this.#lost());
    client.on('notification', ({ payload = '' }) => this.#hear(payload));
    await client.connect();
    const { rows } = await client.query<{ schema: string | null }>('select current_schema() as schema');
    // Channels are of a whole database; another schema may be another installation.
    const schema = createHash('sha256')
      .update(rows[0]?.schema ?? '')
      .digest('hex');
    this.#channel = `sextant_${schema.slice(0, 16)}`;
    await client.query(`listen ${this.#channel}`);
    return client;
  }

  /** Comes back by itself, because who only listens asks for nothing. */
  #lost(attempt = 1): void {
    this.#client = undefined;
    if (this.#isClosed) return;
    clearTimeout(this.#reconnecting);
    const again = async (): Promise<void> => {
      try {
        await this.#connected();
        // What was said meanwhile was not heard.
        for (const listener of [...this.#listeners.values()].flatMap((each) => [...each])) listener(undefined);
      } catch {
        this.#lost(attempt + 1);
      }
    };
    this.#reconnecting = setTimeout(() => void again(), backoffMs(attempt, { firstMs: 100, longestMs: 2000 })).unref();
  }

  #hear(payload: string): void {
    const [from, topic, text] = JSON.parse(payload) as [string, string, string?];
    if (from !== this.#self) for (const listener of this.#listeners.get(topic) ?? []) listener(text);
  }
}
