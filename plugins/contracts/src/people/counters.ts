import { createHmac, randomBytes } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Database, Secrets } from '../storage/database.ts';

/** Most counters of one name. The counters that end first are removed. */
const mostKept = 100_000;
/** So many counts pass before the counters are counted. */
const tidyEvery = 500;

/** How often something may happen in a window of time, which begins when it happens first. */
export interface CounterLimit {
  /** What is counted: `account alice`. May be anything that a stranger typed: only a keyed hash of it is stored. */
  readonly key: string;
  readonly max: number;
  readonly windowMs: number;
}

export interface CountersOptions {
  database: Database;
  /** Has the key of the hashes. It is not in the tables, so a thief of the tables cannot try guesses. */
  secrets: Secrets;
  /** Keeps what one plugin counts apart from others. */
  name: string;
}

interface CounterTables {
  counter_window: {
    name: string;
    /** HMAC-SHA-256 of the key. */
    id: string;
    count: number;
    /** Milliseconds since 1970. */
    ends_at: number;
  };
}

/**
 * Counts for all processes on one database together. So a limit is not multiplied by the number of processes, and not
 * forgotten at a start. A window that ends later than one that would begin now is treated as over: a clock that is set
 * back locks nobody out.
 */
export class Counters {
  readonly #db: Kysely<CounterTables>;
  readonly #name: string;
  readonly #secret: string;
  #taken = 0;

  private constructor(db: Kysely<CounterTables>, name: string, secret: string) {
    this.#db = db;
    this.#name = name;
    this.#secret = secret;
  }

  static async open({ database, secrets, name }: CountersOptions): Promise<Counters> {
    const secret = await secrets.readOrMake('counters-key', newSecret);
    const db = await database.open<CounterTables>({ name: 'counter', migrations, isLog: true });
    return new Counters(db, name, secret);
  }

  /** Counts one for each limit, or nothing at all where one of them is reached: then the seconds until there is room. */
  async take(limits: readonly CounterLimit[]): Promise<number | undefined> {
    this.#taken += 1;
    if (this.#taken % tidyEvery === 0) await this.#dropSuperfluous();
    return this.#db.transaction().execute(async (transaction) => {
      const now = Date.now();
      await transaction.deleteFrom('counter_window').where('ends_at', '<=', now).execute();
      const counted = await this.#read(transaction, limits, now);
      const waits = counted.filter(({ max, count }) => count >= max).map(({ ends_at: end }) => end - now);
      if (waits.length > 0) return Math.ceil(Math.max(...waits) / 1000);
      await this.#write(transaction, counted);
      return undefined;
    });
  }

  /** Takes back what was counted, where it did not deserve to be. */
  async giveBack(limits: readonly CounterLimit[]): Promise<void> {
    const ids = limits.map(({ key }) => this.#idOf(key));
    // In a transaction: another one that has read the counts must not write them back after this.
    await this.#db.transaction().execute((transaction) =>
      transaction
        .updateTable('counter_window')
        .set(({ eb }) => ({ count: eb('count', '-', 1) }))
        .where('name', '=', this.#name)
        .where('id', 'in', ids)
        .where('count', '>', 0)
        .execute(),
    );
  }

  /** Whether anything is counted for it at this moment. */
  async isCounted(limit: CounterLimit): Promise<boolean> {
    const counted = await this.#read(this.#db, [limit], Date.now());
    return counted.some(({ count }) => count > 0);
  }

  async #read(db: Kysely<CounterTables>, limits: readonly CounterLimit[], now: number): Promise<Counted[]> {
    const wanted = limits.map((limit) => ({ ...limit, id: this.#idOf(limit.key) }));
    const ids = wanted.map(({ id }) => id);
    const rows = await db
      .selectFrom('counter_window')
      .select(['id', 'count', 'ends_at'])
      .where('name', '=', this.#name)
      .where('id', 'in', ids)
      .execute();
    return wanted.map(({ id, max, windowMs }) => {
      const row = rows.find((each) => each.id === id);
      const isRunning = row !== undefined && row.ends_at > now && row.ends_at <= now + windowMs;
      return { id, max, ...(isRunning ? row : { count: 0, ends_at: now + windowMs }) };
    });
  }

  async #write(transaction: Transaction<CounterTables>, counted: readonly Counted[]): Promise<void> {
    const rows = counted.map(({ id, count, ends_at }) => ({ name: this.#name, id, count: count + 1, ends_at }));
    await transaction
      .insertInto('counter_window')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['name', 'id']).doUpdateSet(({ ref }) => ({
          count: ref('excluded.count'),
          ends_at: ref('excluded.ends_at'),
        })),
      )
      .execute();
  }

  async #dropSuperfluous(): Promise<void> {
    const ofName = this.#db.selectFrom('counter_window').where('name', '=', this.#name);
    const { count } = await ofName.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
    if (count <= mostKept) return;
    const superfluous = ofName
      .select('id')
      .orderBy('ends_at')
      .limit(count - mostKept);
    await this.#db.deleteFrom('counter_window').where('name', '=', this.#name).where('id', 'in', superfluous).execute();
  }

  #idOf(key: string): string {
    return createHmac('sha256', this.#secret).update(`${this.#name} ${key}`).digest('base64url');
  }
}

const newSecret = (): string => randomBytes(32).toString('base64url');

interface Counted {
  readonly id: string;
  readonly max: number;
  readonly count: number;
  readonly ends_at: number;
}

const migrations: Readonly<Record<string, Migration>> = {
  '1-windows': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('counter_window')
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('id', 'text', (column) => column.notNull())
        .addColumn('count', 'integer', (column) => column.notNull())
        .addColumn('ends_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('counter_window_key', ['name', 'id'])
        .execute();
      await db.schema.createIndex('counter_window_end').on('counter_window').column('ends_at').execute();
    },
  },
};
