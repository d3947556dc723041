import {
  Credits,
  Directory,
  Sessions,
  Usage,
  pageFrame,
  seesEveryonesUsage,
  navigationOrder,
} from '@sextant/contracts';
import type { InstanceUsage, UsageFilter } from '@sextant/contracts';
import { definePage, optional } from '@sextant/core';
import { assetOf, assetResponse } from '@sextant/library-ui';
import { periodBefore, readAsked } from './asked.ts';
import type { Filters } from './asked.ts';
import { show } from './view.ts';

const stylesheet = assetOf('analytics.css', [new URL('analytics.css', import.meta.url)]);
const script = assetOf('analytics.js', [new URL('assets/analytics.js', import.meta.url)]);

export const assetPages = [stylesheet, script].map((asset) =>
  definePage({
    name: `analytics-${asset === script ? 'script' : 'stylesheet'}`,
    method: 'GET',
    path: asset.path,
    access: 'anyone',
    needs: {},
    respond: async () => assetResponse(asset),
  }),
);

export const analytics = definePage({
  name: 'analytics',
  method: 'GET',
  path: '/analytics',
  access: { scope: 'analytics' },
  link: { title: 'Analytics', order: navigationOrder.analytics },
  needs: {
    usage: Usage,
    credits: optional(Credits),
    directory: optional(Directory),
    sessions: optional(Sessions),
  },
  async respond(request, { usage, credits, directory, sessions }, call) {
    const { caller } = call;
    const instances = await usage.instances(caller);
    const [own = ''] = instances;
    const asked = readAsked(request.url, own);
    const instance = await usage.open(caller, asked.instance);
    const isOfEveryone = seesEveryonesUsage(caller);
    // Users of other instances are not in the directory of this one.
    const teams = isOfEveryone && instance.isOwn ? await teamsIn(directory) : new Map<string, readonly number[]>();
    const only = await filterOf(asked.filters, instance, teams);
    const [overview, before, cohorts] = await Promise.all([
      instance.overview({ ...asked, only }),
      // By month: of the period before, the sums are enough.
      instance.overview({ ...periodBefore(asked), span: 'month', only }),
      instance.cohorts({ endDate: asked.endDate, weeks: cohortWeeks }),
    ]);
    const buckets = instance.isOwn ? await credits?.buckets(caller, asked) : undefined;
    const frame = await pageFrame(request, call, sessions);
    return show({
      asked,
      overview,
      before,
      cohorts,
      frame,
      instances,
      teams: [...teams.keys()],
      buckets: buckets ?? [],
      isOfEveryone,
      stylesheet: stylesheet.path,
      script: script.path,
    });
  },
});

/** Weeks of which the page says when their users came back. */
const cohortWeeks = 10;

/** Users by the roles that they were given. */
async function teamsIn(directory: Directory | undefined): Promise<ReadonlyMap<string, readonly number[]>> {
  const members = (await directory?.list())?.flatMap(({ id, roles }) => roles.map((role) => ({ id, role }))) ?? [];
  const teams = Map.groupBy(members, ({ role }) => role);
  return new Map([...teams].toSorted().map(([role, all]) => [role, all.map(({ id }) => id)]));
}

/** A name that nobody has, or that the viewer may not know, leaves no calls. */
async function filterOf(
  { user, team, ...only }: Filters,
  instance: InstanceUsage,
  teams: ReadonlyMap<string, readonly number[]>,
): Promise<UsageFilter> {
  const named =
    user === undefined ? undefined : (await instance.users()).filter(({ name }) => name === user).map(({ id }) => id);
  const members = team === undefined ? undefined : (teams.get(team) ?? []);
  const users = named && members ? named.filter((id) => members.includes(id)) : (named ?? members);
  return { ...only, ...(users && { users }) };
}
