import { KeyTree } from '../recording/key-tree.ts';
import { ownInstance } from '../database/tables.ts';
import type { UsageTables } from '../database/tables.ts';

/** An event as far as sums tell it. */
export type SummedEvent = Pick<UsageTables['usage_event'], 'day' | 'milliseconds'> &
  Pick<UsageTables['usage_origin'], 'user_id' | 'client' | 'language' | 'tool' | 'kind' | 'outcome' | 'credits'>;

/** What the calls of one user on one day with one client, language and tool come to. */
export type DailySum = UsageTables['usage_daily'];
/** What the calls of everyone on one day come to, by one dimension alone. */
export type OverviewSum = UsageTables['usage_overview'];
type Counted = Pick<DailySum, 'calls' | 'errors' | 'milliseconds' | 'credits'>;

/** Adds up events of this instance by the key of the daily sums. */
export class DailySums {
  readonly #sums: DailySum[] = [];
  readonly #byKey = new KeyTree<DailySum>();
  #events = 0;

  /** How many events were added up. */
  get events(): number {
    return this.#events;
  }

  get size(): number {
    return this.#sums.length;
  }

  add(events: readonly SummedEvent[]): void {
    for (const event of events) {
      const { user_id, day, client, language, tool, kind, milliseconds, credits } = event;
      const leaf = this.#byKey.at([day, kind, tool, client, language, user_id]);
      if (!leaf.value) {
        const month = day.slice(0, 7);
        const key = { instance_id: ownInstance, user_id, month, day, client, language, tool, kind };
        leaf.value = { ...key, calls: 0, errors: 0, milliseconds: 0, credits: 0 };
        this.#sums.push(leaf.value);
      }
      add(leaf.value, { calls: 1, errors: event.outcome === 'ok' ? 0 : 1, milliseconds, credits });
    }
    this.#events += events.length;
  }

  /** In about the order of their key, so that those in one page are written together. */
  sorted(): DailySum[] {
    return this.#sums.toSorted((a, b) => a.user_id - b.user_id || (a.day < b.day ? -1 : Number(a.day > b.day)));
  }
}

/** Adds daily sums up without their users: what a look at all of them reads instead of millions of rows. */
export function overviewSums(daily: Iterable<DailySum>): OverviewSum[] {
  const sums: OverviewSum[] = [];
  const byKey = new KeyTree<OverviewSum>();
  for (const row of daily)
    for (const [dimension, value] of placesOf(row)) {
      const { instance_id, day } = row;
      const leaf = byKey.at([instance_id, dimension, day, value]);
      if (!leaf.value) {
        leaf.value = { instance_id, dimension, day, value, calls: 0, errors: 0, milliseconds: 0, credits: 0 };
        sums.push(leaf.value);
      }
      add(leaf.value, row);
    }
  return sums;
}

const placesOf = ({ kind, tool, client, language, user_id }: DailySum): [string, string][] =>
  kind === 'tool'
    ? [
        ['tool', tool],
        ['client', client],
        ['language', language],
        ['user', String(user_id)],
      ]
    : [['view', tool]];

function add(sum: Counted, more: Counted): void {
  sum.calls += more.calls;
  sum.errors += more.errors;
  sum.milliseconds += more.milliseconds;
  sum.credits += more.credits;
}
