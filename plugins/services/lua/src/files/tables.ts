import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export interface FileTables {
  evaluator_file: {
    id: string;
    user_id: number;
    name: string;
    bytes: number;
    /** Never null. */
    content: Uint8Array;
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
  // Before, the content was in a folder of one host. Files are kept for a day: those are given up.
  '2-content': {
    up: async (db: Kysely<FileTables>) => {
      await db.deleteFrom('evaluator_file').execute();
      await db.schema.alterTable('evaluator_file').addColumn('content', 'blob').execute();
    },
  },
};
