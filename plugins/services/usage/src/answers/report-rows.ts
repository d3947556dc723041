import type {
  Cohort,
  Granularity,
  InstanceUsage,
  OverviewRequest,
  UsageCounts,
  UsageOverview,
  UsageRequest,
  UsageRow,
  UsageUser,
} from '@sextant/contracts';
import { sql } from 'kysely';
import type { CompiledQuery, RawBuilder } from 'kysely';
import { isHere } from '../database/row-writer.ts';
import { setImmediate } from 'node:timers/promises';
import { cohortsOf } from './cohorts.ts';
import { overviewOf } from './overview.ts';
import type { Activity } from '@sextant/core';
import { ownInstance } from '../database/tables.ts';
import type { UsageTables } from '../database/tables.ts';
import { formerUser } from './view.ts';
import { toolActivities } from '../recording/tool-activities.ts';
import type { ToolActivity } from '../recording/tool-activities.ts';
import type { View } from './view.ts';

interface Pages {
  /** Longest time in milliseconds that one statement of a report should take. */
  readonly shareMs: number;
  readonly mostGroups: number;
  /** How many times as many as the fewest groups are asked for at first and at least. */
  readonly least: number;
}

/** A statement keeps this process waiting. More groups would be no faster, and live long enough to make the heap grow. */
const pagesHere: Pages = { shareMs: 10, mostGroups: 500, least: 1 };
/** A statement keeps nobody waiting, each is a round trip, and of few users PostgreSQL may read as much as of all. */
const pagesElsewhere: Pages = { shareMs: 200, mostGroups: 10_000, least: 250 };

/** Groups of one statement where it keeps this process waiting: on a busy machine time says little of the work. */
const fewestGroups: Readonly<Record<Granularity, number>> = {
  by_user: 2,
  by_user_month: 20,
  by_user_day: 250,
  by_user_day_client_language: 500,
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
    const names = await this.#view.repositories();
    return overviewOf({ ...this.#view, repositories: async () => names }, request);
  }

  async cohorts(request: { readonly endDate: string; readonly weeks: number }): Promise<Cohort[]> {
    await this.#view.settle();
    return cohortsOf(this.#view, request);
  }

  /**
   * Page by page, each a statement of its own that begins after the last row of the one before: a report that is read
   * slowly keeps nobody from the database, and nothing of it is held in memory.
   */
  async *rows(request: UsageRequest, signal: AbortSignal): AsyncGenerator<UsageRow[]> {
    await this.#view.settle();
    const users = new Map((await this.users()).map((user) => [user.id, user]));
    const tools = await toolActivities(this.#view.db);
    const reader = new GroupReader(this.#view, { ...request, tools });
    const { shareMs, mostGroups, least } = isHere(this.#view.db) ? pagesHere : pagesElsewhere;
    const fewest = Math.min(least * fewestGroups[request.granularity], mostGroups);
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

type KeyColumn = 'user_id' | 'month' | 'day' | 'client' | 'language';

/** One row of a report, without what the directory knows of the user; it has the columns of its granularity. */
export type Group = UsageCounts &
  Pick<UsageTables['usage_daily'], 'user_id'> &
  Partial<Pick<UsageTables['usage_daily'], KeyColumn>>;

type Position = Partial<Pick<Group, KeyColumn>>;

export interface GroupPage {
  /** The last group that is known already; from the first on where it is absent. */
  after: Position | undefined;
  limit: number;
}

/** Each is a beginning of the key of the table, so that groups are found in its order and none is sorted. */
const columnsOf: Readonly<Record<Granularity, readonly KeyColumn[]>> = {
  by_user: ['user_id'],
  by_user_month: ['user_id', 'month'],
  by_user_day: ['user_id', 'month', 'day'],
  by_user_day_client_language: ['user_id', 'month', 'day', 'client', 'language'],
};

const callsOf = (...tools: string[]): RawBuilder<number> =>
  sql<number>`coalesce(sum(calls) filter (where tool in (${sql.join(tools.map((tool) => sql.lit(tool)))})), 0)`;

/** The two tools of research have a column each; any other tool counts by its activity. */
function countsOf(tools: readonly ToolActivity[]): Record<keyof UsageCounts, RawBuilder<number>> {
  const callsFor = (activity: Activity): RawBuilder<number> =>
    callsOf(...tools.filter((row) => row.activity === activity).map(({ tool }) => tool));
  return {
    searches: callsFor('search'),
    codeNavigations: callsFor('navigation'),
    historyQueries: callsFor('history'),
    fileReads: callsFor('reading'),
    codeFinderCalls: callsOf('code_finder'),
    deepSearchQuestions: callsOf('deepsearch'),
    evaluatorRuns: callsFor('script'),
    toolCalls: sql<number>`sum(calls)`,
    toolErrors: sql<number>`sum(errors)`,
    creditsUsed: sql<number>`sum(credits)`,
  };
}

/** What one walk over the groups counts. */
export interface GroupRequest extends UsageRequest {
  tools: readonly ToolActivity[];
}

/** Before every group. */
const beforeAll: Position = { user_id: -1, month: '', day: '', client: '', language: '' };

/** Reads groups in the order of user, date, client and language, some at a time. */
export class GroupReader {
  readonly #view: View;
  readonly #columns: readonly KeyColumn[];
  /** The statement is the same for every page: building it takes as long as a short page. */
  readonly #query: CompiledQuery<Group>;

  constructor(view: View, request: GroupRequest) {
    this.#view = view;
    this.#columns = columnsOf[request.granularity];
    this.#query = this.#compile(request);
  }

  async read({ after = beforeAll, limit }: GroupPage): Promise<Group[]> {
    const paging = [...this.#columns.map((column) => after[column]), limit];
    const parameters = [...this.#query.parameters.slice(0, -paging.length), ...paging];
    return (await this.#view.db.executeQuery<Group>({ ...this.#query, parameters })).rows;
  }

  /** What differs from page to page comes last among the parameters. */
  #compile({ startDate, endDate, tools }: GroupRequest): CompiledQuery<Group> {
    const { db, instanceId, userId } = this.#view;
    const columns = this.#columns;
    let query = db
      .selectFrom('usage_daily')
      .select(columns)
      .select(Object.entries(countsOf(tools)).map(([name, sum]) => sum.as(name as keyof UsageCounts)))
      .where('instance_id', '=', instanceId)
      .where('kind', '=', 'tool')
      .groupBy(columns)
      .limit(1);
    if (userId !== undefined) query = query.where('user_id', '=', userId);
    if (startDate !== undefined) query = query.where('day', '>=', startDate);
    if (endDate !== undefined) query = query.where('day', '<=', endDate);
    query = query.where(isAfter(columns, beforeAll));
    for (const column of columns) query = query.orderBy(column);
    return query.compile();
  }
}

function isAfter(columns: readonly KeyColumn[], after: Position): RawBuilder<boolean> {
  const values = columns.map((column) => after[column]);
  return sql<boolean>`(${sql.join(columns.map((column) => sql.ref(column)))}) > (${sql.join(values)})`;
}
