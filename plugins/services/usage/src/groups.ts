import type { Granularity, UsageCounts, UsageRequest } from '@sextant/contracts';
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { UsageTables } from './tables.ts';
import type { View } from './view.ts';

type KeyColumn = 'user_id' | 'month' | 'day' | 'client' | 'language';

/** One row of a report, without what the directory knows of the user; it has the columns of its granularity. */
export type Group = UsageCounts &
  Pick<UsageTables['usage_daily'], 'user_id'> &
  Partial<Pick<UsageTables['usage_daily'], KeyColumn>>;

export interface GroupRequest extends UsageRequest {
  /** The last group that is known already. */
  after: Group | undefined;
  limit: number;
}

/** Each is a beginning of the key of the table, so that groups are found in its order and none is sorted. */
const columnsOf: Readonly<Record<Granularity, readonly KeyColumn[]>> = {
  by_user: ['user_id'],
  by_user_month: ['user_id', 'month'],
  by_user_day: ['user_id', 'month', 'day'],
  by_user_day_client_language: ['user_id', 'month', 'day', 'client', 'language'],
};

/** Compared one by one: a list of several is looked up in an index that is built for it, which takes longer. */
const callsOf = (...tools: string[]): RawBuilder<number> => {
  const isOne = sql.join(
    tools.map((tool) => sql`tool = ${sql.lit(tool)}`),
    sql` or `,
  );
  return sql<number>`sum(case when ${isOne} then calls else 0 end)`;
};

const counts = {
  searches: callsOf('keyword_search', 'nls_search'),
  codeNavigations: callsOf('go_to_definition', 'find_references'),
  historyQueries: callsOf('commit_search', 'diff_search', 'compare_revisions', 'get_contributor_repos'),
  fileReads: callsOf('read_file'),
  codeFinderCalls: callsOf('code_finder'),
  deepSearchQuestions: callsOf('deepsearch'),
  evaluatorRuns: callsOf('evaluator'),
  toolCalls: sql<number>`sum(calls)`,
  toolErrors: sql<number>`sum(errors)`,
  creditsUsed: sql<number>`sum(credits)`,
} satisfies Record<keyof UsageCounts, RawBuilder<number>>;

/** The next groups in the order of user, date, client and language. */
export function groupsAfter({ db, instanceId, userId }: View, request: GroupRequest): Promise<Group[]> {
  const { granularity, startDate, endDate, after, limit } = request;
  const columns = columnsOf[granularity];
  let query = db
    .selectFrom('usage_daily')
    .select(columns)
    .select(Object.entries(counts).map(([name, sum]) => sum.as(name as keyof UsageCounts)))
    .where('instance_id', '=', instanceId)
    .where('kind', '=', 'tool')
    .groupBy(columns)
    .limit(limit);
  if (userId !== undefined) query = query.where('user_id', '=', userId);
  if (startDate !== undefined) query = query.where('day', '>=', startDate);
  if (endDate !== undefined) query = query.where('day', '<=', endDate);
  if (after) query = query.where(isAfter(columns, after));
  for (const column of columns) query = query.orderBy(column);
  return query.execute();
}

function isAfter(columns: readonly KeyColumn[], after: Group): RawBuilder<boolean> {
  const values = columns.map((column) => after[column]);
  return sql<boolean>`(${sql.join(columns.map((column) => sql.ref(column)))}) > (${sql.join(values)})`;
}
