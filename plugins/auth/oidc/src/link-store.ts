import type { Identities, SignInIdentity } from '@sextant/contracts';
import type { Kysely } from 'kysely';
import type { OidcTables } from './tables.ts';

/** Which user of ours a person of a provider is. */
export class LinkStore implements Identities {
  readonly #db: Kysely<OidcTables>;

  constructor(db: Kysely<OidcTables>) {
    this.#db = db;
  }

  async find({ issuer, subject }: SignInIdentity): Promise<number | undefined> {
    const row = await this.#db
      .selectFrom('oidc_link')
      .select('user_id')
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
      .executeTakeFirst();
    return row?.user_id;
  }

  /** Who a user is at each provider. */
  async of(userId: number): Promise<readonly SignInIdentity[]> {
    return this.#db.selectFrom('oidc_link').select(['issuer', 'subject']).where('user_id', '=', userId).execute();
  }

  /** Whether it was added: a person is one user, and a user one person of an issuer. */
  async add({ issuer, subject }: SignInIdentity, userId: number): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto('oidc_link')
      .values({ issuer, subject, user_id: userId, linked_at: Date.now() })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }

  /** Whether there was one. */
  async removeOf(userId: number): Promise<boolean> {
    const { numDeletedRows } = await this.#db.deleteFrom('oidc_link').where('user_id', '=', userId).executeTakeFirst();
    return numDeletedRows > 0n;
  }
}
