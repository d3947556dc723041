import { Database } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { callerOf, startPlugins } from '@sextant/core/testing';
import sqlite from '@sextant/service-sqlite';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { migrations } from './migrations.ts';
import { startUsage } from './testing/start-usage.ts';

test('sums of before there were other instances are kept, and seen in a look at their period', async () => {
  using folder = temporaryFolder();
  {
    await using before = await startPlugins(folder.path, [[sqlite]]);
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
