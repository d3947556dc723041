import type { Generated, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export interface AuditTables {
  audit_event: {
    id: Generated<number>;
    /** Milliseconds since 1970. */
    time: number;
    action: string;
    outcome: 'success' | 'failure';
    actor_id: number | null;
    actor_name: string | null;
    address: string | null;
    client: string | null;
    target: string | null;
    detail: string | null;
  };
}

export const migrations: Readonly<Record<string, Migration>> = {
  '1-events': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('audit_event')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('time', 'bigint', (column) => column.notNull())
        .addColumn('action', 'text', (column) => column.notNull())
        .addColumn('outcome', 'text', (column) => column.notNull())
        .addColumn('actor_id', 'integer')
        .addColumn('actor_name', 'text')
        .addColumn('address', 'text')
        .addColumn('client', 'text')
        .addColumn('target', 'text')
        .addColumn('detail', 'text')
        .execute();
      await db.schema.createIndex('audit_event_time').on('audit_event').column('time').execute();
    },
  },
};
