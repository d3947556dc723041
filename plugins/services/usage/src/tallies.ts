import type { OverviewRequest, Tally } from '@sextant/contracts';
import type { Kysely } from 'kysely';
import type { UsageTables } from './tables.ts';
import type { View } from './view.ts';

export interface DayTally extends Tally {
  readonly day: string;
  readonly name: string;
}

export interface TallyRequest extends Pick<OverviewRequest, 'startDate' | 'endDate'> {
  readonly dimension: 'tool' | 'client' | 'language' | 'view';
}

/** Sums by day and name, in the order of days: of everyone from the overview, of one user from their own. */
export const tallies = ({ db, instanceId, userId }: View, request: TallyRequest): Promise<DayTally[]> =>
  userId === undefined ? ofEveryone(db, { ...request, instanceId }) : ofUser(db, { ...request, instanceId, userId });

type InstanceRequest = TallyRequest & { instanceId: number };

const ofEveryone = (db: Kysely<UsageTables>, { instanceId, ...request }: InstanceRequest): Promise<DayTally[]> =>
  db
    .selectFrom('usage_overview')
    .select(['day', 'value as name', 'calls', 'errors', 'milliseconds', 'credits'])
    .where('instance_id', '=', instanceId)
    .where('dimension', '=', request.dimension)
    .where('day', '>=', request.startDate)
    .where('day', '<=', request.endDate)
    .orderBy('day')
    .orderBy('value')
    .execute();

function ofUser(db: Kysely<UsageTables>, request: InstanceRequest & { userId: number }): Promise<DayTally[]> {
  const { dimension, startDate, endDate } = request;
  const column = dimension === 'view' ? 'tool' : dimension;
  return (
    db
      .selectFrom('usage_daily')
      .select(({ fn }) => [
        'day',
        `${column} as name` as const,
        fn.sum<number>('calls').as('calls'),
        fn.sum<number>('errors').as('errors'),
        fn.sum<number>('milliseconds').as('milliseconds'),
        fn.sum<number>('credits').as('credits'),
      ])
      .where('instance_id', '=', request.instanceId)
      .where('user_id', '=', request.userId)
      // The month comes before the day in the key.
      .where('month', '>=', startDate.slice(0, 7))
      .where('month', '<=', endDate.slice(0, 7))
      .where('day', '>=', startDate)
      .where('day', '<=', endDate)
      .where('kind', dimension === 'view' ? '!=' : '=', 'tool')
      .groupBy(['day', column])
      .orderBy('day')
      .orderBy(column)
      .execute()
  );
}
