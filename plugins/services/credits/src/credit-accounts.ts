import type { Caller } from '@sextant/core';
import { seesEveryonesUsage } from '@sextant/contracts';
import type { CreditBucket, CreditHold, CreditRequest, Credits, Period } from '@sextant/contracts';
import type { Kysely } from 'kysely';
import type { Bucket, CreditsConfig } from './config.ts';
import { Ledger, consumedOf, giveBack } from './ledger.ts';
import type { Use } from './ledger.ts';
import { creditsAreUp, dayOf, hourIsUp } from './refusals.ts';
import type { CreditsTables } from './tables.ts';

export interface CreditAccountsOptions {
  db: Kysely<CreditsTables>;
  config: CreditsConfig;
  /** Milliseconds since 1970. */
  clock?: () => number;
}

/** Every decision is one transaction, and transactions run one after another: no two callers get the same credit. */
export class CreditAccounts implements Credits {
  readonly #db: Kysely<CreditsTables>;
  readonly #config: CreditsConfig;
  readonly #clock: () => number;

  constructor({ db, config, clock = Date.now }: CreditAccountsOptions) {
    this.#db = db;
    this.#config = config;
    this.#clock = clock;
  }

  async reserve(call: Parameters<Credits['reserve']>[0], { tool, credits }: CreditRequest): Promise<CreditHold> {
    const { id: userId } = call.caller.user;
    const now = this.#clock();
    const { id, use } = await this.#db.transaction().execute(async (transaction) => {
      const ledger = new Ledger(transaction);
      await this.#requireEntitled(ledger, { userId, tool, now });
      const bucket = await this.#payingBucket(ledger, { tool, credits, now });
      const use: Use = { userId, tool, bucket, amount: credits, now };
      return { id: await ledger.hold(use), use };
    });
    return this.#holdOf(id, use, call);
  }

  async buckets(caller: Caller, { startDate, endDate }: Period): Promise<CreditBucket[]> {
    const consumed = await consumedOf(this.#db, seesEveryonesUsage(caller) ? undefined : caller.user.id);
    return this.#config.credits
      .filter((bucket) => startDate === undefined || bucket.endDate >= startDate)
      .filter((bucket) => endDate === undefined || bucket.startDate <= endDate)
      .map((bucket) => ({ ...bucket, consumed: consumed.get(bucket.name) ?? 0 }))
      .toSorted(byStart);
  }

  async #requireEntitled(ledger: Ledger, use: Pick<Use, 'userId' | 'tool' | 'now'>): Promise<void> {
    const { userId, tool, now } = use;
    const limit = this.#config.entitlements[tool]?.perUserPerHour;
    if (limit === undefined) return;
    const uses = await ledger.usesOf(userId, tool, now);
    // The call that has to leave the hour before there is room again.
    if (uses.length >= limit) throw hourIsUp(tool, limit, { oldest: uses.at(uses.length - limit) ?? now, now });
  }

  /** The bucket that ends first of those with enough left; undefined where there are no buckets at all. */
  async #payingBucket(ledger: Ledger, request: CreditRequest & { now: number }): Promise<string | undefined> {
    const { tool, credits, now } = request;
    const all = this.#config.credits;
    if (all.length === 0) return undefined;
    const today = dayOf(now);
    const active = all.filter(({ startDate, endDate }) => startDate <= today && today <= endDate);
    for (const { name, allocation } of active.toSorted(byEnd))
      if ((await ledger.takenOf(name, now)) + credits <= allocation) return name;
    throw creditsAreUp(tool, all, now);
  }

  #holdOf(id: number, use: Use, call: Parameters<Credits['reserve']>[0]): CreditHold {
    let isOpen = true;
    return {
      settle: async () => {
        if (!isOpen) return;
        isOpen = false;
        await this.#db.transaction().execute((transaction) => new Ledger(transaction).settle(id, use));
        if (use.bucket !== undefined) call.noteCredits?.(use.amount);
      },
      [Symbol.asyncDispose]: async () => {
        if (!isOpen) return;
        isOpen = false;
        await giveBack(this.#db, id);
      },
    };
  }
}

const byStart = (a: Bucket, b: Bucket): number => order(a.startDate, b.startDate) || order(a.name, b.name);
const byEnd = (a: Bucket, b: Bucket): number => order(a.endDate, b.endDate) || order(a.name, b.name);
const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
