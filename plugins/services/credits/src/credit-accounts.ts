import type { Caller } from '@sextant/core';
import { seesEveryonesUsage } from '@sextant/contracts';
import type { CreditBucket, CreditHold, CreditRequest, Credits, Period } from '@sextant/contracts';
import type { Kysely } from 'kysely';
import type { Bucket, CreditsConfig } from './config.ts';
import { Ledger, consumedOf, giveBack } from './ledger.ts';
import type { Hold, Use } from './ledger.ts';
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
    const use: Use = { userId: call.caller.user.id, tool, amount: credits, now: this.#clock() };
    const hold = await this.#db.transaction().execute(async (transaction) => {
      const ledger = new Ledger(transaction);
      const limit = this.#config.entitlements[tool]?.perUserPerHour;
      return (await ledger.hold(use, { limit, buckets: this.#paying(use.now) })) ?? this.#refuse(ledger, use, limit);
    });
    return this.#holdOf(hold, use, call);
  }

  async buckets(caller: Caller, { startDate, endDate }: Period): Promise<CreditBucket[]> {
    const consumed = await consumedOf(this.#db, seesEveryonesUsage(caller) ? undefined : caller.user.id);
    return this.#config.credits
      .filter((bucket) => startDate === undefined || bucket.endDate >= startDate)
      .filter((bucket) => endDate === undefined || bucket.startDate <= endDate)
      .map((bucket) => ({ ...bucket, consumed: consumed.get(bucket.name) ?? 0 }))
      .toSorted(byStart);
  }

  /** The buckets that are active, which ends first first; undefined where there are none at all. */
  #paying(now: number): Bucket[] | undefined {
    const all = this.#config.credits;
    if (all.length === 0) return undefined;
    const today = dayOf(now);
    return all.filter(({ startDate, endDate }) => startDate <= today && today <= endDate).toSorted(byEnd);
  }

  async #refuse(ledger: Ledger, use: Use, limit: number | undefined): Promise<never> {
    const { tool, now } = use;
    const uses = limit === undefined ? [] : await ledger.usesOf(use);
    if (limit === undefined || uses.length < limit) throw creditsAreUp(tool, this.#config.credits, now);
    // The call that has to leave the hour before there is room again.
    throw hourIsUp(tool, limit, { oldest: uses.at(uses.length - limit) ?? now, now });
  }

  #holdOf(hold: Hold, use: Use, call: Parameters<Credits['reserve']>[0]): CreditHold {
    let isOpen = true;
    return {
      settle: async () => {
        if (!isOpen) return;
        isOpen = false;
        await this.#db.transaction().execute((transaction) => new Ledger(transaction).settle(hold, use));
        if (hold.bucket !== null) call.noteCredits?.(use.amount);
      },
      [Symbol.asyncDispose]: async () => {
        if (!isOpen) return;
        isOpen = false;
        await giveBack(this.#db, hold.id);
      },
    };
  }
}

const byStart = (a: Bucket, b: Bucket): number => order(a.startDate, b.startDate) || order(a.name, b.name);
const byEnd = (a: Bucket, b: Bucket): number => order(a.endDate, b.endDate) || order(a.name, b.name);
const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
