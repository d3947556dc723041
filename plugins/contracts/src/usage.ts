import { hasPermission, token } from '@sextant/core';
import type { Caller, Permission } from '@sextant/core';

/** Who holds it sees the usage of everyone; site administrators always do, others see their own. */
export const analyticsRead: Permission = 'ANALYTICS#READ';

export const seesEveryonesUsage = (caller: Caller): boolean => hasPermission(caller, analyticsRead);

export const granularities = ['by_user_day_client_language', 'by_user_day', 'by_user_month', 'by_user'] as const;
export type Granularity = (typeof granularities)[number];

/** Days in UTC, `YYYY-MM-DD`, both inclusive; an absent one does not bound its side. */
export interface Period {
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
}

export interface UsageRequest extends Period {
  readonly granularity: Granularity;
}

export interface UsageUser {
  readonly id: number;
  /** Empty for a user who does not exist any more. */
  readonly name: string;
  readonly email: string;
  /** Whether the user exists and is not disabled. */
  readonly isActive: boolean;
  readonly isServiceAccount: boolean;
  readonly isSiteAdmin: boolean;
}

export interface UsageCounts {
  readonly searches: number;
  readonly codeNavigations: number;
  readonly historyQueries: number;
  readonly fileReads: number;
  readonly codeFinderCalls: number;
  readonly deepSearchQuestions: number;
  readonly evaluatorRuns: number;
  readonly toolCalls: number;
  readonly toolErrors: number;
  readonly creditsUsed: number;
}

/** What one user did; with the granularity's day or month, client and language. */
export interface UsageRow {
  readonly user: UsageUser;
  /** `YYYY-MM-DD` or `YYYY-MM`; empty where the granularity has no date. */
  readonly date: string;
  /** Empty where it gave no name, or the granularity has none. */
  readonly client: string;
  /** Empty where the answers were about no files, or the granularity has none. */
  readonly language: string;
  readonly counts: UsageCounts;
}

/** The usage of one instance, as far as one caller may see it. */
export interface InstanceUsage {
  /** By id. */
  users(): Promise<UsageUser[]>;
  /** By user, date, client and language; read as they are asked for. */
  rows(request: UsageRequest, signal: AbortSignal): AsyncIterable<UsageRow>;
}

/** Who used what. What was recorded is counted within a second. */
export interface Usage {
  /**
   * The usage of the instance with that host; a full URL is accepted too. Throws `forbidden`, alike for one that is
   * unknown and one that the caller may not see.
   */
  open(caller: Caller, instanceURL: string): InstanceUsage;
}

export const Usage = token<Usage>('usage');
