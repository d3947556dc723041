import type { Generated, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export interface AccessTokenTables {
  access_token: {
    id: Generated<number>;
    /** SHA-256 of the whole token, in hex. The token itself is stored nowhere. */
    hash: string;
    user_id: number;
    name: string;
    /** JSON array. */
    scopes: string;
    /** Milliseconds since 1970, as all times here. */
    created_at: number;
    expires_at: number | null;
    last_used_at: number | null;
    /** When it was first refused because it had expired: that stays so though the clock may go back. */
    ended_at: number | null;
  };
  /** One row once the administrator's first token was issued. */
  access_token_first: { id: number };
}

export const migrations: Readonly<Record<string, Migration>> = {
  '2026-11-21-tokens': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('access_token')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('hash', 'text', (column) => column.notNull().unique())
        .addColumn('user_id', 'integer', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('scopes', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint')
        .addColumn('last_used_at', 'bigint')
        .execute();
      await db.schema.createIndex('access_token_user').on('access_token').column('user_id').execute();
      await db.schema
        .createTable('access_token_first')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .execute();
    },
  },
  '2026-11-24-ended': {
    up: async (db: Kysely<unknown>) => {
      await db.schema.alterTable('access_token').addColumn('ended_at', 'bigint').execute();
    },
  },
};
