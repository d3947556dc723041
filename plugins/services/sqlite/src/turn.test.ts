import { join } from 'node:path';
import { temporaryFolder } from '@sextant/contracts/testing';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { connect } from './connection.ts';
import { SqliteDatabase } from './sqlite-database.ts';

test('a long queue of statements lets everything else run in between', async () => {
  using folder = temporaryFolder();
  const database = new SqliteDatabase(await connect(join(folder.path, 'sextant.db'), 0), 0);
  const db = await database.open({ name: 'none', migrations: {} });
  let done = 0;
  const busy = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000) select max(i) from n`;
  const queue = Array.from({ length: 100 }, () => busy.execute(db).then(() => (done += 1)));
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(done).toBeLessThan(100);
  await Promise.all(queue);
  await database.close();
});
