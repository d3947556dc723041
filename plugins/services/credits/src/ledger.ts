import { sql } from 'kysely';
import type { Kysely, RawBuilder, Transaction } from 'kysely';
import type { CreditsTables } from './tables.ts';

/**
 * Rows of `credits_use` that are older say nothing any more: the hour is over, and no call runs that long. Nor do those that
 * lie further ahead: a clock that was wrong then has been set back, and would keep users out until that time comes.
 */
export const windowMs = 3600 * 1000;

export interface Use {
  userId: number;
  tool: string;
  amount: number;
  now: number;
}

/** What has to hold for a use. */
export interface Conditions {
  /** Most uses of this tool by this user within the window. */
  limit: number | undefined;
  /** Of these the first with enough left pays; undefined where none has to. */
  buckets: readonly { name: string; allocation: number }[] | undefined;
}

export interface Hold {
  id: number;
  bucket: string | null;
}

/** What was consumed and what is set aside, for one transaction. */
export class Ledger {
  readonly #db: Transaction<CreditsTables>;

  constructor(db: Transaction<CreditsTables>) {
    this.#db = db;
  }

  /** When the calls of a user began that count now, oldest first. */
  async usesOf({ userId, tool, now }: Use): Promise<number[]> {
    const uses = await this.#db
      .selectFrom('credits_use')
      .select('started_at')
      .where('user_id', '=', userId)
      .where('tool', '=', tool)
      .where(isWithin(now))
      .orderBy('started_at')
      .execute();
    return uses.map((use) => use.started_at);
  }

  /** Sets credits aside where the conditions hold, all in one statement: other hosts wait until it is over. */
  async hold({ userId, tool, amount, now }: Use, { limit, buckets }: Conditions): Promise<Hold | undefined> {
    const offers = (buckets ?? [undefined]).map(
      (bucket, place) =>
        sql`select cast(${bucket?.name ?? null} as text) as bucket, cast(${bucket?.allocation ?? 0} as bigint) as allocation, ${sql.lit(place)} as place`,
    );
    if (offers.length === 0) return undefined;
    const uses = sql`(select count(*) from credits_use where user_id = ${userId} and tool = ${tool} and ${isWithin(now)})`;
    const consumed = sql`(select coalesce(sum(amount), 0) from credits_total where bucket = offer.bucket)`;
    const held = sql`(select coalesce(sum(amount), 0) from credits_use
      where is_settled = 0 and bucket = offer.bucket and ${isWithin(now)})`;
    const conditions = [
      ...(limit === undefined ? [] : [sql`${uses} < ${limit}`]),
      ...(buckets ? [sql`${consumed} + ${held} + ${amount} <= offer.allocation`] : []),
    ];
    const where = conditions.length > 0 ? sql`where ${sql.join(conditions, sql` and `)}` : sql``;
    const { rows } = await sql<Hold>`
      insert into credits_use (user_id, tool, bucket, amount, is_settled, started_at)
      select ${userId}, ${tool}, offer.bucket, ${amount}, 0, ${now}
      from (${sql.join(offers, sql` union all `)}) as offer ${where} order by offer.place limit 1
      returning id, bucket`.execute(this.#db);
    return rows[0];
  }

  /** Moves what was set aside to what is consumed. */
  async settle({ id, bucket }: Hold, { userId, amount }: Use): Promise<void> {
    await this.#db.updateTable('credits_use').set({ is_settled: 1 }).where('id', '=', id).execute();
    if (bucket === null) return;
    await this.#db
      .insertInto('credits_total')
      .values({ bucket, user_id: userId, amount })
      .onConflict((conflict) =>
        conflict
          .columns(['bucket', 'user_id'])
          .doUpdateSet(({ eb, ref }) => ({ amount: eb(ref('credits_total.amount'), '+', ref('excluded.amount')) })),
      )
      .execute();
  }
}

/** Of rows that say something at that time. */
const isWithin = (now: number): RawBuilder<boolean> =>
  sql<boolean>`started_at > ${now - windowMs} and started_at < ${now + windowMs}`;

/** Deletes what says nothing any more. */
export async function forgetUses(db: Kysely<CreditsTables>, now: number): Promise<void> {
  await db
    .deleteFrom('credits_use')
    .where(({ not }) => not(isWithin(now)))
    .execute();
}

/** Gives back what was set aside and not settled. */
export const giveBack = (db: Kysely<CreditsTables>, id: number): Promise<unknown> =>
  db.deleteFrom('credits_use').where('id', '=', id).where('is_settled', '=', 0).execute();

/** What is consumed of each bucket: by everyone, or by one user. */
export async function consumedOf(db: Kysely<CreditsTables>, userId: number | undefined): Promise<Map<string, number>> {
  let query = db
    .selectFrom('credits_total')
    .select(({ fn }) => ['bucket', fn.sum<number>('amount').as('amount')])
    .groupBy('bucket');
  if (userId !== undefined) query = query.where('user_id', '=', userId);
  return new Map((await query.execute()).map(({ bucket, amount }) => [bucket, Number(amount)]));
}
