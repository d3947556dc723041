import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export interface FileTables {
  evaluator_file: {
    id: string;
    user_id: number;
    name: string;
    bytes: number;
    /** Milliseconds since 1970. */
    created_at: number;
  };
}

export const migrations: Readonly<Record<string, Migration>> = {
  '1-files': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('evaluator_file')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('user_id', 'integer', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('bytes', 'bigint', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('evaluator_file_user').on('evaluator_file').column('user_id').execute();
    },
  },
};
