import { maxSpans } from '@sextant/contracts';
import type {
  NamedTally,
  OverviewRequest,
  Span,
  SpanTally,
  Tally,
  UsageFilter,
  UsageOverview,
} from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import { sql } from 'kysely';
import type { AliasedExpression } from 'kysely';
import type { UsageTables } from '../database/tables.ts';
import { percentilesOf } from './percentiles.ts';
import { formerUser, isOneOf, nobody, numberOf } from './view.ts';
import type { View } from './view.ts';

const mostUsers = 10;
/** SQLite takes 32,766 parameters. Long before that, reading all sums is as fast as finding those of each repository. */
const mostNumbers = 1000;

/** Everything that a look at a period shows, read from sums by day. */
export async function overviewOf(view: View, request: OverviewRequest): Promise<UsageOverview> {
  const spans = spansOf(request);
  const named = async (dimension: Parameters<typeof tallies>[1]['dimension']): Promise<NamedTally[]> =>
    inSpans(await tallies(view, { ...request, dimension }), spans);
  const tools = await named('tool');
  const total = await totals(view, { spans, tools, only: request.only });
  const p95 = await percentilesOf(view, request);
  return {
    total,
    userCount: total.every(({ calls }) => calls === 0)
      ? 0
      : await usersIn(view, { first: request.startDate, last: request.endDate }, request.only),
    tools,
    clients: await named('client'),
    languages: await named('language'),
    repositories: inSpans(await repositoryTallies(view, request), spans),
    views: await named('view'),
    users: await topUsers(view, request),
    ...(p95 && { p95 }),
  };
}

/** Adds days up to the spans in which they lie; both are in the order of time. */
function inSpans(days: readonly DayTally[], spans: readonly SpanDays[]): NamedTally[] {
  const sums = new Map<string, NamedTally>();
  let index = 0;
  for (const { day, name, ...tally } of days) {
    while (day > (spans[index]?.last ?? day)) index += 1;
    const date = spans[index]?.first ?? day;
    const key = `${date} ${name}`;
    const sum = sums.get(key);
    sums.set(key, { date, name, ...(sum ? plus(sum, tally) : tally) });
  }
  return [...sums.values()];
}

async function totals(
  view: View,
  { spans, tools, only }: { spans: readonly SpanDays[]; tools: readonly NamedTally[]; only: UsageFilter | undefined },
): Promise<UsageOverview['total']> {
  const sums = new Map<string, SpanTally>(spans.map(({ first }) => [first, { date: first, ...nothing }]));
  for (const tool of tools) sums.set(tool.date, { date: tool.date, ...plus(sums.get(tool.date) ?? nothing, tool) });
  const total: UsageOverview['total'][number][] = [];
  for (const span of spans) {
    const sum = sums.get(span.first) ?? { date: span.first, ...nothing };
    total.push({ ...sum, users: sum.calls === 0 ? 0 : await usersIn(view, span, only) });
  }
  return total;
}

async function usersIn(view: View, { first, last }: SpanDays, only: UsageFilter | undefined): Promise<number> {
  const { db, instanceId, userId } = view;
  if (userId !== undefined) return 1;
  const rows = isEverything(view, only)
    ? db
        .selectFrom('usage_overview')
        .select(sql<number>`count(distinct value)`.as('users'))
        .where('instance_id', '=', instanceId)
        .where('dimension', '=', 'user')
        .where('day', '>=', first)
        .where('day', '<=', last)
    : (await filtered(view, { startDate: first, endDate: last, only }))
        .select(sql<number>`count(distinct user_id)`.as('users'))
        .where('kind', '=', 'tool');
  return Number((await rows.executeTakeFirstOrThrow()).users);
}

