import { hash } from 'node:crypto';
import { isAhead } from '@sextant/contracts';
import type { Kysely } from 'kysely';
import type { SessionTables } from './tables.ts';

export interface StoredSession {
  readonly userId: number;
  /** Milliseconds since 1970, as all times here. */
  readonly signedInAt: number;
}

export interface SessionLifetime {
  /** Longest time without a request. */
  idleMs: number;
  /** Longest time at all. */
  absoluteMs: number;
}

/** A session is written as seen again after this part of the time that it may be idle: most requests write nothing. */
const seenPart = 1 / 50;

/** Sessions under the hash of their secret. No salt and no slowness are needed: nobody guesses 256 bits. */
export class SessionStore {
  readonly #db: Kysely<SessionTables>;
  readonly #lifetime: SessionLifetime;

  constructor(db: Kysely<SessionTables>, lifetime: SessionLifetime) {
    this.#db = db;
    this.#lifetime = lifetime;
  }

  /**
   * Undefined when it ended, also by not being used: then it is removed, and a clock that goes back does not bring it back.
   * One that begins in the future was begun under such a clock, and would last for so much longer.
   */
  async find(secret: string): Promise<StoredSession | undefined> {
    const now = Date.now();
    const { idleMs, absoluteMs } = this.#lifetime;
    const row = await this.#db.selectFrom('session').selectAll().where('hash', '=', hashOf(secret)).executeTakeFirst();
    if (!row || isAhead(row.signed_in_at, now)) return undefined;
    if (row.seen_at <= now - idleMs || row.signed_in_at <= now - absoluteMs) {
      await this.remove(secret);
      return undefined;
    }
    if (Math.abs(now - row.seen_at) > idleMs * seenPart)
      await this.#db.updateTable('session').set({ seen_at: now }).where('hash', '=', row.hash).execute();
    return { userId: row.user_id, signedInAt: row.signed_in_at };
  }

  /** Also forgets all that ended by themselves. */
  async add(secret: string, userId: number): Promise<void> {
    const now = Date.now();
    await this.#db
      .deleteFrom('session')
      .where((where) =>
        where.or([
          where('seen_at', '<=', now - this.#lifetime.idleMs),
          where('signed_in_at', '<=', now - this.#lifetime.absoluteMs),
        ]),
      )
      .execute();
    await this.#db
      .insertInto('session')
      .values({ hash: hashOf(secret), user_id: userId, signed_in_at: now, seen_at: now })
      .execute();
  }

  /** Those of one user, or all, that have not ended, the one that was seen last first. */
  async list(userId?: number): Promise<readonly (StoredSession & { readonly seenAt: number })[]> {
    const now = Date.now();
    const { idleMs, absoluteMs } = this.#lifetime;
    const all = this.#db
      .selectFrom('session')
      .select(['user_id as userId', 'signed_in_at as signedInAt', 'seen_at as seenAt']);
    const rows = await (userId === undefined ? all : all.where('user_id', '=', userId))
      .where('seen_at', '>', now - idleMs)
      .where('signed_in_at', '>', now - absoluteMs)
      .orderBy('seen_at', 'desc')
      .execute();
    return rows.filter(({ signedInAt }) => !isAhead(signedInAt, now));
  }

  async remove(secret: string): Promise<void> {
    await this.#db.deleteFrom('session').where('hash', '=', hashOf(secret)).execute();
  }

  async removeAll(userId: number): Promise<void> {
    await this.#db.deleteFrom('session').where('user_id', '=', userId).execute();
  }
}

const hashOf = (secret: string): string => hash('sha256', secret, 'hex');
