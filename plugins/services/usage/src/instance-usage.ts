import { setImmediate } from 'node:timers/promises';
import type {
  Granularity,
  InstanceUsage,
  OverviewRequest,
  UsageOverview,
  UsageRequest,
  UsageRow,
  UsageUser,
} from '@sextant/contracts';
import { GroupReader } from './groups.ts';
import type { Group } from './groups.ts';
import { overviewOf } from './overview.ts';
import { ownInstance } from './tables.ts';
import { formerUser } from './view.ts';
import type { View } from './view.ts';

/** Longest time in milliseconds that one statement of a report should keep others waiting. */
const shareMs = 10;
/** More at once would be no faster, and live long enough to make the heap grow. */
const mostGroups = 500;

/** Groups that are asked for at first and at least: on a busy machine time says little of the work. */
const fewestGroups: Readonly<Record<Granularity, number>> = {
  by_user: 2,
  by_user_month: 20,
  by_user_day: 250,
  by_user_day_client_language: mostGroups,
};

/** What one view of an instance shows. */
export class ViewedUsage implements InstanceUsage {
  readonly #view: View;

  constructor(view: View) {
    this.#view = view;
  }

  get isOwn(): boolean {
    return this.#view.instanceId === ownInstance;
  }

  users(): Promise<UsageUser[]> {
    return this.#view.people();
  }

  async overview(request: OverviewRequest): Promise<UsageOverview> {
    await this.#view.settle();
    return overviewOf(this.#view, request);
  }

  /**
   * Page by page, each a statement of its own that begins after the last row of the one before: a report that is read
   * slowly keeps nobody from the database, and nothing of it is held in memory.
   */
  async *rows(request: UsageRequest, signal: AbortSignal): AsyncGenerator<UsageRow[]> {
    await this.#view.settle();
    const users = new Map((await this.users()).map((user) => [user.id, user]));
    const reader = new GroupReader(this.#view, request);
    const fewest = fewestGroups[request.granularity];
    let limit = fewest;
    let after: Group | undefined;
    do {
      signal.throwIfAborted();
      const begun = performance.now();
      const groups = await reader.read({ after, limit });
      const elapsed = performance.now() - begun;
      yield groups.map((group) => toRow(group, users.get(group.user_id)));
      after = groups.length < limit ? undefined : groups.at(-1);
      limit = Math.round(Math.min((limit * shareMs) / Math.max(elapsed, 1), limit * 4, mostGroups));
      limit = Math.max(limit, fewest);
      await setImmediate();
    } while (after);
  }
}

function toRow(group: Group, user: UsageUser = formerUser(group.user_id)): UsageRow {
  const { month = '', day = month, client = '', language = '' } = group;
  // The group as it is: to copy ten numbers of each takes as long as to read them.
  return { user, date: day, client, language, counts: group };
}
