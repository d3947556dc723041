import { sql } from 'kysely';
import type { ColumnDataType, ColumnDefinitionBuilder, CreateTableBuilder, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isHere } from './row-writer.ts';
import { dailyKey, originKey, overviewKey, personKey, repositoryDailyKey } from './tables.ts';

/** Each migration knows the tables as they were when it was written. */
type Schema = Kysely<unknown>;
type Columns = Readonly<Record<string, ColumnDataType>>;

export const migrations: Readonly<Record<string, Migration>> = {
  '1-events': { up: createEvents },
  '2-daily': { up: createDaily },
  '3-overview': { up: createOverview },
  '4-instances': { up: createInstances },
  '5-push': { up: createPush },
  '6-senders': { up: dropSenders },
  '7-unsummed': { up: createUnsummed },
  '8-origins': { up: createOrigins },
  '9-tools': { up: createTools },
  // They run in the order of their names: 10 would come before 2.
  '9a-repositories': { up: createRepositories },
};

const sums: Columns = { calls: 'bigint', errors: 'bigint', milliseconds: 'double precision', credits: 'bigint' };
const dailyColumns: Columns = {
  user_id: 'integer',
  month: 'text',
  day: 'text',
  client: 'text',
  language: 'text',
  tool: 'text',
  kind: 'text',
  ...sums,
};

async function createEvents(db: Schema): Promise<void> {
  const events = db.schema
    .createTable('usage_event')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement());
  await withColumns(events, {
    started_at: 'bigint',
    day: 'text',
    user_id: 'integer',
    client: 'text',
    kind: 'text',
    tool: 'text',
    endpoint: 'text',
    language: 'text',
    milliseconds: 'double precision',
    outcome: 'text',
    credits: 'integer',
  }).execute();
}

async function createDaily(db: Schema): Promise<void> {
  await createInOrder(db, 'usage_daily', { columns: dailyColumns, key: dailyKey.slice(1) });
  await db.schema.createTable('usage_progress').addColumn('event_id', 'bigint', isRequired).execute();
  await sql`insert into usage_progress values (0)`.execute(db);
}

/** Daily sums of several instances, and sums of all users. */
async function createOverview(db: Schema): Promise<void> {
  const before = 'usage_daily_before';
  await db.schema.alterTable('usage_daily').renameTo(before).execute();
  const columns = { instance_id: 'integer', ...dailyColumns } as const;
  await createInOrder(db, 'usage_daily', { columns, key: dailyKey });
  await sql`insert into usage_daily select 0, * from ${sql.table(before)}`.execute(db);
  await db.schema.dropTable(before).execute();
  await createInOrder(db, 'usage_overview', {
    columns: { instance_id: 'integer', dimension: 'text', day: 'text', value: 'text', ...sums },
    key: overviewKey,
  });
  for (const [dimension, column] of Object.entries({
    tool: 'tool',
    client: 'client',
    language: 'language',
    user: 'user_id',
  }))
    await sql`insert into usage_overview
      select 0, ${sql.lit(dimension)}, day, cast(${sql.ref(column)} as text), sum(calls), sum(errors), sum(milliseconds), sum(credits)
      from usage_daily where kind = 'tool' group by day, ${sql.ref(column)}`.execute(db);
}

async function createInstances(db: Schema): Promise<void> {
  const instances = db.schema
    .createTable('usage_instance')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('host', 'text', (column) => column.notNull().unique());
  await withColumns(instances, { sender_id: 'integer' }).execute();
  const people = withColumns(db.schema.createTable('usage_person'), {
    instance_id: 'integer',
    user_id: 'integer',
    name: 'text',
    email: 'text',
    is_active: 'integer',
    is_service_account: 'integer',
    is_site_admin: 'integer',
  });
  await people.addPrimaryKeyConstraint('usage_person_id', [...personKey]).execute();
}

async function createPush(db: Schema): Promise<void> {
  const push = db.schema.createTable('usage_push').addColumn('target', 'text', (column) => column.primaryKey());
  await withColumns(push, { event_id: 'bigint', sent_to: 'text' }).execute();
}

