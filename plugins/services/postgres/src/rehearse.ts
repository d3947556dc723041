import { randomBytes } from 'node:crypto';
import type { Rehearsal } from '@sextant/core';
import pg from 'pg';
import { configOf } from './postgres-database.ts';

/** What a start must find as it is: all other tables are empty in a rehearsal. */
const isCopied = /_migrations(_lock)?$|^(store_compatibility|database_state)$/;

/** Other hosts wait behind a lock that is waited for. */
const longestWaitMs = 2000;

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
  const schema = `sextant_rehearsal_${randomBytes(6).toString('hex')}`;
  const run = async (work: (client: pg.Client) => Promise<unknown>): Promise<void> => {
    const client = new pg.Client(configOf(url, config.password));
    client.on('error', () => undefined);
    try {
      await client.connect();
      await work(client);
    } finally {
      await client.end();
    }
  };
  const remove = (): Promise<void> => run((client) => client.query(`drop schema if exists ${schema} cascade`));
  try {
    await run((client) => copyTables(client, schema));
  } catch (error) {
    await remove().catch(() => undefined);
    throw error;
  }
  return { config: { ...config, url: within(url, schema) }, end: remove };
}

async function copyTables(client: pg.Client, schema: string): Promise<void> {
  await client.query(`set lock_timeout = ${longestWaitMs}`);
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
    name === null
      ? index.replace(/ ON (?:ONLY )?\S+ USING /, ` ON ${to} USING `)
      : `alter table ${to} add constraint ${pg.escapeIdentifier(name)} ${rule}`,
  );
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
