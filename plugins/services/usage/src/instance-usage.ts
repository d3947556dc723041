import { setImmediate } from 'node:timers/promises';
import type { Caller } from '@sextant/core';
import { seesEveryonesUsage } from '@sextant/contracts';
import type { Directory, Granularity, InstanceUsage, UsageRequest, UsageRow, UsageUser } from '@sextant/contracts';
import type { Kysely } from 'kysely';
import { groupsAfter } from './groups.ts';
import type { Group } from './groups.ts';
import type { UsageTables } from './tables.ts';

/** Longest time in milliseconds that one statement of a report should keep others waiting. */
const shareMs = 15;
const mostGroups = 4000;

/** Groups that are asked for at first and at least: on a busy machine time says little of the work. */
const fewestGroups: Readonly<Record<Granularity, number>> = {
  by_user: 2,
  by_user_month: 20,
  by_user_day: 250,
  by_user_day_client_language: 500,
};

export interface InstanceUsageOptions {
  db: Kysely<UsageTables>;
  directory: Pick<Directory, 'list'>;
  caller: Caller;
}

/** What one caller may see: everyone's usage, or their own. */
export class OwnInstanceUsage implements InstanceUsage {
  readonly #options: InstanceUsageOptions;

  constructor(options: InstanceUsageOptions) {
    this.#options = options;
  }

  async users(): Promise<UsageUser[]> {
    const { caller, directory } = this.#options;
    const users = (await directory.list()).filter(({ id }) => seesEveryonesUsage(caller) || id === caller.user.id);
    return users
      .map(({ id, name, email = '', isDisabled, isServiceAccount, isSiteAdmin }) => ({
        id,
        name,
        email,
        isActive: !isDisabled,
        isServiceAccount,
        isSiteAdmin,
      }))
      .toSorted((a, b) => a.id - b.id);
  }

  /**
   * Page by page, each a statement of its own that begins after the last row of the one before: a report that is read
   * slowly keeps nobody from the database, and nothing of it is held in memory.
   */
  async *rows(request: UsageRequest, signal: AbortSignal): AsyncGenerator<UsageRow> {
    const { caller, db } = this.#options;
    const users = new Map((await this.users()).map((user) => [user.id, user]));
    const userId = seesEveryonesUsage(caller) ? undefined : caller.user.id;
    const fewest = fewestGroups[request.granularity];
    let limit = fewest;
    let after: Group | undefined;
    do {
      signal.throwIfAborted();
      const begun = performance.now();
      const groups = await groupsAfter(db, { ...request, userId, after, limit });
      const elapsed = performance.now() - begun;
      for (const group of groups) yield toRow(group, users.get(group.userId));
      after = groups.length < limit ? undefined : groups.at(-1);
      limit = Math.round(Math.min((limit * shareMs) / Math.max(elapsed, 1), limit * 4, mostGroups));
      limit = Math.max(limit, fewest);
      await setImmediate();
    } while (after);
  }
}

const toRow = ({ userId, date, client, language, counts }: Group, user = formerUser(userId)): UsageRow => ({
  user,
  date,
  client,
  language,
  counts,
});

/** Whoever is not in the directory any more keeps the number, and nothing else. */
const formerUser = (id: number): UsageUser => ({
  id,
  name: '',
  email: '',
  isActive: false,
  isServiceAccount: false,
  isSiteAdmin: false,
});
