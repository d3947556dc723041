import { hourly } from '@sextant/core';
import type { CallRecord, Logger } from '@sextant/core';
import type { Kysely, Transaction } from 'kysely';
import { setImmediate } from 'node:timers/promises';
import { DailyClients } from './daily-clients.ts';
import { mainLanguage } from './languages.ts';
import type { RepositoryKeys } from './repository-keys.ts';
import { RepositoryNumbers } from './repository-numbers.ts';
import { Origins } from './origins.ts';
import type { Origin } from './origins.ts';
import { PendingSums, lastSummed, progressOf } from '../sums/pending-sums.ts';
import { plainName } from './plain-name.ts';
import { RowWriter } from '../database/row-writer.ts';
import { ToolActivities } from './tool-activities.ts';
import type { UsageTables } from '../database/tables.ts';

type EventRow = Omit<UsageTables['usage_event'], 'id'>;
type Event = Omit<EventRow, 'origin_id' | 'repository_id'> & Origin;

const eventColumns = ['started_at', 'day', 'milliseconds', 'origin_id', 'repository_id'] as const;

/** Events that are deleted at once: other users of the database hardly notice it. */
const deletedAtOnce = 500;

const maxNameLength = 100;

/** The events as they happened, in the order in which they were written. */
export class UsageEventStore {
  readonly #db: Kysely<UsageTables>;
  readonly #origins: Origins;
  readonly #repositories: RepositoryNumbers;
  readonly #pending: PendingSums;
  readonly #clients: DailyClients;
  readonly #activities: ToolActivities;
  readonly #events = new RowWriter<UsageTables, EventRow>(eventColumns, (db, rows) =>
    db
      .insertInto('usage_event')
      .columns([...eventColumns])
      .expression(rows)
      .compile(),
  );

  constructor(db: Kysely<UsageTables>, keys: RepositoryKeys) {
    this.#db = db;
    this.#origins = new Origins(db);
    this.#repositories = new RepositoryNumbers(db, keys);
    this.#pending = new PendingSums(db);
    this.#clients = new DailyClients(db);
    this.#activities = new ToolActivities(db);
  }

  /** Writes records, all or none. */
  async write(records: readonly CallRecord[]): Promise<void> {
    if (this.#pending.areMany() || this.#clients.areMany()) await this.settle();
    await this.#activities.note(records);
    const events = records.map(toEvent);
    await this.#clients.bound(events);
    const numbers = await this.#origins.numbersOf(events);
    const repositories = await this.#repositories.of(records.map(({ repository }) => repository));
    const rows = events.map(({ started_at, day, milliseconds }, at) => ({
      started_at,
      day,
      milliseconds,
      origin_id: numbers[at] ?? 0,
      repository_id: repositories[at] ?? 0,
    }));
    const range = await this.#db.transaction().execute(async (transaction) => {
      const { event_id: before } = await progressOf(transaction);
      await this.#events.write(transaction, rows);
      const { event_id: last_id } = await advance(transaction);
      return this.#pending.claim(transaction, { first_id: before + 1, last_id });
    });
    this.#pending.add(
      range,
      events.map((event, at) => ({ ...event, repository_id: repositories[at] ?? 0 })),
    );
  }

  /** Adds up what was written so far. Whatever reads sums does so first. */
  settle(): Promise<void> {
    return this.#pending.settle();
  }

  /** Deletes the oldest events up to a time, some at once; answers whether there may be more of them. */
  async deleteBefore(time: number): Promise<boolean> {
    await this.settle();
    const oldest = await this.#db
      .selectFrom('usage_event')
      .select(['id', 'started_at'])
      .where('id', '<=', await lastSummed(this.#db))
      .orderBy('id')
      .limit(deletedAtOnce)
      .execute();
    const kept = oldest.findIndex((event) => event.started_at >= time);
    const last = oldest.at(kept < 0 ? -1 : kept - 1);
    if (!last || kept === 0) return false;
    await this.#db.deleteFrom('usage_event').where('id', '<=', last.id).execute();
    return kept < 0;
  }
}

const advance = (db: Transaction<UsageTables>): Promise<UsageTables['usage_progress']> =>
  db
    .updateTable('usage_progress')
    .set({ event_id: (eb) => eb.selectFrom('usage_event').select(({ fn }) => fn.max('id').as('last')) })
    .returning('event_id')
    .executeTakeFirstOrThrow();

const toEvent = (record: CallRecord): Event => ({
  started_at: Math.floor(record.startedAt),
  day: dayOf(record.startedAt),
  user_id: record.userId,
  client: plainName(record.clientName ?? '').slice(0, maxNameLength),
  kind: record.kind,
  tool: record.name,
  endpoint: record.endpoint,
  language: mainLanguage(record.files),
  milliseconds: record.milliseconds,
  outcome: record.outcome,
  credits: record.credits,
});

const dayMs = 24 * 3600 * 1000;
let known = { day: Number.NaN, text: '' };

/** Most calls are of the day of the one before, and writing a date takes longer than all the rest of an event. */
function dayOf(time: number): string {
  const day = Math.floor(time / dayMs);
  if (day !== known.day) known = { day, text: new Date(time).toISOString().slice(0, 10) };
  return known.text;
}

interface RetentionOptions {
  events: Pick<UsageEventStore, 'deleteBefore'>;
  days: number;
  log: Logger;
}

/** Deletes events that are too old, some at a time, every hour until it is closed. */
export function retention({ events, days, log }: RetentionOptions): { close(): Promise<void> } {
  const closing = new AbortController();
  const deleteOld = async (): Promise<void> => {
    while (!closing.signal.aborted && (await events.deleteBefore(Date.now() - days * dayMs))) await setImmediate();
  };
  const deleting = hourly(deleteOld, { log, failure: 'old usage events were not deleted' });
  return {
    async close() {
      closing.abort();
      await deleting.close();
    },
  };
}
