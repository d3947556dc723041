import { randomBytes } from 'node:crypto';
import { messageOf } from '@sextant/core';
import type { Rehearsal } from '@sextant/core';
import pg from 'pg';
import { reasonOf } from './failure.ts';
import { configOf } from './postgres-database.ts';

/** What a start must find as it is: all other tables are empty in a rehearsal. */
const isCopied = /_migrations(_lock)?$|^(store_compatibility|database_state)$/;

/** Other hosts wait behind a lock that is waited for. */
const longestWaitMs = 2000;

/** Schemas of checks begin so. Who uses one has an advisory lock of its name, which ends with its connection. */
const prefix = 'sextant_rehearsal_';
const lockKey = 'hashtextextended($1, 0)';

export interface RehearsedConfig {
  readonly url: string;
  readonly directURL?: string | undefined;
  readonly password?: string | undefined;
}

/**
 * A schema of its own with the tables of the one that is used, as they are and empty, and with what was migrated. Servers
 * go on beside it. Throws where the account may not create a schema.
 */
export async function rehearse<Config extends RehearsedConfig>({ directURL, ...config }: Config): Promise<Rehearsal> {
  const url = directURL ?? config.url;
  const schema = `${prefix}${randomBytes(6).toString('hex')}`;
  const client = new pg.Client(configOf(url, config.password));
  client.on('error', () => undefined);
  const end = async (): Promise<void> => {
    try {
      await client.query(`drop schema if exists ${schema} cascade`);
    } catch (error) {
      const reason = reasonOf(error) ?? messageOf(error);
      throw new Error(`the schema ${schema} is left until the next check: ${reason}`, { cause: error });
    } finally {
      await client.end();
    }
  };
  try {
    await client.connect();
    await client.query(`set lock_timeout = ${longestWaitMs}`);
    await client.query(`select pg_advisory_lock(${lockKey})`, [schema]);
    await removeLeft(client);
    await copyTables(client, schema);
  } catch (error) {
    await end().catch(() => undefined);
    throw new Error(refusalOf(error, client), { cause: error });
  }
  return { config: { ...config, url: within(url, schema) }, end };
}

/** Of checks that were killed. */
async function removeLeft(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select nspname as name from pg_namespace where starts_with(nspname, '${prefix}') and pg_has_role(nspowner, 'usage')`,
  );
  for (const { name } of rows) {
    const lock = await client.query<{ isFree: boolean }>(`select pg_try_advisory_lock(${lockKey}) as "isFree"`, [name]);
    if (lock.rows[0]?.isFree) await client.query(`drop schema if exists ${pg.escapeIdentifier(name)} cascade`);
  }
}

async function copyTables(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'`,
  );
  await client.query(`create schema ${schema}`);
  for (const { name } of rows) {
    const [from, to] = [pg.escapeIdentifier(name), `${schema}.${pg.escapeIdentifier(name)}`];
    await client.query(`create table ${to} (like ${from} including all excluding indexes)`);
    for (const statement of await indexesOf(client, { from, to })) await client.query(statement);
    if (isCopied.test(name)) await client.query(`insert into ${to} select * from ${from}`);
  }
}

/** Under the names that they have, by which a migration may drop them: those of `like` have others. */
async function indexesOf(client: pg.Client, { from, to }: { from: string; to: string }): Promise<string[]> {
  const { rows } = await client.query<{ index: string; name: string | null; rule: string | null }>(
    `select pg_get_indexdef(indexrelid) as index, conname as name, pg_get_constraintdef(pg_constraint.oid) as rule
     from pg_index left join pg_constraint on conindid = indexrelid and contype in ('p', 'u', 'x')
     where indrelid = $1::regclass`,
    [from],
  );
  return rows.map(({ index, name, rule }) =>
    name === null ? onTable(index, to) : `alter table ${to} add constraint ${pg.escapeIdentifier(name)} ${rule}`,
  );
}

/** An identifier, in quotes where it has other characters than the usual ones. */
const identifier = String.raw`(?:[^\s".]+|"(?:[^"]|"")+")`;
const index = new RegExp(
  `^(CREATE (?:UNIQUE )?INDEX ${identifier} ON )(?:ONLY )?${identifier}(?:\\.${identifier})?( USING .*)$`,
  's',
);

/** Never on the table that is used. */
function onTable(definition: string, table: string): string {
  const [, before, after] = index.exec(definition) ?? [];
  if (before === undefined || after === undefined) throw new Error(`an index is not understood: ${definition}`);
  return `${before}${table}${after}`;
}

function refusalOf(error: unknown, { database = '', user = '' }: pg.Client): string {
  const mayNot = error instanceof Error && 'code' in error && error.code === '42501';
  return mayNot
    ? `its user may not create a schema; grant create on database ${pg.escapeIdentifier(database)} to ${pg.escapeIdentifier(user)}`
    : (reasonOf(error) ?? messageOf(error));
}

/** The options of libpq that the URL has already stay. */
function within(url: string, schema: string): string {
  const changed = new URL(url);
  const before = changed.searchParams.get('options');
  changed.searchParams.delete('options');
  const options = [before, `-c search_path=${schema}`].filter((each) => each !== null).join(' ');
  const separator = changed.search === '' ? '?' : '&';
  return `${changed.href}${separator}options=${encodeURIComponent(options)}`;
}
