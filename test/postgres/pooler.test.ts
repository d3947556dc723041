import type { DatabaseStore } from '@sextant/contracts';
import { silentLogger } from '@sextant/core';
import { startCluster } from '@sextant/service-postgres/testing';
import { expect, test } from 'vitest';
import { PostgresDatabase } from '../../plugins/services/postgres/src/postgres-database.ts';
import { startPooler } from '../prove/support/programs.ts';

interface Tables {
  pooled: { id: number };
}

const store: DatabaseStore = {
  name: 'pooled',
  migrations: { '1': { up: (db) => db.schema.createTable('pooled').addColumn('id', 'integer').execute() } },
};

test('behind PgBouncer in transaction mode nothing of a session is left to others', async () => {
  await using cluster = await startCluster();
  await using pooler = await startPooler(cluster.port);
  const { url, directURL } = pooler;
  const hosts = await Promise.all(
    [0, 1].map(() => PostgresDatabase.connect({ url, directURL, connections: 4, log: silentLogger })),
  );
  const opened = await Promise.all(hosts.map((host) => host.open<Tables>(store)));
  await Promise.all(
    opened.flatMap((db) =>
      Array.from({ length: 8 }, (_, id) =>
        db.transaction().execute((transaction) => transaction.insertInto('pooled').values({ id }).execute()),
      ),
    ),
  );
  expect(await hosts[0]?.exclusively('work', async () => undefined)).toBe(true);
  const text = `select count(*)::int as count from pg_locks where locktype = 'advisory'`;
  await expect.poll(async () => (await hosts[0]?.direct.query({ text }))?.rows).toEqual([{ count: 0 }]);
  await Promise.all(hosts.map((host) => host.close()));
});

test('a migration may take longer than any other statement', async () => {
  await using cluster = await startCluster();
  await using pooler = await startPooler(cluster.port);
  const { url, directURL } = pooler;
  const first = await PostgresDatabase.connect({ url: cluster.url, connections: 4, log: silentLogger });
  await first.pool.query(`alter role sextant set statement_timeout = '200ms'`);
  await first.close();
  const database = await PostgresDatabase.connect({ url, directURL, connections: 4, log: silentLogger });
  const slow: DatabaseStore = {
    name: 'slow',
    migrations: {
      '1': {
        up: (db) =>
          db.schema
            .createTable('slow')
            .as(db.selectNoFrom((eb) => eb.cast<string>(eb.fn('pg_sleep', [eb.lit(0.5)]), 'text').as('slept')))
            .execute(),
      },
    },
  };
  const db = await database.open<Tables>(slow);
  await expect(database.pool.query('select pg_sleep(0.5)')).rejects.toMatchObject({ code: '57014' });
  await db.destroy();
  await database.close();
});

test('a transaction that loses its connection says so, and nothing else fails', async () => {
  await using cluster = await startCluster();
  const database = await PostgresDatabase.connect({ url: cluster.url, connections: 4, log: silentLogger });
  const db = await database.open<Tables>(store);
  const cutOff = db.transaction().execute(async (transaction) => {
    await cluster.kill();
    await transaction.selectFrom('pooled').selectAll().execute();
  });
  await expect(cutOff).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
  await database.close();
});
