import { hasPermission, token } from '@sextant/core';
import type { Caller, Permission } from '@sextant/core';

/** The right to see the usage of everyone. Site administrators have it; others see their own. */
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

export const spans = ['day', 'week', 'month'] as const;
/** A day in UTC, a week from Monday on, or a month. */
export type Span = (typeof spans)[number];

/** The most spans that one look shows. */
export const maxSpans = 400;

/** The calls that a look is about. Absent or empty: all of them. */
export interface UsageFilter {
  /** Ids of users. */
  readonly users?: readonly number[] | undefined;
  readonly client?: string | undefined;
  readonly tool?: string | undefined;
  readonly language?: string | undefined;
  /** By its whole name. One that the caller may not read is as one that does not exist. */
  readonly repository?: string | undefined;
}

export interface OverviewRequest {
  /** Days in UTC, `YYYY-MM-DD`, both inclusive. */
  readonly startDate: string;
  readonly endDate: string;
  readonly span: Span;
  readonly only?: UsageFilter | undefined;
}

export interface Tally {
  readonly calls: number;
  readonly errors: number;
  /** Of all calls together. */
  readonly milliseconds: number;
  readonly credits: number;
}

/** What was done in one span, of which `date` is the first day that lies in the period. */
export interface SpanTally extends Tally {
  readonly date: string;
}

/** A share of a span: a tool, a client, a language by its name. */
export interface NamedTally extends SpanTally {
  readonly name: string;
}

/** Calls of tools over a period; views of pages and reports are named apart and count nowhere else. */
export interface UsageOverview {
  /** Every span of the period in its order, those without calls too. */
  readonly total: readonly (SpanTally & { readonly users: number })[];
  /** By date and name, only where there were calls. */
  readonly tools: readonly NamedTally[];
  readonly clients: readonly NamedTally[];
  readonly languages: readonly NamedTally[];
  /** Those that the caller may read now; a call counts for the one that most of its answer is about. */
  readonly repositories: readonly NamedTally[];
  /** By name of the page or report. */
  readonly views: readonly NamedTally[];
  /** How many users made calls in the whole period. */
  readonly userCount: number;
  /** Of the whole period, those with most calls first, ten at most. */
  readonly users: readonly (Tally & { readonly user: UsageUser })[];
  /**
   * Milliseconds within which 95 of 100 calls ended: of all, and of each tool. Of the newest calls of the instance
   * that answers, 20,000 at most; absent where none of them lies in the period.
   */
  readonly p95?: { readonly all: number; readonly tools: ReadonlyMap<string, number> };
}

/** Users who began in one week, and how many of them made calls in it and in each week after it. */
export interface Cohort {
  /** The Monday of the week. */
  readonly week: string;
  readonly users: number;
  /** From the first week on, up to the week of the look. */
  readonly active: readonly number[];
}

/** The usage of one instance, as far as one caller may see it. */
export interface InstanceUsage {
  /** Whether it is the instance that answers; credits are known of it alone. */
  readonly isOwn: boolean;
  /** By id. */
  users(): Promise<UsageUser[]>;
  /** By user, date, client and language; read some at a time as they are asked for. */
  rows(request: UsageRequest, signal: AbortSignal): AsyncIterable<readonly UsageRow[]>;
  /** Throws `invalid_argument` for a period of more than `maxSpans`. */
  overview(request: OverviewRequest): Promise<UsageOverview>;
  /** The cohorts of the last weeks up to a day, 26 weeks at most, the oldest first; empty for who does not see everyone. */
  cohorts(request: { readonly endDate: string; readonly weeks: number }): Promise<readonly Cohort[]>;
}

/** Who used what. What was recorded is counted within a second. */
export interface Usage {
  /**
   * The usage of the instance with that host; a full URL is accepted too. Throws `forbidden`, alike for one that is
   * unknown and one that the caller may not see.
   */
  open(caller: Caller, instanceURL: string): Promise<InstanceUsage>;
  /** Hosts of the instances that the caller may open, this one first. */
  instances(caller: Caller): Promise<readonly string[]>;
}

export const Usage = token<Usage>('usage');
