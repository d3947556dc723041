import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export interface SessionTables {
  session: {
    /** SHA-256 of what is in the cookie, in hex. The cookie itself is stored nowhere. */
    hash: string;
    user_id: number;
    /** Milliseconds since 1970, as all times here. */
    signed_in_at: number;
    seen_at: number;
  };
  sign_in_link: {
    /** SHA-256 of the code in the link, in hex. */
    hash: string;
    user_id: number;
    made_at: number;
    ends_at: number;
  };
}

export const migrations: Readonly<Record<string, Migration>> = {
  '1-sessions': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('session')
        .addColumn('hash', 'text', (column) => column.primaryKey())
        .addColumn('user_id', 'integer', (column) => column.notNull())
        .addColumn('signed_in_at', 'bigint', (column) => column.notNull())
        .addColumn('seen_at', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('session_user').on('session').column('user_id').execute();
    },
  },
  '2-sign-in-links': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('sign_in_link')
        .addColumn('hash', 'text', (column) => column.primaryKey())
        .addColumn('user_id', 'integer', (column) => column.notNull())
        .addColumn('made_at', 'bigint', (column) => column.notNull())
        .addColumn('ends_at', 'bigint', (column) => column.notNull())
        .execute();
    },
  },
};
