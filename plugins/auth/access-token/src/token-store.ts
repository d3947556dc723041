import { SextantError } from '@sextant/core';
import type { Scope } from '@sextant/core';
import { sql } from 'kysely';
import type { Kysely, Selectable } from 'kysely';
import { z } from 'zod';
import { hashOf, newSecret } from './secret.ts';
import type { AccessTokenTables } from './tables.ts';

export interface AccessToken {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly lastUsedAt?: number;
  /** Whether it was refused because it had expired. */
  readonly hasEnded: boolean;
}

export interface NewToken {
  userId: number;
  name: string;
  scopes: readonly Scope[];
  expiresAt?: number;
}

/** A token and its secret, of which only the hash is stored. */
export interface CreatedToken extends AccessToken {
  readonly secret: string;
}

type Row = Selectable<AccessTokenTables['access_token']>;

const storedScopes = z.array(z.string());

/** Uses in one statement: two parameters each. */
const usesAtOnce = 500;

/** The tokens that were issued, without their secrets. */
export class TokenStore {
  readonly #db: Kysely<AccessTokenTables>;

  constructor(db: Kysely<AccessTokenTables>) {
    this.#db = db;
  }

  async create({ userId, name, scopes, expiresAt }: NewToken): Promise<CreatedToken> {
    const secret = newSecret();
    const row = await this.#db
      .insertInto('access_token')
      .values({
        hash: hashOf(secret),
        user_id: userId,
        name,
        scopes: JSON.stringify(scopes),
        created_at: Date.now(),
        expires_at: expiresAt ?? null,
        last_used_at: null,
        ended_at: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return { ...toToken(row), secret };
  }

  /** Creates the first token of all; undefined when it was created before, by whichever process. */
  async createFirst(token: NewToken): Promise<CreatedToken | undefined> {
    return this.#db.transaction().execute(async (transaction) => {
      const claimed = await transaction
        .insertInto('access_token_first')
        .values({ id: 1 })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return claimed.numInsertedOrUpdatedRows === 1n ? new TokenStore(transaction).create(token) : undefined;
    });
  }

  async findByHash(hash: string): Promise<AccessToken | undefined> {
    const row = await this.#db.selectFrom('access_token').selectAll().where('hash', '=', hash).executeTakeFirst();
    return row && toToken(row);
  }

  /** Of one user, or all; oldest first. */
  async list(userId?: number): Promise<AccessToken[]> {
    const all = this.#db.selectFrom('access_token').selectAll().orderBy('id');
    const rows = await (userId === undefined ? all : all.where('user_id', '=', userId)).execute();
    return rows.map(toToken);
  }

  /** Throws `not_found`. */
  async revoke(id: number): Promise<void> {
    const { numDeletedRows } = await this.#db.deleteFrom('access_token').where('id', '=', id).executeTakeFirst();
    if (numDeletedRows === 0n)
      throw new SextantError('not_found', `there is no token ${id}; token list shows those there are`);
  }

  /** Notes that a token has expired, for good. */
  async end(id: number): Promise<void> {
    await this.#db
      .updateTable('access_token')
      .set({ ended_at: Date.now() })
      .where('id', '=', id)
      .where('ended_at', 'is', null)
      .execute();
  }

  /** Notes when tokens were used last: token id to time. A later time that another process noted stays. */
  async noteUses(uses: ReadonlyMap<number, number>): Promise<void> {
    const all = [...uses];
    for (let start = 0; start < all.length; start += usesAtOnce) {
      const rows = all.slice(start, start + usesAtOnce);
      // The columns of `values` have these names in SQLite and in PostgreSQL.
      const values = sql.join(rows.map(([id, at]) => sql`(cast(${id} as bigint), cast(${at} as bigint))`));
      await sql`update "access_token" set "last_used_at" = used.column2 from (values ${values}) as used
        where "access_token"."id" = used.column1
        and ("last_used_at" is null or "last_used_at" < used.column2)`.execute(this.#db);
    }
  }
}

const toToken = (row: Row): AccessToken => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  scopes: storedScopes.parse(JSON.parse(row.scopes)),
  createdAt: row.created_at,
  hasEnded: row.ended_at !== null,
  ...(row.expires_at !== null && { expiresAt: row.expires_at }),
  ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
});
