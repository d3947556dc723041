import { administratorName } from '@sextant/contracts';
import type { Generated, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export interface DirectoryTables {
  directory_user: {
    /** Given once: AUTOINCREMENT never gives a number again. */
    id: Generated<number>;
    name: string;
    /** The name in lower case: names are unique whatever the case. */
    name_key: string;
    email: Generated<string | null>;
    is_service_account: Generated<number>;
    is_site_admin: Generated<number>;
    is_disabled: Generated<number>;
    /** JSON array of custom roles. */
    roles: Generated<string>;
  };
  directory_role: {
    name: string;
    /** JSON array of permissions. */
    permissions: string;
  };
}

export const migrations: Readonly<Record<string, Migration>> = {
  '1-users': {
    up: async (db: Kysely<DirectoryTables>) => {
      await db.schema
        .createTable('directory_user')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('name_key', 'text', (column) => column.notNull().unique())
        .addColumn('email', 'text')
        .addColumn('is_service_account', 'integer', (column) => column.notNull().defaultTo(0))
        .addColumn('is_site_admin', 'integer', (column) => column.notNull().defaultTo(0))
        .addColumn('is_disabled', 'integer', (column) => column.notNull().defaultTo(0))
        .addColumn('roles', 'text', (column) => column.notNull().defaultTo('[]'))
        .execute();
      // Here and nowhere else, so that nobody is made administrator twice.
      await db
        .insertInto('directory_user')
        .values({ name: administratorName, name_key: administratorName, is_site_admin: 1 })
        .execute();
    },
  },
  '2-roles': {
    up: async (db: Kysely<DirectoryTables>) => {
      await db.schema
        .createTable('directory_role')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('permissions', 'text', (column) => column.notNull())
        .execute();
    },
  },
};
