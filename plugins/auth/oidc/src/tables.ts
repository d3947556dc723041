import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export interface OidcTables {
  /** Who someone of a provider is here. */
  oidc_link: {
    issuer: string;
    /** Never given to someone else by the issuer (OpenID Connect Core section 5.7), unlike names and addresses. */
    subject: string;
    user_id: number;
    /** Milliseconds since 1970. */
    linked_at: number;
  };
}

export const migrations: Readonly<Record<string, Migration>> = {
  '1-links': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('oidc_link')
        .addColumn('issuer', 'text', (column) => column.notNull())
        .addColumn('subject', 'text', (column) => column.notNull())
        .addColumn('user_id', 'integer', (column) => column.notNull())
        .addColumn('linked_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('oidc_link_key', ['issuer', 'subject'])
        .addUniqueConstraint('oidc_link_user', ['issuer', 'user_id'])
        .execute();
    },
  },
};
