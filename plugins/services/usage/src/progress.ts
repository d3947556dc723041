import type { Kysely } from 'kysely';
import type { UsageTables } from './tables.ts';

/** The last event that was written. */
export const progressOf = (db: Kysely<UsageTables>): Promise<UsageTables['usage_progress']> =>
  db.selectFrom('usage_progress').select('event_id').executeTakeFirstOrThrow();

/** The sums have every event up to this one, and perhaps some after it. */
export async function lastSummed(db: Kysely<UsageTables>): Promise<number> {
  // In this order: what is written in between is after the first answer.
  const { event_id } = await progressOf(db);
  const { first } = await db
    .selectFrom('usage_unsummed')
    .select(({ fn }) => fn.min<number | null>('first_id').as('first'))
    .executeTakeFirstOrThrow();
  return first === null ? event_id : Math.min(event_id, first - 1);
}
