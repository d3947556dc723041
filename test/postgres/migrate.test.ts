import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { silentLogger } from '@sextant/core';
import { postgresSettings } from '@sextant/service-postgres/testing';
import { expect, test } from 'vitest';
import { DirectConnection } from '../../plugins/services/postgres/src/direct-connection.ts';
import { runSextant, startSextant } from '../support/processes.ts';
import type { Started } from '../support/processes.ts';

const program = fileURLToPath(new URL('../../host/bin/sextant.js', import.meta.url));
const server = process.env['SEXTANT_TEST_POSTGRES'] ?? '';

interface Answer {
  tables: { table: string; rows: number; checksum: string; wasThere: boolean }[];
  secrets: string[];
  leftOut: string[];
}

async function call({ url }: Started, token: string): Promise<number> {
  const params = { name: 'read_file', arguments: { repo: 'shop', path: 'a.ts' } };
  const response = await fetch(`${url}/.api/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  await response.arrayBuffer();
  return response.status;
}

test('everything of an SQLite database is in PostgreSQL, also after a migration that was cut off', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'git', 'shop.git'), isBare: true });
  builder.commit({ files: { 'a.ts': 'one\n' } });
  const repositories = [{ path: join(folder.path, 'git') }];
  const settings = await postgresSettings(server, `migrate_${randomUUID().replaceAll('-', '')}`);
  const flags = (name: string, config: object): string[] => {
    const file = join(folder.path, `${name}.json`);
    writeFileSync(file, JSON.stringify({ repositories, ...config }));
    return ['--config', file, '--data', join(folder.path, 'data')];
  };
  const onSqlite = flags('sqlite', {});
  const onPostgres = flags('postgres', { plugins: { 'service-sqlite': false, 'service-postgres': settings } });
  const before = await startSextant(onSqlite);
  runSextant(['user', 'add', 'alice', ...onSqlite]);
  const token = runSextant(['token', 'create', '--user', 'alice', ...onSqlite]);
  for (let n = 0; n < 7; n += 1) expect(await call(before, token)).toBe(200);
  await before.stop();

  const migrate = (...more: string[]): Answer =>
    JSON.parse(
      runSextant(['migrate', '--from', 'sqlite', '--to', 'postgres', '--json', ...more, ...onPostgres]),
    ) as Answer;
  const planned = migrate('--dry-run');
  const rowsOf = (answer: Answer, name: string): number | undefined =>
    answer.tables.find(({ table }) => table === name)?.rows;
  expect([rowsOf(planned, 'directory_user'), rowsOf(planned, 'access_token'), rowsOf(planned, 'usage_event')]).toEqual([
    2, 2, 7,
  ]);
  expect(planned.leftOut).toEqual([]);

  // As a migration leaves it that was cut off after some tables.
  const client = new DirectConnection({ config: { connectionString: settings.url }, log: silentLogger });
  const first = migrate();
  await client.query({ text: `update database_state set state = 'migrating'` });
  await client.query({ text: `delete from database_copied where name >= 'directory'; delete from directory_user` });
  const again = migrate();
  expect(again.tables.map(({ table, rows, checksum }) => ({ table, rows, checksum }))).toEqual(
    planned.tables.map(({ table, rows, checksum }) => ({ table, rows, checksum })),
  );
  expect(first.tables.some(({ wasThere }) => wasThere)).toBe(false);
  expect(again.tables.filter(({ wasThere }) => wasThere).length).toBeGreaterThan(0);
  expect(again.secrets).toEqual(['counters-key', 'oauth-keys.json']);
  expect(() => migrate()).toThrow();

  const after = await startSextant(onPostgres);
  try {
    expect(after.token, 'no second first token').toBe('');
    expect(await call(after, token)).toBe(200);
    runSextant(['user', 'add', 'bob', ...onPostgres]);
    const { rows } = await client.query<{ id: string }>({
      text: `select id from directory_user where name = 'bob'`,
    });
    expect(Number(rows[0]?.id), 'ids go on').toBe(3);
    await sayWhatAnUpgradeDoes(client, onPostgres, after);
    const user = `refused_${randomUUID().replaceAll('-', '')}`;
    await client.query({ text: `create role ${user} login` });
    const database = { ...settings, url: settings.url.replace('//sextant@', `//${user}@`) };
    const refused = flags('refused', { plugins: { 'service-sqlite': false, 'service-postgres': database } });
    const reason = `they could not be tried \\(its user may not create a schema; grant create on database "postgres" to "${user}"`;
    expect(check(refused)).toEqual({
      code: 0,
      text: expect.stringMatching(new RegExp(`^doubtful +tables: ${reason}`, 'm')),
    });
    await client.query({ text: `drop role ${user}` });
  } finally {
    await after.stop();
    await client.close();
  }
}, 900_000);

/** `sextant upgrade --check` */
function check(flags: readonly string[]): { code: number | null; text: string } {
  const { status, stdout } = spawnSync(process.execPath, [program, 'upgrade', '--check', ...flags], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 240_000,
  });
  return { code: status, text: stdout };
}

/** It leaves everything as it is, beside a server that runs, too. */
async function sayWhatAnUpgradeDoes(
  client: DirectConnection,
  flags: readonly string[],
  server: Started,
): Promise<void> {
  const run = (text: string): Promise<{ rows: object[] }> => client.query({ text });
  const kept = async (): Promise<object[]> => [
    ...(
      await run(`select relname, relkind from pg_class where relnamespace = current_schema()::regnamespace order by 1`)
    ).rows,
    ...(await run('select id, name from directory_user order by id')).rows,
    ...(await run(`select nspname from pg_namespace where nspname like 'sextant\\_rehearsal%'`)).rows,
  ];
  await run(`create table "left over" (id int); create index "left over by id" on "left over" (id)`);
  // One that another check uses, and one of a check that was killed.
  await run('create schema sextant_rehearsal_used');
  await run(`select pg_advisory_lock(hashtextextended('sextant_rehearsal_used', 0))`);
  const before = await kept();
  await run('create schema sextant_rehearsal_left; create table sextant_rehearsal_left.kept (id int)');
  expect(check(flags)).toEqual({
    code: 0,
    text: expect.stringMatching(/^fine {6}tables: this version can use them as/m),
  });

  // As they were before the first migration of a store, to which a server may write at any time.
  await server.stop();
  await run('alter table audit_event rename to audit_later; alter index audit_event_time rename to audit_later_time');
  await run('alter table audit_migrations rename to audit_migrated');
  const made =
    /^fine {6}tables: tables were brought up to date, without their rows: store audit; migrations 1-events$/m;
  expect(check(flags)).toEqual({ code: 0, text: expect.stringMatching(made) });
  await run('alter table audit_migrated rename to audit_migrations');
  await run('alter index audit_later_time rename to audit_event_time; alter table audit_later rename to audit_event');

  await run(`insert into directory_migrations (name, timestamp) values ('9999', '2030')`);
  const newer = /^wrong {5}tables: .*"directory" of the PostgreSQL database .* a newer version of the program/m;
  expect(check(flags)).toEqual({ code: 1, text: expect.stringMatching(newer) });
  await run(`delete from directory_migrations where name = '9999'`);
  expect(await kept()).toEqual(before);
}
