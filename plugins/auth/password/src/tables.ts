import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export interface PasswordTables {
  password: {
    user_id: number;
    /** What `hashPassword` made. */
    hash: string;
    /** Milliseconds since 1970. */
    changed_at: number;
  };
}

export const migrations: Readonly<Record<string, Migration>> = {
  '1-passwords': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('password')
        .addColumn('user_id', 'integer', (column) => column.primaryKey())
        .addColumn('hash', 'text', (column) => column.notNull())
        .addColumn('changed_at', 'bigint', (column) => column.notNull())
        .execute();
    },
  },
};
