import { sql } from 'kysely';
import type { RawBuilder, Transaction } from 'kysely';
import { RowWriter } from '../database/row-writer.ts';
import { overviewSums } from './sums.ts';
import type { DailySum, OverviewSum, RepositorySum, Sums } from './sums.ts';
import { dailyKey, overviewKey, repositoryDailyKey } from '../database/tables.ts';
import type { UsageTables } from '../database/tables.ts';

const counted = ['calls', 'errors', 'milliseconds', 'credits'] as const;

const names = (all: readonly string[]): RawBuilder<unknown> => sql.join(all.map((name) => sql.ref(name)));

type Counts = Record<(typeof counted)[number], number>;

/** Writes sums of one kind: adds to those that are there for a key. */
function adding<Row extends Counts>(
  table: keyof UsageTables,
  key: readonly (keyof Row & string)[],
): RowWriter<UsageTables, Row> {
  const columns = [...key, ...counted];
  const sums = counted.map(
    (name) => sql`${sql.ref(name)} = ${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
  );
  return new RowWriter(columns, (db, rows) =>
    sql`insert into ${sql.table(table)} (${names(columns)}) ${rows}
      on conflict (${names(key)}) do update set ${sql.join(sums)}`.compile(db),
  );
}

/** The sums that reports and pages read. */
export class SumStore {
  readonly #daily = adding<DailySum>('usage_daily', dailyKey);
  readonly #repositories = adding<RepositorySum>('usage_repository_daily', repositoryDailyKey);
  readonly #overview = adding<OverviewSum>('usage_overview', overviewKey);

  /** Adds to what is there. */
  async add(transaction: Transaction<UsageTables>, sums: Sums): Promise<void> {
    await this.#daily.write(transaction, sums.daily);
    await this.#repositories.write(transaction, sums.repositories);
    await this.#overview.write(transaction, overviewSums(sums));
  }
}
