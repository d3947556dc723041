import { KeyTree } from '../recording/key-tree.ts';
import { ownInstance } from '../database/tables.ts';
import type { UsageTables } from '../database/tables.ts';

/** An event as far as sums tell it. */
export type SummedEvent = Pick<UsageTables['usage_event'], 'day' | 'milliseconds' | 'repository_id'> &
  Pick<UsageTables['usage_origin'], 'user_id' | 'client' | 'language' | 'tool' | 'kind' | 'outcome' | 'credits'>;

/** What the calls of one user on one day with one client, language and tool come to. */
export type DailySum = UsageTables['usage_daily'];
/** What the calls about one repository come to, of one user on one day with one client, language and tool. */
export type RepositorySum = UsageTables['usage_repository_daily'];
/** What the calls of everyone on one day come to, by one dimension alone. */
export type OverviewSum = UsageTables['usage_overview'];
type Counted = Pick<DailySum, 'calls' | 'errors' | 'milliseconds' | 'credits'>;

/** What events come to: all of them, and those of tools that were about a repository. */
export interface Sums {
  readonly daily: readonly DailySum[];
  readonly repositories: readonly RepositorySum[];
}

/** Adds up events of this instance by the keys of the daily sums. */
export class DailySums {
  readonly #sums: DailySum[] = [];
  readonly #byKey = new KeyTree<DailySum>();
  readonly #repositories: RepositorySum[] = [];
  readonly #byRepository = new KeyTree<RepositorySum>();
  #events = 0;

  /** How many events were added up. */
  get events(): number {
    return this.#events;
  }

  get size(): number {
    return this.#sums.length + this.#repositories.length;
  }

  add(events: readonly SummedEvent[]): void {
    for (const event of events) {
      const { user_id, day, client, language, tool, kind, milliseconds, credits, repository_id } = event;
      const more = { calls: 1, errors: event.outcome === 'ok' ? 0 : 1, milliseconds, credits };
      const leaf = this.#byKey.at([day, kind, tool, client, language, user_id]);
      if (!leaf.value) {
        const month = day.slice(0, 7);
        const key = { instance_id: ownInstance, user_id, month, day, client, language, tool, kind };
        leaf.value = { ...key, ...nothing };
        this.#sums.push(leaf.value);
      }
      add(leaf.value, more);
      if (repository_id === 0 || kind !== 'tool') continue;
      const ofRepository = this.#byRepository.at([repository_id, day, tool, client, language, user_id]);
      if (!ofRepository.value) {
        ofRepository.value = { repository_id, day, user_id, client, language, tool, ...nothing };
        this.#repositories.push(ofRepository.value);
      }
      add(ofRepository.value, more);
    }
    this.#events += events.length;
  }

  /** In about the order of their keys, so that those in one page are written together. */
  sorted(): Sums {
    return {
      daily: this.#sums.toSorted((a, b) => a.user_id - b.user_id || byDay(a, b)),
      repositories: this.#repositories.toSorted((a, b) => a.repository_id - b.repository_id || byDay(a, b)),
    };
  }
}

const nothing = { calls: 0, errors: 0, milliseconds: 0, credits: 0 };

const byDay = (a: { readonly day: string }, b: { readonly day: string }): number =>
  a.day < b.day ? -1 : Number(a.day > b.day);

/** Adds daily sums up without their users: what a look at all of them reads instead of millions of rows. */
export function overviewSums({ daily, repositories }: Sums): OverviewSum[] {
  const sums: OverviewSum[] = [];
  const byKey = new KeyTree<OverviewSum>();
  const addTo = (place: Pick<OverviewSum, 'instance_id' | 'dimension' | 'day' | 'value'>, row: Counted): void => {
    const leaf = byKey.at([place.instance_id, place.dimension, place.day, place.value]);
    if (!leaf.value) {
      leaf.value = { ...place, ...nothing };
      sums.push(leaf.value);
    }
    add(leaf.value, row);
  };
  for (const row of daily)
    for (const [dimension, value] of placesOf(row))
      addTo({ instance_id: row.instance_id, dimension, day: row.day, value }, row);
  for (const row of repositories)
    addTo({ instance_id: ownInstance, dimension: 'repository', day: row.day, value: String(row.repository_id) }, row);
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
