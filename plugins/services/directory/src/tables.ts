import { sql } from 'kysely';
import type { Generated, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export interface DirectoryTables {
  directory_user: {
    /** Given once: AUTOINCREMENT never gives a number again. */
    id: Generated<number>;
    name: string;
    email: string | null;
    is_service_account: number;
    is_site_admin: number;
    is_disabled: Generated<number>;
    /** 1 while the configuration names the user. */
    is_configured: Generated<number>;
    /** JSON array of custom roles. */
    roles: string;
  };
}

/** Names are unique whatever the case. */
export const migrations: Readonly<Record<string, Migration>> = {
  '2026-11-21-users': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('directory_user')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('email', 'text')
        .addColumn('is_service_account', 'integer', (column) => column.notNull().defaultTo(0))
        .addColumn('is_site_admin', 'integer', (column) => column.notNull().defaultTo(0))
        .addColumn('is_disabled', 'integer', (column) => column.notNull().defaultTo(0))
        .addColumn('is_configured', 'integer', (column) => column.notNull().defaultTo(0))
        .addColumn('roles', 'text', (column) => column.notNull().defaultTo('[]'))
        .execute();
      await db.schema.createIndex('directory_user_name').on('directory_user').expression(sql`lower(name)`).unique().execute();
    },
  },
};
