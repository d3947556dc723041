import { Database } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { callerOf, startPlugins } from '@sextant/core/testing';
import { isOnPostgres, testDatabase } from '@sextant/service-postgres/testing';
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { UsageEventStore } from '../recording/event-store.ts';
import { migrations } from '../database/migrations.ts';
import type { UsageTables } from '../database/tables.ts';
import { recordOf, startUsage } from '../testing/start-usage.ts';

async function openTables(): Promise<Kysely<UsageTables>> {
  const folder = temporaryFolder();
  const started = await startPlugins(folder.path, [[testDatabase]]);
  onTestFinished(async () => {
    await started[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });
  return started.services.resolve({ database: Database }).database.open({ name: 'usage', migrations });
}

const keys = async (): Promise<Map<string, string>> =>
  new Map(['a', 'b', 'killed', 'next', 'old'].map((client) => [`of ${client}`, `of ${client}`]));

const calls = (count: number, clientName: string): ReturnType<typeof recordOf>[] =>
  Array.from({ length: count }, () => recordOf({ clientName, repository: `of ${clientName}` }));

/** By client; computed from the sums, and again from the events. */
async function counted(db: Kysely<UsageTables>): Promise<{ sums: unknown; events: unknown; unsummed: number }> {
  const [sums, events] = [
    await sql`select client, sum(calls) as calls, sum(milliseconds) as milliseconds from usage_daily group by client order by client`.execute(
      db,
    ),
    await sql`select client, count(*) as calls, sum(milliseconds) as milliseconds from usage_event join usage_origin o on o.id = origin_id group by client order by client`.execute(
      db,
    ),
  ];
  const unsummed = await db.selectFrom('usage_unsummed').selectAll().execute();
  return { sums: sums.rows, events: events.rows, unsummed: unsummed.length };
}

test('sums are written when they are asked for, once for all that waits, and are those of the events', async () => {
  const db = await openTables();
  const store = new UsageEventStore(db, keys);
  await store.write([...calls(3, 'a'), ...calls(1, 'b')]);
  await store.write(calls(2, 'a'));
  expect(await counted(db)).toMatchObject({ sums: [], unsummed: 1 });
  await store.settle();
  await store.settle();
  const { sums, events, unsummed } = await counted(db);
  expect(sums).toEqual([
    { client: 'a', calls: 5, milliseconds: 7.5 },
    { client: 'b', calls: 1, milliseconds: 1.5 },
  ]);
  expect([events, unsummed]).toEqual([sums, 0]);
});

test('what a process that was killed left is added up by the next one, however much it is', async () => {
  const db = await openTables();
  await new UsageEventStore(db, keys).write(calls(12_001, 'killed'));
  const next = new UsageEventStore(db, keys);
  await next.write(calls(1, 'next'));
  await next.settle();
  expect(await counted(db)).toMatchObject({
    sums: [
      { client: 'killed', calls: 12_001 },
      { client: 'next', calls: 1 },
    ],
    unsummed: 0,
  });
  const repositories =
    await sql`select name, sum(calls) as calls from usage_repository_daily join usage_repository r on r.id = repository_id group by name order by name`.execute(
      db,
    );
  expect(repositories.rows).toEqual([
    { name: 'of killed', calls: 12_001 },
    { name: 'of next', calls: 1 },
  ]);
});

test('two that write at once and add up at any time count every event once', async () => {
  const db = await openTables();
  const [one, other] = [new UsageEventStore(db, keys), new UsageEventStore(db, keys)];
  const steps = [
    () => one.write(calls(2, 'one')),
    () => one.write(calls(3, 'one')),
    () => other.settle(),
    () => one.write(calls(5, 'one')),
    () => other.write(calls(7, 'other')),
    () => one.write(calls(11, 'one')),
    () => one.settle(),
    () => other.write(calls(13, 'other')),
    () => one.settle(),
    () => one.write(calls(17, 'one')),
    () => other.settle(),
  ];
  for (const step of steps) await step();
  await Promise.all(steps.map((step) => step()));
  await one.settle();
  const { sums, events, unsummed } = await counted(db);
  expect(sums).toMatchObject([
    { client: 'one', calls: 76 },
    { client: 'other', calls: 40 },
  ]);
  expect([events, unsummed]).toEqual([sums, 0]);
});

test('events that are not added up yet are not deleted before they are', async () => {
  const db = await openTables();
  await new UsageEventStore(db, keys).write(calls(4, 'old'));
  await new UsageEventStore(db, keys).deleteBefore(Date.now());
  expect(await counted(db)).toMatchObject({ sums: [{ client: 'old', calls: 4 }], events: [], unsummed: 0 });
});

// Only SQLite can be made to refuse writes of one connection.
test.skipIf(isOnPostgres)('what was added up before can be read while nothing can be written', async () => {
  using folder = temporaryFolder();
  await using started = await startUsage(folder.path, { eventDays: 36_500 });
  const { database } = started.services.resolve({ database: Database });
  const db = await database.open<UsageTables>({ name: 'usage', migrations });
  const instance = await started.usage.open(callerOf('root', { id: 1, isSiteAdmin: true }), 'localhost');
  const march = { startDate: '2026-03-01', endDate: '2026-03-01', span: 'day' } as const;
  const callsSeen = async (): Promise<number | undefined> => (await instance.overview(march)).total[0]?.calls;
  await new UsageEventStore(db, keys).write(calls(2, 'a'));
  expect(await callsSeen()).toBe(2);
  await new UsageEventStore(db, keys).write(calls(1, 'a'));
  await sql`pragma query_only = on`.execute(db);
  expect(await callsSeen()).toBe(2);
  await sql`pragma query_only = off`.execute(db);
  expect(await callsSeen()).toBe(3);
});
