import { token } from '@sextant/core';
import type { Call, Caller } from '@sextant/core';
import type { Period } from './usage.ts';

export interface CreditBucket {
  readonly name: string;
  readonly allocation: number;
  /** Of everyone, or only of a caller who may not see the usage of others. */
  readonly consumed: number;
  /** `YYYY-MM-DD`, inclusive, UTC. */
  readonly startDate: string;
  readonly endDate: string;
}

/** Credits set aside for one call. Disposing of it gives back what was not settled. */
export interface CreditHold extends AsyncDisposable {
  /** Consumes what was set aside, and notes it with the call. The second time nothing happens. */
  settle(): Promise<void>;
}

export interface CreditRequest {
  /** Wire name of the tool that is metered. */
  readonly tool: string;
  /** Whole credits. */
  readonly credits: number;
}

/** What metered tools cost: limits per user and hour, and buckets of credits for everyone. */
export interface Credits {
  /**
   * Sets credits aside, so that however many ask at once no limit is exceeded: `await using hold = await reserve(…)`,
   * and `settle` when the work was done. Throws `exhausted`, which says of what and when it renews.
   */
  reserve(call: Pick<Call, 'caller' | 'noteCredits'>, request: CreditRequest): Promise<CreditHold>;
  /** Buckets whose active period overlaps the given one, by start date. */
  buckets(caller: Caller, period: Period): Promise<CreditBucket[]>;
}

export const Credits = token<Credits>('credits');