async function topUsers(view: View, request: OverviewRequest): Promise<UsageOverview['users']> {
  if (view.userId !== undefined) return [];
  const top = await (isEverything(view, request.only)
    ? view.db
        .selectFrom('usage_overview')
        .select(['value', ...sums])
        .where('instance_id', '=', view.instanceId)
        .where('dimension', '=', 'user')
        .where('day', '>=', request.startDate)
        .where('day', '<=', request.endDate)
        .groupBy('value')
        .orderBy('calls', 'desc')
        .orderBy('value')
        .limit(mostUsers)
        .execute()
    : (await filtered(view, request))
        .select(['user_id as value', ...sums])
        .where('kind', '=', 'tool')
        .groupBy('user_id')
        .orderBy('calls', 'desc')
        .orderBy('user_id')
        .limit(mostUsers)
        .execute());
  const people = new Map((await view.people()).map((user) => [user.id, user]));
  return top.map(({ value, ...tally }) => ({ user: people.get(Number(value)) ?? formerUser(Number(value)), ...tally }));
}

const sums = [
  sql<number>`sum(calls)`.as('calls'),
  sql<number>`sum(errors)`.as('errors'),
  sql<number>`sum(milliseconds)`.as('milliseconds'),
  sql<number>`sum(credits)`.as('credits'),
] as const;

const nothing: Tally = { calls: 0, errors: 0, milliseconds: 0, credits: 0 };

const plus = (a: Tally, b: Tally): Tally => ({
  calls: a.calls + b.calls,
  errors: a.errors + b.errors,
  milliseconds: a.milliseconds + b.milliseconds,
  credits: a.credits + b.credits,
});

/** Days of one span within a period, both inclusive. */
interface SpanDays {
  readonly first: string;
  readonly last: string;
}

/** The spans of a period in their order; the first and the last may be cut by it. Throws `invalid_argument` for too many. */
function spansOf({ startDate, endDate, span }: OverviewRequest): SpanDays[] {
  const spans: SpanDays[] = [];
  for (let first = startDate; first <= endDate; ) {
    if (spans.length === maxSpans)
      throw new SextantError(
        'invalid_argument',
        `the period has more than ${maxSpans} ${span}s; choose a shorter one or longer spans`,
      );
    const next = nextSpan(first, span);
    const last = addDays(next, -1);
    spans.push({ first, last: last < endDate ? last : endDate });
    first = next;
  }
  return spans;
}

export function nextSpan(day: string, span: Span): string {
  if (span === 'day') return addDays(day, 1);
  const date = new Date(`${day}T00:00:00Z`);
  // Sunday is 0; weeks begin on Monday.
  if (span === 'week') return addDays(day, 7 - ((date.getUTCDay() + 6) % 7));
  return toDay(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1));
}

export const addDays = (day: string, days: number): string => toDay(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000);

const toDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

interface DayTally extends Tally {
  readonly day: string;
  readonly name: string;
}

interface TallyRequest extends Pick<OverviewRequest, 'startDate' | 'endDate' | 'only'> {
  readonly dimension: 'tool' | 'client' | 'language' | 'view';
}

/** Sums by day and name, in the order of days: of everything from the overview, of some calls from the sums of users. */
async function tallies(view: View, request: TallyRequest): Promise<DayTally[]> {
  const { dimension, startDate, endDate, only } = request;
  if (isEverything(view, only))
    return view.db
      .selectFrom('usage_overview')
      .select(['day', 'value as name', 'calls', 'errors', 'milliseconds', 'credits'])
      .where('instance_id', '=', view.instanceId)
      .where('dimension', '=', dimension)
      .where('day', '>=', startDate)
      .where('day', '<=', endDate)
      .orderBy('day')
      .orderBy('value')
      .execute();
  const column = dimension === 'view' ? 'tool' : dimension;
  return (await filtered(view, request))
    .select(['day', `${column} as name` as const, ...sums])
    .where('kind', dimension === 'view' ? '!=' : '=', 'tool')
    .groupBy(['day', column])
    .orderBy('day')
    .orderBy(column)
    .execute();
}

