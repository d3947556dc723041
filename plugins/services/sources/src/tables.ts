import type { ColumnDefinitionBuilder, Generated, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export interface SourcesTables {
  /** What sources listed, also what is gone: numbers are never given again. */
  sources_repository: {
    /** Place of the repository in the bit sets of access lists. */
    number: Generated<number>;
    source: string;
    host_id: string;
    /** JSON of a `HostRepository`. */
    facts: string;
    /** JSON array of paths. */
    former_paths: string;
    is_gone: number;
  };
  sources_state: {
    source: string;
    /** Milliseconds since 1970 of the last complete list; null before the first. */
    listed_at: number | null;
    /** The newest change that was seen, RFC 3339. */
    changed_at: string;
  };
  /** What a user may read at a source. */
  sources_access: {
    source: string;
    user_id: number;
    account_id: string;
    login: string;
    /** JSON array of visibilities that are readable as a whole. */
    whole: string;
    /** Bit set of repositories, deflated, in base64. */
    repositories: string;
    listed_at: number;
  };
}

export const migrations: Readonly<Record<string, Migration>> = {
  '1-sources': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('sources_repository')
        .addColumn('number', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('source', 'text', isRequired)
        .addColumn('host_id', 'text', isRequired)
        .addColumn('facts', 'text', isRequired)
        .addColumn('former_paths', 'text', isRequired)
        .addColumn('is_gone', 'integer', isRequired)
        .addUniqueConstraint('sources_repository_key', ['source', 'host_id'])
        .execute();
      await db.schema
        .createTable('sources_state')
        .addColumn('source', 'text', (column) => column.primaryKey())
        .addColumn('listed_at', 'bigint')
        .addColumn('changed_at', 'text', isRequired)
        .execute();
      await db.schema
        .createTable('sources_access')
        .addColumn('source', 'text', isRequired)
        .addColumn('user_id', 'integer', isRequired)
        .addColumn('account_id', 'text', isRequired)
        .addColumn('login', 'text', isRequired)
        .addColumn('whole', 'text', isRequired)
        .addColumn('repositories', 'text', isRequired)
        .addColumn('listed_at', 'bigint', isRequired)
        .addPrimaryKeyConstraint('sources_access_key', ['source', 'user_id'])
        .execute();
    },
  },
};

const isRequired = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.notNull();
