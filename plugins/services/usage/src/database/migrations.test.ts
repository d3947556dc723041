import { Database } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { callerOf, startPlugins } from '@sextant/core/testing';
import { isOnPostgres, testDatabase } from '@sextant/service-postgres/testing';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { migrations } from './migrations.ts';
import type { UsageTables } from './tables.ts';
import { startUsage } from '../testing/start-usage.ts';

test('sums of before there were other instances are kept, and seen in a look at their period', async () => {
  using folder = temporaryFolder();
  {
    await using before = await startPlugins(folder.path, [[testDatabase]]);
    const { database } = before.services.resolve({ database: Database });
    const { '1-events': first, '2-daily': second } = migrations;
    const db = await database.open({
      name: 'usage',
      migrations: { ...(first && { '1-events': first }), ...(second && { '2-daily': second }) },
    });
    await sql`insert into usage_daily values (2, '2026-03', '2026-03-01', 'probe', 'Go', 'read_file', 'tool', 7, 1, 9.5, 0)`.execute(
      db,
    );
  }
  await using after = await startUsage(folder.path);
  const usage = await after.usage.open(callerOf('root', { id: 1, isSiteAdmin: true }), 'localhost');
  const { total, languages } = await usage.overview({ startDate: '2026-03-01', endDate: '2026-03-01', span: 'day' });
  expect(total).toEqual([{ date: '2026-03-01', calls: 7, errors: 1, milliseconds: 9.5, credits: 0, users: 1 }]);
  expect(languages).toMatchObject([{ name: 'Go', calls: 7 }]);
});

// There were no tables on PostgreSQL before that migration.
test.skipIf(isOnPostgres)(
  'events of before they were divided are whole, and the number of one that was deleted is not given again',
  async () => {
    using folder = temporaryFolder();
    const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '8'));
    {
      await using before = await startPlugins(folder.path, [[testDatabase]]);
      const db = await before.services
        .resolve({ database: Database })
        .database.open({ name: 'usage', migrations: earlier });
      for (const id of [5, 6, 7])
        await sql`insert into usage_event values (${id}, 1772366400000, '2026-03-01', 2, 'probe', 'tool', 'read_file', '/.api/mcp', 'Go', 1.5, 'ok', 0)`.execute(
          db,
        );
      await sql`delete from usage_event where id = 7`.execute(db);
      await sql`update usage_progress set event_id = 7`.execute(db);
      await sql`insert into usage_unsummed values (5, 6)`.execute(db);
    }
    await using after = await startUsage(folder.path, { eventDays: 36_500 });
    const usage = await after.usage.open(callerOf('root', { id: 1, isSiteAdmin: true }), 'localhost');
    const { languages } = await usage.overview({ startDate: '2026-03-01', endDate: '2026-03-01', span: 'day' });
    expect(languages).toMatchObject([{ name: 'Go', calls: 2, milliseconds: 3 }]);
    const db = await after.services
      .resolve({ database: Database })
      .database.open<UsageTables>({ name: 'usage', migrations });
    expect(await db.selectFrom('usage_origin').select(['tool', 'endpoint']).execute()).toEqual([
      { tool: 'read_file', endpoint: '/.api/mcp' },
    ]);
    const next = { started_at: 0, day: '2026-03-02', milliseconds: 1, origin_id: 1, repository_id: 0 };
    expect(await db.insertInto('usage_event').values(next).returning('id').executeTakeFirst()).toEqual({ id: 8 });
  },
);
