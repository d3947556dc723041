import type { Activity, CallRecord } from '@sextant/core';
import type { Kysely } from 'kysely';
import type { UsageTables } from '../database/tables.ts';

/** Most tools whose activity is taken from other instances. */
const mostTools = 10_000;

export type ToolActivity = UsageTables['usage_tool'];

/** What tools are used for: written when it changes, read by every report. */
export class ToolActivities {
  readonly #db: Kysely<UsageTables>;
  /** Most calls are of tools that were called before. */
  readonly #written = new Map<string, Activity>();

  constructor(db: Kysely<UsageTables>) {
    this.#db = db;
  }

  /** Writes the activities that these calls are the first to tell. */
  async note(records: readonly CallRecord[]): Promise<void> {
    for (const { name: tool, activity } of records) {
      if (activity === undefined || this.#written.get(tool) === activity) continue;
      await this.#db
        .insertInto('usage_tool')
        .values({ tool, activity })
        .onConflict((conflict) => conflict.column('tool').doUpdateSet({ activity }))
        .execute();
      this.#written.set(tool, activity);
    }
  }
}

/** All tools that were ever called, by name. */
export const toolActivities = (db: Kysely<UsageTables>): Promise<ToolActivity[]> =>
  db.selectFrom('usage_tool').selectAll().orderBy('tool').execute();

/** Keeps what another instance says of its tools. What is known here already stands. */
export async function keepToolActivity(db: Kysely<UsageTables>, row: ToolActivity): Promise<void> {
  const { tools } = await db
    .selectFrom('usage_tool')
    .select(({ fn }) => fn.countAll<number>().as('tools'))
    .executeTakeFirstOrThrow();
  if (Number(tools) >= mostTools) return;
  await db
    .insertInto('usage_tool')
    .values(row)
    .onConflict((conflict) => conflict.column('tool').doNothing())
    .execute();
}
