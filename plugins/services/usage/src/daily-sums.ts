import { sql } from 'kysely';
import type { Kysely, Transaction } from 'kysely';
import { dailyKey } from './tables.ts';
import type { UsageTables } from './tables.ts';

/**
 * Most events that one statement adds up. The sums of a moment lie in as many pages as there are users: adding up more
 * at once writes each page once. So many wait only after a crash, or far above what calls come to.
 */
const step = 20_000;

/** Adds up what events have come since the last time; each event once, whoever stops in between. */
export async function addUpEvents(db: Kysely<UsageTables>): Promise<void> {
  let isBehind = true;
  while (isBehind) isBehind = await db.transaction().execute(addUpSome);
}

async function addUpSome(db: Transaction<UsageTables>): Promise<boolean> {
  const { event_id: done } = await db.selectFrom('usage_progress').select('event_id').executeTakeFirstOrThrow();
  const { last } = await db
    .selectFrom(db.selectFrom('usage_event').select('id').where('id', '>', done).orderBy('id').limit(step).as('next'))
    .select(({ fn }) => fn.max('id').as('last'))
    .executeTakeFirstOrThrow();
  if (last === null) return false;
  await addUpBetween(db, done, last);
  await db.updateTable('usage_progress').set({ event_id: last }).execute();
  return last - done >= step;
}

async function addUpBetween(db: Transaction<UsageTables>, after: number, last: number): Promise<void> {
  const sums = ['calls', 'errors', 'milliseconds', 'credits'] as const;
  await db
    .insertInto('usage_daily')
    .columns([...dailyKey, ...sums])
    .expression((db) =>
      db
        .selectFrom('usage_event')
        .select(['user_id', sql<string>`substr(day, 1, 7)`.as('month'), 'day', 'client', 'language', 'tool', 'kind'])
        .select(({ fn }) => [
          fn.countAll<number>().as('calls'),
          sql<number>`sum(case when outcome = 'ok' then 0 else 1 end)`.as('errors'),
          fn.sum<number>('milliseconds').as('milliseconds'),
          fn.sum<number>('credits').as('credits'),
        ])
        .where('id', '>', after)
        .where('id', '<=', last)
        .groupBy(['user_id', 'day', 'client', 'language', 'tool', 'kind']),
    )
    .onConflict((conflict) =>
      conflict
        .columns([...dailyKey])
        .doUpdateSet(({ eb, ref }) =>
          Object.fromEntries(sums.map((name) => [name, eb(ref(`usage_daily.${name}`), '+', ref(`excluded.${name}`))])),
        ),
    )
    .execute();
}
