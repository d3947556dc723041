import type { NamedTally, OverviewRequest, SpanTally, Tally, UsageOverview } from '@sextant/contracts';
import { sql } from 'kysely';
import { spansOf } from './calendar.ts';
import type { SpanDays } from './calendar.ts';
import { tallies } from './tallies.ts';
import type { DayTally } from './tallies.ts';
import { formerUser } from './view.ts';
import type { View } from './view.ts';

const mostUsers = 10;

/** Everything that a look at a period shows, read from sums by day. */
export async function overviewOf(view: View, request: OverviewRequest): Promise<UsageOverview> {
  const spans = spansOf(request);
  const named = async (dimension: Parameters<typeof tallies>[1]['dimension']): Promise<NamedTally[]> =>
    inSpans(await tallies(view, { ...request, dimension }), spans);
  const tools = await named('tool');
  const total = await totals(view, spans, tools);
  return {
    total,
    userCount: total.every(({ calls }) => calls === 0)
      ? 0
      : await usersIn(view, { first: request.startDate, last: request.endDate }),
    tools,
    clients: await named('client'),
    languages: await named('language'),
    views: await named('view'),
    users: await topUsers(view, request),
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
  spans: readonly SpanDays[],
  tools: readonly NamedTally[],
): Promise<UsageOverview['total']> {
  const sums = new Map<string, SpanTally>(spans.map(({ first }) => [first, { date: first, ...nothing }]));
  for (const tool of tools) sums.set(tool.date, { date: tool.date, ...plus(sums.get(tool.date) ?? nothing, tool) });
  const total: UsageOverview['total'][number][] = [];
  for (const span of spans) {
    const sum = sums.get(span.first) ?? { date: span.first, ...nothing };
    total.push({ ...sum, users: sum.calls === 0 ? 0 : await usersIn(view, span) });
  }
  return total;
}

async function usersIn({ db, instanceId, userId }: View, { first, last }: SpanDays): Promise<number> {
  if (userId !== undefined) return 1;
  const { users } = await db
    .selectFrom('usage_overview')
    .select(sql<number>`count(distinct value)`.as('users'))
    .where('instance_id', '=', instanceId)
    .where('dimension', '=', 'user')
    .where('day', '>=', first)
    .where('day', '<=', last)
    .executeTakeFirstOrThrow();
  return Number(users);
}

async function topUsers(view: View, { startDate, endDate }: OverviewRequest): Promise<UsageOverview['users']> {
  if (view.userId !== undefined) return [];
  const top = await view.db
    .selectFrom('usage_overview')
    .select(({ fn }) => [
      'value',
      fn.sum<number>('calls').as('calls'),
      fn.sum<number>('errors').as('errors'),
      fn.sum<number>('milliseconds').as('milliseconds'),
      fn.sum<number>('credits').as('credits'),
    ])
    .where('instance_id', '=', view.instanceId)
    .where('dimension', '=', 'user')
    .where('day', '>=', startDate)
    .where('day', '<=', endDate)
    .groupBy('value')
    .orderBy('calls', 'desc')
    .orderBy('value')
    .limit(mostUsers)
    .execute();
  const people = new Map((await view.people()).map((user) => [user.id, user]));
  return top.map(({ value, ...tally }) => ({ user: people.get(Number(value)) ?? formerUser(Number(value)), ...tally }));
}

const nothing: Tally = { calls: 0, errors: 0, milliseconds: 0, credits: 0 };

const plus = (a: Tally, b: Tally): Tally => ({
  calls: a.calls + b.calls,
  errors: a.errors + b.errors,
  milliseconds: a.milliseconds + b.milliseconds,
  credits: a.credits + b.credits,
});
