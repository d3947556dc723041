import { sql } from 'kysely';
import type { ColumnDefinitionBuilder, Generated, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export interface CreditsTables {
  /** What was consumed for good. */
  credits_total: { bucket: string; user_id: number; amount: number };
  /** One row a call of the last hour, and what it has set aside until it is settled. */
  credits_use: {
    id: Generated<number>;
    user_id: number;
    tool: string;
    /** Null where no bucket pays for it. */
    bucket: string | null;
    amount: number;
    is_settled: number;
    /** Milliseconds since 1970. */
    started_at: number;
  };
}

export const migrations: Readonly<Record<string, Migration>> = {
  '1-credits': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('credits_total')
        .addColumn('bucket', 'text', isRequired)
        .addColumn('user_id', 'integer', isRequired)
        .addColumn('amount', 'bigint', isRequired)
        .addPrimaryKeyConstraint('credits_total_key', ['bucket', 'user_id'])
        .execute();
      await db.schema
        .createTable('credits_use')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('user_id', 'integer', isRequired)
        .addColumn('tool', 'text', isRequired)
        .addColumn('bucket', 'text')
        .addColumn('amount', 'bigint', isRequired)
        .addColumn('is_settled', 'integer', (column) => column.notNull().defaultTo(sql`0`))
        .addColumn('started_at', 'bigint', isRequired)
        .execute();
      await db.schema.createIndex('credits_use_user').on('credits_use').columns(['user_id', 'tool']).execute();
      await db.schema.createIndex('credits_use_bucket').on('credits_use').columns(['is_settled', 'bucket']).execute();
    },
  },
};

const isRequired = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.notNull();
