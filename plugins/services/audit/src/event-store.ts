import type { AuditEvent, AuditFilter, AuditPage, RecordedEvent } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import { sql } from 'kysely';
import type { Insertable, Kysely, Selectable } from 'kysely';
import type { AuditTables } from './tables.ts';

/** An event, and when it happened. */
export interface TimedEvent {
  readonly time: number;
  readonly event: AuditEvent;
}

type Row = Selectable<AuditTables['audit_event']>;

const maxDetail = 500;
const maxName = 200;
const dayMs = 86_400_000;
/** Of the log, for one page: a filter that few events pass does not read all of it. */
const mostReadAtOnce = 100_000;
/** The number of parameters of a statement is limited. */
const rowsAtOnce = 50;

/** Events in a table that is only ever added to: nothing here changes or removes one. */
export class EventStore {
  readonly #db: Kysely<AuditTables>;
  readonly #mostRead: number;

  constructor(db: Kysely<AuditTables>, mostRead = mostReadAtOnce) {
    [this.#db, this.#mostRead] = [db, mostRead];
  }

  /** All of them or none. */
  async add(events: readonly TimedEvent[]): Promise<void> {
    const rows = events.map(toRow);
    await this.#db.transaction().execute(async (transaction) => {
      for (let from = 0; from < rows.length; from += rowsAtOnce)
        await transaction
          .insertInto('audit_event')
          .values(rows.slice(from, from + rowsAtOnce))
          .execute();
    });
  }

  async list({ since, until, action, actor, outcome, about, before, limit }: AuditFilter): Promise<AuditPage> {
    const from = since === undefined ? 0 : timeOf(since);
    const end = until === undefined ? undefined : timeOf(until) + (until.includes('T') ? 0 : dayMs);
    const ids = await this.#idsBetween(from, end);
    if (!ids) return { events: [] };
    const { first, last } = ids;
    const newest = before === undefined ? last : Math.min(last, before - 1);
    const unread = Math.max(newest - this.#mostRead, first - 1);
    let query = this.#db.selectFrom('audit_event').selectAll().orderBy('id', 'desc').limit(limit);
    query = query.where('id', '<=', newest).where('id', '>', unread).where('time', '>=', from);
    if (end !== undefined) query = query.where('time', '<', end);
    if (action !== undefined) query = query.where('action', '=', action);
    if (actor !== undefined) query = query.where('actor_name', '=', actor);
    if (outcome !== undefined) query = query.where('outcome', '=', outcome);
    if (about !== undefined) query = query.where(sql<boolean>`lower(${texts}) like ${likeOf(about)} escape '!'`);
    const events = (await query.execute()).map(toEvent);
    const next = events.length === limit ? (events.at(-1)?.id ?? first) : unread + 1;
    return { events, ...(next > first && { next }) };
  }

  /** The ids of the events in a range of time, whatever their order; undefined where there is none. */
  async #idsBetween(from: number, end: number | undefined): Promise<{ first: number; last: number } | undefined> {
    const oldest = this.#db.selectFrom('audit_event').select(({ fn }) => fn.min('id').as('id'));
    const latest = this.#db.selectFrom('audit_event').select(({ fn }) => fn.max('id').as('id'));
    const first = await (from > 0 ? oldest.where('time', '>=', from) : oldest).executeTakeFirst();
    const last = await (end === undefined ? latest : latest.where('time', '<', end)).executeTakeFirst();
    return first?.id && last?.id ? { first: Number(first.id), last: Number(last.id) } : undefined;
  }
}

const texts = sql`coalesce(target, '') || ' ' || coalesce(detail, '') || ' ' || coalesce(address, '') || ' ' || coalesce(client, '')`;

/** Both databases lower the letters of ASCII alone: the columns have the collation C. */
const likeOf = (part: string): string =>
  `%${part.replaceAll(/[!%_]/g, '!$&').replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())}%`;

/** Throws `invalid_argument` for what is neither a date nor a time, February 30 included. */
function timeOf(since: string): number {
  const [, day] = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/.exec(since) ?? [];
  const midnight = new Date(`${day}T00:00:00Z`);
  const time = Date.parse(since);
  if (Number.isNaN(time) || Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(`${day}T`))
    throw new SextantError(
      'invalid_argument',
      `"${since.slice(0, 40)}" is no time; write 2026-11-21 or 2026-11-21T08:30:00Z`,
    );
  return time;
}

const toRow = ({ time, event }: TimedEvent): Insertable<AuditTables['audit_event']> => ({
  time,
  action: event.action,
  outcome: event.outcome,
  actor_id: event.actor?.id ?? null,
  actor_name: event.actor?.name ?? null,
  address: event.address ?? null,
  client: event.client?.slice(0, maxName) ?? null,
  target: event.target?.slice(0, maxName) ?? null,
  detail: event.detail?.slice(0, maxDetail) ?? null,
});

const toEvent = (row: Row): RecordedEvent => ({
  id: row.id,
  time: new Date(row.time).toISOString(),
  action: row.action,
  outcome: row.outcome,
  ...(row.actor_id !== null && row.actor_name !== null && { actor: { id: row.actor_id, name: row.actor_name } }),
  ...(row.address !== null && { address: row.address }),
  ...(row.client !== null && { client: row.client }),
  ...(row.target !== null && { target: row.target }),
  ...(row.detail !== null && { detail: row.detail }),
});
