import type { Transaction } from 'kysely';
import { RowWriter } from '../database/row-writer.ts';
import { overviewSums } from './sums.ts';
import type { DailySum, OverviewSum } from './sums.ts';
import { dailyKey, overviewKey } from '../database/tables.ts';
import type { UsageTables } from '../database/tables.ts';

const counted = ['calls', 'errors', 'milliseconds', 'credits'] as const;
const dailyColumns = [...dailyKey, ...counted] as const;
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
  async add(transaction: Transaction<UsageTables>, daily: readonly DailySum[]): Promise<void> {
    await this.#daily.write(transaction, daily);
    await this.#overview.write(transaction, overviewSums(daily));
  }
}
