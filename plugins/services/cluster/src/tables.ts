import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export interface ClusterTables {
  cluster_node: {
    name: string;
    url: string;
    state: 'serving' | 'draining' | 'lost';
    /** It grows while the node lives. */
    beats: number;
    epoch: string;
    protocol: number;
    repositories: number;
    waiting: number;
  };
}

export const migrations: Readonly<Record<string, Migration>> = {
  '1-nodes': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('cluster_node')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('url', 'text', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('beats', 'bigint', (column) => column.notNull())
        .addColumn('epoch', 'text', (column) => column.notNull())
        .addColumn('protocol', 'integer', (column) => column.notNull())
        .addColumn('repositories', 'integer', (column) => column.notNull())
        .addColumn('waiting', 'integer', (column) => column.notNull())
        .execute();
    },
  },
};
