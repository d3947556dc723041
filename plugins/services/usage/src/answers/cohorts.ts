import type { Cohort } from '@sextant/contracts';
import { addDays, nextSpan } from './overview.ts';
import type { View } from './view.ts';

const mostWeeks = 26;

/** Users by the week in which they began, and how many of each made calls in the weeks after it. */
export async function cohortsOf(
  view: View,
  { endDate, weeks }: { readonly endDate: string; readonly weeks: number },
): Promise<Cohort[]> {
  if (view.userId !== undefined) return [];
  const thisWeek = addDays(nextSpan(endDate, 'week'), -7);
  const shown = Array.from({ length: Math.min(weeks, mostWeeks) }, (_, index) =>
    addDays(thisWeek, -7 * index),
  ).toReversed();
  const begun = await firstDays(view);
  const active: ReadonlySet<string>[] = [];
  for (const week of shown) active.push(await activeIn(view, week));
  return shown.map((week, index) => {
    const end = addDays(week, 7);
    const users = begun.filter(({ day }) => day >= week && day < end);
    const activeAfter = active.slice(index).map((these) => users.filter(({ value }) => these.has(value)).length);
    return { week, users: users.length, active: activeAfter };
  });
}

const ofUsers = ({ db, instanceId }: View) =>
  db.selectFrom('usage_overview').where('instance_id', '=', instanceId).where('dimension', '=', 'user');

const firstDays = (view: View): Promise<{ value: string; day: string }[]> =>
  ofUsers(view)
    .select(({ fn }) => ['value', fn.min('day').as('day')])
    .groupBy('value')
    .execute();

/** Those who made calls in the week that begins on a day. */
async function activeIn(view: View, week: string): Promise<ReadonlySet<string>> {
  const users = await ofUsers(view)
    .select('value')
    .distinct()
    .where('day', '>=', week)
    .where('day', '<', addDays(week, 7))
    .execute();
  return new Set(users.map(({ value }) => value));
}