/** Who may send for an instance was who sent first; it is the configuration that says so since. */
async function dropSenders(db: Schema): Promise<void> {
  await db.schema.alterTable('usage_instance').dropColumn('sender_id').execute();
}

async function createUnsummed(db: Schema): Promise<void> {
  await withColumns(db.schema.createTable('usage_unsummed'), { first_id: 'bigint', last_id: 'bigint' }).execute();
}

/** Takes out of the events what many of them have in common. */
async function createOrigins(db: Schema): Promise<void> {
  const withId = (name: string): CreateTableBuilder<string> =>
    db.schema.createTable(name).addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement());
  const key = sql.join(originKey.map((column) => sql.ref(column)));
  await withColumns(withId('usage_origin'), {
    user_id: 'integer',
    client: 'text',
    kind: 'text',
    tool: 'text',
    endpoint: 'text',
    language: 'text',
    outcome: 'text',
    credits: 'integer',
  })
    .addUniqueConstraint('usage_origin_key', [...originKey])
    .execute();
  await db.schema.alterTable('usage_event').renameTo('usage_event_before').execute();
  await sql`insert into usage_origin (${key}) select distinct ${key} from usage_event_before`.execute(db);
  await withColumns(withId('usage_event'), {
    started_at: 'bigint',
    day: 'text',
    milliseconds: 'double precision',
    origin_id: 'integer',
  }).execute();
  await sql`insert into usage_event select e.id, e.started_at, e.day, e.milliseconds, o.id
    from usage_event_before e join usage_origin o using (${key}) order by e.id`.execute(db);
  // The number of the last event is not given again, also when that event was deleted.
  await sql`insert into usage_event select event_id, 0, '', 0, 0 from usage_progress
    where event_id > 0 and event_id not in (select id from usage_event)`.execute(db);
  await sql`delete from usage_event where origin_id = 0`.execute(db);
  await db.schema.dropTable('usage_event_before').execute();
}

/** Of calls that were recorded before tools declared what they are used for. */
const activitiesBefore: Readonly<Record<string, readonly string[]>> = {
  search: ['keyword_search', 'nls_search'],
  navigation: ['go_to_definition', 'find_references'],
  history: ['commit_search', 'diff_search', 'compare_revisions', 'get_contributor_repos'],
  reading: ['read_file'],
  script: ['evaluator'],
};

async function createTools(db: Schema): Promise<void> {
  await withColumns(
    db.schema.createTable('usage_tool').addColumn('tool', 'text', (column) => column.primaryKey()),
    { activity: 'text' },
  ).execute();
  for (const [activity, tools] of Object.entries(activitiesBefore))
    for (const tool of tools) await sql`insert into usage_tool values (${tool}, ${activity})`.execute(db);
}

/** Of calls before it is not known which repositories they were about. */
async function createRepositories(db: Schema): Promise<void> {
  await db.schema
    .alterTable('usage_event')
    .addColumn('repository_id', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('usage_repository')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .execute();
  await createInOrder(db, 'usage_repository_daily', {
    columns: {
      repository_id: 'integer',
      day: 'text',
      user_id: 'integer',
      client: 'text',
      language: 'text',
      tool: 'text',
      ...sums,
    },
    key: repositoryDailyKey,
  });
}

/** Rows lie in the order of the key where the database can do so: every report reads them in it. */
async function createInOrder(
  db: Schema,
  name: string,
  { columns, key }: { columns: Columns; key: readonly string[] },
): Promise<void> {
  const table = withColumns(db.schema.createTable(name), columns).addPrimaryKeyConstraint(`${name}_${key[0]}`, [
    ...key,
  ]);
  await (isHere(db) ? table.modifyEnd(sql`without rowid`) : table).execute();
}

const withColumns = <T extends string>(table: CreateTableBuilder<T>, columns: Columns): CreateTableBuilder<T, string> =>
  Object.entries(columns).reduce(
    (built: CreateTableBuilder<T, string>, [name, type]) => built.addColumn(name, type, isRequired),
    table,
  );

const isRequired = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.notNull();
