import type { Transaction } from 'kysely';
import { RowWriter } from '../database/row-writer.ts';
import { overviewSums } from './sums.ts';
import type { DailySum, OverviewSum, RepositorySum, Sums } from './sums.ts';
import { dailyKey, overviewKey, repositoryDailyKey } from '../database/tables.ts';
import type { UsageTables } from '../database/tables.ts';

const counted = ['calls', 'errors', 'milliseconds', 'credits'] as const;
const dailyColumns = [...dailyKey, ...counted] as const;
const repositoryColumns = [...repositoryDailyKey, ...counted] as const;
const overviewColumns = [...overviewKey, ...counted] as const;

/** The sums that reports and pages read. */
export class SumStore {
  readonly #daily = new RowWriter<UsageTables, DailySum>(dailyColumns, (db, rows) =>
    db
      .insertInto('usage_daily')
      .columns([...dailyColumns])
      .expression(rows)
      .onConflict((conflict) =>
        conflict
          .columns([...dailyKey])
          .doUpdateSet(({ eb, ref }) =>
            Object.fromEntries(
              counted.map((name) => [name, eb(ref(`usage_daily.${name}`), '+', ref(`excluded.${name}`))]),
            ),
          ),
      )
      .compile(),
  );
  readonly #repositories = new RowWriter<UsageTables, RepositorySum>(repositoryColumns, (db, rows) =>
    db
      .insertInto('usage_repository_daily')
      .columns([...repositoryColumns])
      .expression(rows)
      .onConflict((conflict) =>
        conflict
          .columns([...repositoryDailyKey])
          .doUpdateSet(({ eb, ref }) =>
            Object.fromEntries(
              counted.map((name) => [name, eb(ref(`usage_repository_daily.${name}`), '+', ref(`excluded.${name}`))]),
            ),
          ),
      )
      .compile(),
  );
  readonly #overview = new RowWriter<UsageTables, OverviewSum>(overviewColumns, (db, rows) =>
    db
      .insertInto('usage_overview')
      .columns([...overviewColumns])
      .expression(rows)
      .onConflict((conflict) =>
        conflict
          .columns([...overviewKey])
          .doUpdateSet(({ eb, ref }) =>
            Object.fromEntries(
              counted.map((name) => [name, eb(ref(`usage_overview.${name}`), '+', ref(`excluded.${name}`))]),
            ),
          ),
      )
      .compile(),
  );

  /** Adds to what is there. */
  async add(transaction: Transaction<UsageTables>, sums: Sums): Promise<void> {
    await this.#daily.write(transaction, sums.daily);
    await this.#repositories.write(transaction, sums.repositories);
    await this.#overview.write(transaction, overviewSums(sums));
  }
}
