import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Database, Secrets } from '@sextant/contracts';
import { Announcements, definePlugin } from '@sextant/core';
import type { Plugin } from '@sextant/core';
import sqlite from '@sextant/service-sqlite';
import pg from 'pg';
import postgres from '../index.ts';

export { freePort, postgresPrograms, startCluster, startStandby } from './cluster.ts';
export type { PostgresCluster } from './cluster.ts';

/** Set where the tests of stores run a second time. */
const server = process.env['SEXTANT_TEST_POSTGRES'];

/** For what is said of one database only. */
export const isOnPostgres = server !== undefined;

/** Settings of the plugin for a schema of its own in a server. */
export async function postgresSettings(url: string, schema: string): Promise<{ url: string; secretKey: string }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`select pg_advisory_lock(1); create schema if not exists "${schema}"`);
  await client.end();
  return { url: `${url}?options=-c%20search_path%3D${schema}`, secretKey: 'a key for tests that has 32 characters' };
}

const schemaOf = (dataFolder: string): string =>
  `test_${createHash('sha256').update(dataFolder).digest('hex').slice(0, 24)}`;

/** All that somebody reads who steals the database of a data folder; the files of secrets are elsewhere then. */
export async function contentsOf(dataFolder: string, secretFiles: readonly string[] = []): Promise<Buffer[]> {
  const files = readdirSync(dataFolder).filter((name) => !secretFiles.includes(name));
  const contents = files.map((name) => readFileSync(join(dataFolder, name)));
  if (server === undefined) return contents;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  const schema = schemaOf(dataFolder);
  const found = await client.query<{ name: string }>('select tablename as name from pg_tables where schemaname = $1', [
    schema,
  ]);
  for (const { name } of found.rows) {
    const { rows } = await client.query<{ row: string }>(
      `select row_to_json(t)::text as row from "${schema}"."${name}" t`,
    );
    contents.push(Buffer.from([name, ...rows.map(({ row }) => row)].join('\n')));
  }
  await client.end();
  return contents;
}

const onPostgres = (url: string): Plugin =>
  definePlugin({
    name: 'service-postgres',
    provides: { database: Database, secrets: Secrets, announcements: Announcements },
    async start(_config, _services, context) {
      const settings = postgres.config.parse(await postgresSettings(url, schemaOf(context.dataFolder)));
      const started = await postgres.start(settings, {}, context);
      return started as never;
    },
  });

/** The database of a store's test: each data folder has one. SQLite, and PostgreSQL where the same tests run a second time. */
export const testDatabase: Plugin = server === undefined ? sqlite : onPostgres(server);
