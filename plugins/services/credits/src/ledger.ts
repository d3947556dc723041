import type { Kysely, Transaction } from 'kysely';
import type { CreditsTables } from './tables.ts';

/**
 * Rows of `credits_use` that are older say nothing any more: the hour is over, and no call runs that long. Nor do those that
 * lie further ahead: a clock that was wrong then has been set back, and would keep users out until that time comes.
 */
export const windowMs = 3600 * 1000;

export interface Use {
  userId: number;
  tool: string;
  bucket: string | undefined;
  amount: number;
  now: number;
}

/** What was consumed and what is set aside, for one transaction. */
export class Ledger {
  readonly #db: Transaction<CreditsTables>;

  constructor(db: Transaction<CreditsTables>) {
    this.#db = db;
  }

  /** When the calls of a user began that count now, oldest first. */
  async usesOf(userId: number, tool: string, now: number): Promise<number[]> {
    const uses = await this.#db
      .selectFrom('credits_use')
      .select('started_at')
      .where('user_id', '=', userId)
      .where('tool', '=', tool)
      .where('started_at', '>', now - windowMs)
      .where('started_at', '<', now + windowMs)
      .orderBy('started_at')
      .execute();
    return uses.map((use) => use.started_at);
  }

  /** What is consumed and set aside of a bucket by everyone. */
  async takenOf(bucket: string, now: number): Promise<number> {
    const { settled } = await this.#db
      .selectFrom('credits_total')
      .select(({ fn }) => fn.sum<number | null>('amount').as('settled'))
      .where('bucket', '=', bucket)
      .executeTakeFirstOrThrow();
    const { held } = await this.#db
      .selectFrom('credits_use')
      .select(({ fn }) => fn.sum<number | null>('amount').as('held'))
      .where('is_settled', '=', 0)
      .where('bucket', '=', bucket)
      .where('started_at', '>', now - windowMs)
      .where('started_at', '<', now + windowMs)
      .executeTakeFirstOrThrow();
    return Number(settled ?? 0) + Number(held ?? 0);
  }

  /** Sets credits aside; answers the number under which they are settled or given back. */
  async hold({ userId, tool, bucket, amount, now }: Use): Promise<number> {
    await this.#db
      .deleteFrom('credits_use')
      .where('user_id', '=', userId)
      .where(({ eb, or }) => or([eb('started_at', '<=', now - windowMs), eb('started_at', '>=', now + windowMs)]))
      .execute();
    const { id } = await this.#db
      .insertInto('credits_use')
      .values({ user_id: userId, tool, bucket: bucket ?? null, amount, is_settled: 0, started_at: now })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  /** Moves what was set aside to what is consumed. */
  async settle(id: number, { userId, bucket, amount }: Use): Promise<void> {
    await this.#db.updateTable('credits_use').set({ is_settled: 1 }).where('id', '=', id).execute();
    if (bucket === undefined) return;
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
