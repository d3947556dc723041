import type { OverviewRequest, UsageOverview } from '@sextant/contracts';
import { ownInstance } from '../database/tables.ts';
import { progressOf } from '../sums/pending-sums.ts';
import { isOneOf, numberOf } from './view.ts';
import type { View } from './view.ts';

/** The newest calls that are looked at: single events of a long period would take seconds to read. */
const mostCalls = 20_000;
const share = 0.95;

/** The time within which most calls ended. Sums do not tell it, so it is read from single events, which only this instance has. */
export async function percentilesOf(
  view: View,
  { startDate, endDate, only: { users, client, tool, language, repository } = {} }: OverviewRequest,
): Promise<UsageOverview['p95']> {
  const { db, instanceId, userId } = view;
  if (instanceId !== ownInstance) return undefined;
  const { event_id: last } = await progressOf(db);
  let query = db
    .selectFrom('usage_event')
    .innerJoin('usage_origin', 'usage_origin.id', 'usage_event.origin_id')
    .select(['tool', 'milliseconds'])
    .where('usage_event.id', '>', last - mostCalls)
    .where('day', '>=', startDate)
    .where('day', '<=', endDate)
    .where('kind', '=', 'tool');
  if (userId !== undefined) query = query.where('user_id', '=', userId);
  if (users) query = query.where(isOneOf(db, users));
  if (client !== undefined) query = query.where('client', '=', client);
  if (tool !== undefined) query = query.where('tool', '=', tool);
  if (language !== undefined) query = query.where('language', '=', language);
  if (repository !== undefined) query = query.where('repository_id', '=', await numberOf(view, repository));
  const calls = await query.orderBy('milliseconds').execute();
  if (calls.length === 0) return undefined;
  const byTool = Map.groupBy(calls, (call) => call.tool);
  return { all: percentile(calls), tools: new Map([...byTool].map(([name, own]) => [name, percentile(own)])) };
}

/** Of calls in the order of their time. */
const percentile = (calls: readonly { readonly milliseconds: number }[]): number =>
  calls[Math.ceil(calls.length * share) - 1]?.milliseconds ?? Number.NaN;