/** The same of repositories, as far as the viewer may know them. */
async function repositoryTallies(view: View, request: Narrowed): Promise<DayTally[]> {
  const { startDate, endDate, only } = request;
  const names = await view.repositories();
  if (names.size === 0) return [];
  const rows = isEverything(view, only)
    ? await view.db
        .selectFrom('usage_overview')
        .select(['day', 'value as number', 'calls', 'errors', 'milliseconds', 'credits'])
        .where('instance_id', '=', view.instanceId)
        .where('dimension', '=', 'repository')
        .where('day', '>=', startDate)
        .where('day', '<=', endDate)
        .orderBy('day')
        .execute()
    : await narrowed(view, sumsOfRepositories(view, request, numbersOf(names, only?.repository)), request)
        .select(['day', 'repository_id as number', ...sums])
        .groupBy(['day', 'repository_id'])
        .orderBy('day')
        .execute();
  return rows.flatMap(({ number, ...tally }) => {
    const name = names.get(Number(number));
    return name === undefined ? [] : [{ ...tally, name }];
  });
}

/** Of one repository, -1 where there is none, or of all. Undefined for more than a statement takes: then all sums are read. */
function numbersOf(names: ReadonlyMap<number, string>, only: string | undefined): number[] | undefined {
  if (only === undefined) return names.size > mostNumbers ? undefined : [...names.keys()];
  const numbers = [...names].flatMap(([id, name]) => (name === only ? [id] : []));
  return numbers.length > 0 ? numbers : [nobody];
}

const isEverything = ({ userId }: View, { users, client, tool, language, repository }: UsageFilter = {}): boolean =>
  [userId, users, client, tool, language, repository].every((value) => value === undefined);

type Narrowed = Omit<TallyRequest, 'dimension'>;

/** The sums of users in a period, as far as they are of the calls that are looked at. */
async function filtered(view: View, request: Narrowed) {
  const { repository } = request.only ?? {};
  return repository === undefined
    ? narrowed(view, sumsOf(view, request), request)
    : narrowed(view, sumsOfRepositories(view, request, [await numberOf(view, repository)]), request);
}

const columns = ['day', 'user_id', 'client', 'language', 'tool', 'calls', 'errors', 'milliseconds', 'credits'] as const;

interface Sum extends DailyCounts {
  readonly repository_id: number;
}
type DailyCounts = Pick<UsageTables['usage_daily'], (typeof columns)[number] | 'kind'>;
type Sums = AliasedExpression<Sum, 'sums'>;

const sumsOf = ({ db, instanceId }: View, { startDate, endDate }: Narrowed): Sums =>
  db
    .selectFrom('usage_daily')
    .select([...columns, 'kind', sql<number>`0`.as('repository_id')])
    .where('instance_id', '=', instanceId)
    // The month comes before the day in the key.
    .where('month', '>=', startDate.slice(0, 7))
    .where('month', '<=', endDate.slice(0, 7))
    .where('day', '>=', startDate)
    .where('day', '<=', endDate)
    .as('sums');

function sumsOfRepositories(
  { db }: View,
  { startDate, endDate }: Narrowed,
  numbers: readonly number[] | undefined,
): Sums {
  const rows = db
    .selectFrom('usage_repository_daily')
    .select([...columns, sql<string>`'tool'`.as('kind'), 'repository_id'])
    .where('day', '>=', startDate)
    .where('day', '<=', endDate);
  return (numbers ? rows.where('repository_id', 'in', numbers) : rows).as('sums');
}

function narrowed({ db, userId }: View, rows: Sums, { only: { users, client, tool, language } = {} }: Narrowed) {
  let query = db.selectFrom(rows);
  if (userId !== undefined) query = query.where('user_id', '=', userId);
  if (users) query = query.where(isOneOf(db, users));
  if (client !== undefined) query = query.where('client', '=', client);
  if (tool !== undefined) query = query.where('tool', '=', tool);
  if (language !== undefined) query = query.where('language', '=', language);
  return query;
}
