import { silentLogger } from '@sextant/core';
import { postgresSettings, startCluster } from '@sextant/service-postgres/testing';
import { expect, test } from 'vitest';
import { DirectConnection } from '../../plugins/services/postgres/src/direct-connection.ts';
import { Heartbeats } from '../../plugins/services/postgres/src/heartbeats.ts';
import { PostgresDatabase } from '../../plugins/services/postgres/src/postgres-database.ts';
import { SecretRows } from '../../plugins/services/postgres/src/secret-rows.ts';

const server = process.env['SEXTANT_TEST_POSTGRES'] ?? '';

test('other hosts hear what is announced, however long, and are told to read again once they were cut off', async () => {
  await using cluster = await startCluster();
  const [here, there] = [0, 1].map(
    () => new DirectConnection({ config: { connectionString: cluster.url }, log: silentLogger }),
  );
  const [heard, ownHeard]: (string | undefined)[][] = [[], []];
  const forget = there?.listen('news', (text) => heard?.push(text));
  here?.listen('news', (text) => ownHeard?.push(text));
  for (const each of [here, there]) await each?.query({ text: 'select 1' });
  here?.announce('news', 'one');
  here?.announce('other', 'nobody listens');
  here?.announce('news', 'x'.repeat(8000));
  await expect.poll(() => heard).toEqual(['one', undefined]);
  await cluster.kill();
  await expect(here?.query({ text: 'select 1' })).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
  expect(here?.failure?.reason).toBeDefined();
  await cluster.start();
  await here?.query({ text: 'select 1' });
  expect(here?.failure).toBeUndefined();
  // Read everything again.
  await expect.poll(() => [heard, ownHeard]).toEqual([['one', undefined, undefined], [undefined]]);
  here?.announce('news', 'two');
  await expect.poll(() => heard?.at(-1)).toBe('two');
  forget?.();
  await Promise.all([here?.close(), there?.close()]);
});

test('a host sees the others, that they differ, and that they have gone', async () => {
  const { url } = await postgresSettings(server, 'heartbeats');
  const log = silentLogger;
  const databases = await Promise.all([0, 1, 2].map(() => PostgresDatabase.connect({ url, connections: 4, log })));
  const [here, there, node] = databases.map(({ direct }) => new Heartbeats({ connection: direct, log }));
  here?.describe({ version: '1', configuration: { a: 1 } });
  there?.describe({ version: '1', configuration: { a: 2 } });
  await there?.begin();
  // A code node answers no callers, and is not described.
  await node?.begin();
  await here?.begin();
  expect(here?.living).toBe(2);
  expect(node?.status().failures).toBeUndefined();
  expect(here?.status().failures?.map(({ reason }) => reason)).toEqual(['its configuration is another than here']);
  there?.describe({ version: '1', configuration: { a: 1 } });
  await expect.poll(() => here?.status().failures).toBeUndefined();
  await there?.close();
  await expect.poll(() => here?.living).toBe(1);
  await Promise.all([here?.close(), node?.close()]);
  for (const database of databases) await database.close();
});

test('what is wrong with a database names it, says what to do, and has no password', async () => {
  const [host] = /127\.0\.0\.1:\d+/.exec(server) ?? [''];
  const connect = (url: string, password?: string): Promise<PostgresDatabase> =>
    PostgresDatabase.connect({ url, password, connections: 4, log: silentLogger });
  const withPassword = server.replace('sextant@', 'sextant:hunter2@');
  await expect(connect(withPassword.replace(/postgres$/, 'nowhere'))).rejects.toThrow(
    `the PostgreSQL database "nowhere" at ${host} cannot be used: there is no such database; create it`,
  );
  const refused: unknown = await connect('postgres://a:hunter2@127.0.0.1:9/sextant').catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'unavailable', message: expect.stringContaining('nothing listens there') });
  expect(String(refused)).not.toContain('hunter2');
  await expect(connect(`${server}?sslmode=verify-full`)).rejects.toThrow('the server has no TLS');
  await expect(connect(`${server}?options=-c%20search_path%3Dnone`)).rejects.toThrow(
    'no schema of its search_path exists',
  );
});

test('secrets are refused by name where hosts have another key, and are not in the table', async () => {
  const { url, secretKey } = await postgresSettings(server, 'secrets');
  const database = await PostgresDatabase.connect({ url, connections: 4, log: silentLogger });
  await new SecretRows(database.direct, secretKey).readOrMake('key', () => 'very secret');
  await expect(new SecretRows(database.direct, `another ${secretKey}`).readOrMake('key', () => '')).rejects.toThrow(
    'the secret "key" of the database cannot be decrypted: "secretKey"',
  );
  const { rows } = await database.direct.query<{ encrypted: Buffer }>({ text: 'select * from database_secret' });
  expect(rows[0]?.encrypted.includes('very secret')).toBe(false);
  await database.close();
});
