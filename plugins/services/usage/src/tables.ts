import { SqliteAdapter, sql } from 'kysely';
import type { ColumnDefinitionBuilder, Generated, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export interface UsageTables {
  usage_event: {
    /** Never given again, so that what has been added up already is told by one number. */
    id: Generated<number>;
    /** Milliseconds since 1970. */
    started_at: number;
    /** `YYYY-MM-DD` in UTC. */
    day: string;
    user_id: number;
    client: string;
    kind: string;
    tool: string;
    endpoint: string;
    language: string;
    milliseconds: number;
    outcome: string;
    credits: number;
  };
  usage_daily: {
    user_id: number;
    /** `YYYY-MM`; before the day, so that days and months alike are read in the order of the key. */
    month: string;
    day: string;
    client: string;
    language: string;
    tool: string;
    kind: string;
    calls: number;
    errors: number;
    milliseconds: number;
    credits: number;
  };
  /** One row: the last event that the daily sums have. */
  usage_progress: { event_id: number };
}

export const dailyKey = ['user_id', 'month', 'day', 'client', 'language', 'tool', 'kind'] as const;

export const migrations: Readonly<Record<string, Migration>> = {
  '1-events': { up: createEvents },
  '2-daily': { up: createDaily },
};

async function createEvents(db: Kysely<UsageTables>): Promise<void> {
  await db.schema
    .createTable('usage_event')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('started_at', 'bigint', isRequired)
    .addColumn('day', 'text', isRequired)
    .addColumn('user_id', 'integer', isRequired)
    .addColumn('client', 'text', isRequired)
    .addColumn('kind', 'text', isRequired)
    .addColumn('tool', 'text', isRequired)
    .addColumn('endpoint', 'text', isRequired)
    .addColumn('language', 'text', isRequired)
    .addColumn('milliseconds', 'double precision', isRequired)
    .addColumn('outcome', 'text', isRequired)
    .addColumn('credits', 'integer', isRequired)
    .execute();
}

async function createDaily(db: Kysely<UsageTables>): Promise<void> {
  const daily = db.schema
    .createTable('usage_daily')
    .addColumn('user_id', 'integer', isRequired)
    .addColumn('month', 'text', isRequired)
    .addColumn('day', 'text', isRequired)
    .addColumn('client', 'text', isRequired)
    .addColumn('language', 'text', isRequired)
    .addColumn('tool', 'text', isRequired)
    .addColumn('kind', 'text', isRequired)
    .addColumn('calls', 'bigint', isRequired)
    .addColumn('errors', 'bigint', isRequired)
    .addColumn('milliseconds', 'double precision', isRequired)
    .addColumn('credits', 'bigint', isRequired)
    .addPrimaryKeyConstraint('usage_daily_key', [...dailyKey]);
  // Rows then lie in the order of the key, in which every report reads them.
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  await (isSqlite ? daily.modifyEnd(sql`without rowid`) : daily).execute();
  await db.schema.createTable('usage_progress').addColumn('event_id', 'bigint', isRequired).execute();
  await db.insertInto('usage_progress').values({ event_id: 0 }).execute();
}

const isRequired = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.notNull();
