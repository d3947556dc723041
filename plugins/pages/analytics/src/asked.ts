import { maxSpans, reportPeriod, spans } from '@sextant/contracts';
import type { Span } from '@sextant/contracts';
import { z } from 'zod';

const dayMs = 24 * 3600 * 1000;

/** Periods that end today, by their length in days. */
export const lengths = {
  7: '7 days',
  30: '30 days',
  90: '90 days',
  365: '1 year',
} as const;
const usualLength = 30;

/** What the page is to show. */
export interface Asked {
  readonly startDate: string;
  readonly endDate: string;
  readonly span: Span;
  /** Host of an instance. */
  readonly instance: string;
  /** What the calls have in common that are shown. */
  readonly filters: Filters;
  /** Why something else is shown than was asked for. */
  readonly problem?: string;
}

/** What the page can be narrowed to by a click: the name of a user, of a role, and so on. */
export const filterNames = ['user', 'team', 'client', 'tool', 'language', 'repository'] as const;
export type FilterName = (typeof filterNames)[number];
export type Filters = Readonly<Partial<Record<FilterName, string | undefined>>>;

/** Names of repositories have their host and folders before them. */
const longestName = 500;
const name = z.string().max(longestName).optional();
const filters = z.object({ user: name, team: name, client: name, tool: name, language: name, repository: name });

const query = reportPeriod.safeExtend({ span: z.enum(spans).optional(), ...filters.shape });

/** Reads the query of the page; a field that was left empty is as one that is not there. */
export function readAsked(url: string, ownInstance: string, now = Date.now()): Asked {
  const { instance = ownInstance, ...given } = Object.fromEntries(
    [...new URL(url).searchParams].filter(([, value]) => value !== ''),
  );
  const parsed = query.safeParse({ ...given, instanceURL: instance });
  if (!parsed.success) return { ...usual(now), instance, filters: {}, problem: describe(parsed.error) };
  const only: Filters = filters.parse(parsed.data);
  const shared = { instance, filters: only };
  const { endDate = dayOf(now), span, startDate = lastDays(usualLength, endDate).startDate } = parsed.data;
  const period = { startDate, endDate };
  const chosen = span ?? usualSpan(period);
  if (fits(period, chosen)) return { ...period, span: chosen, ...shared };
  const problem = `So long a period is not shown by ${chosen}: a chart has at most ${maxSpans} ${chosen}s.`;
  if (fits(period, usualSpan(period))) return { ...period, span: usualSpan(period), ...shared, problem };
  return { ...usual(now), ...shared, problem };
}

const usual = (now: number): Pick<Asked, 'startDate' | 'endDate' | 'span'> => ({
  ...lastDays(usualLength, dayOf(now)),
  span: 'day',
});

const fits = (period: Days, span: Span): boolean =>
  daysIn(period) / { day: 1, week: 7, month: 28 }[span] <= maxSpans - 2;

type Days = Pick<Asked, 'startDate' | 'endDate'>;

/** The period of so many days that ends on one. */
export const lastDays = (days: number, endDate: string): Days => ({
  startDate: dayOf(Date.parse(endDate) - (days - 1) * dayMs),
  endDate,
});

/** The period before, of the same length. */
export const periodBefore = (period: Days): Days =>
  lastDays(daysIn(period), dayOf(Date.parse(period.startDate) - dayMs));

/** The address of what is asked for, with some of it changed; an undefined filter is taken away. */
export function addressOf(
  asked: Asked,
  change: Partial<Record<FilterName | 'startDate' | 'endDate', string | undefined>>,
): string {
  const { startDate, endDate, span, instance, filters: only } = asked;
  const fields = { startDate, endDate, ...(!('startDate' in change) && { span }), instance, ...only, ...change };
  const given = Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
  return `/analytics?${new URLSearchParams(given)}`;
}

export const dayAfter = (day: string): string => dayOf(Date.parse(day) + dayMs);

export const daysIn = ({ startDate, endDate }: Days): number =>
  (Date.parse(endDate) - Date.parse(startDate)) / dayMs + 1;

export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** As many columns as a chart shows well. */
function usualSpan(period: Days): Span {
  const days = daysIn(period);
  if (days <= 62) return 'day';
  return days <= 400 ? 'week' : 'month';
}

function describe({ issues }: z.ZodError): string {
  const [issue] = issues;
  const name = issue?.path.join('.') ?? '';
  return `${name === '' ? 'The period' : name} ${issue?.message ?? 'is not valid'}; shown are the last ${usualLength} days.`;
}
