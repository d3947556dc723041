import { createHmac, hash } from 'node:crypto';
import { unescape } from 'node:querystring';
import { granularities } from '@sextant/contracts';
import type { Database, Granularity } from '@sextant/contracts';
import { backoffMs, joinSignals, messageOf, operatorReason, timeoutSignal } from '@sextant/core';
import type { Logger, ServiceFailure, ServiceStatus } from '@sextant/core';
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { z } from 'zod';
import { duePeriods, frequencies } from './periods.ts';
import type { Days } from './periods.ts';

const hourMs = 3_600_000;
const longestReportMs = 10 * 60_000;
const longestAnswerMs = 60_000;
const firstPauseMs = 60_000;
/** A message is signed as a whole, so it is kept in memory. */
const mostBytes = 64 * 1024 * 1024;
/** Of an answer, for the log. */
const mostOfAnswer = 200;
/** So much of it is read, so that what must not be shown is not cut before it is found. */
const mostReadOfAnswer = 16 * 1024;
/** Of a URL: shorter parts are no secrets. */
const fewestOfSecret = 4;

const fields = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).describe('Where each report is sent, by POST'),
  secret: z
    .string()
    .min(16)
    .describe('Signs each message as Standard Webhooks say: whsec_ and base64, or any other text as it stands'),
  as: z.string().min(1).describe('The user whose rights it has; the report of an administrator is of everyone'),
  every: z.enum(frequencies).default('month').describe('The period of each report, in UTC; weeks begin on Mondays'),
  granularity: z.enum(granularities).default('by_user_day_client_language'),
});
type Delivery = z.output<typeof fields>;

/** Of all of it, so that a message does not quote the URL. */
export const deliveryConfig = fields.refine(({ url }) => {
  const { username = '', password = '' } = URL.parse(url) ?? {};
  return username === '' && password === '';
}, 'its url must have no login, with which no request can be made');

interface DeliveryTables {
  report_delivery: {
    /** Of where what is sent. */
    id: string;
    /** The last day of the last period that was sent. */
    sent_to: string;
  };
}

const migrations: Readonly<Record<string, Migration>> = {
  '1-deliveries': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('report_delivery')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('sent_to', 'text', (column) => column.notNull())
        .execute();
    },
  },
};

export interface DeliveriesOptions {
  readonly deliveries: readonly Delivery[];
  readonly database: Database;
  /** The report as CSV, a piece at a time. */
  csv(as: string, request: Days & { granularity: Granularity }, signal: AbortSignal): AsyncIterable<string>;
  readonly log: Logger;
  /** The pause after a first failure; the next ones are longer, up to an hour. */
  readonly pauseMs?: number;
  /** How long a report may take to be made, before anything is sent. */
  readonly reportMs?: number;
  now?(): number;
}

/** Sends reports of periods that have ended, each until it is taken, and no period twice. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #db: Kysely<DeliveryTables>;
  readonly #closing = new AbortController();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  readonly #failures = new Map<string, ServiceFailure>();
  #delivered = 0;

  private constructor(options: DeliveriesOptions, db: Kysely<DeliveryTables>) {
    this.#options = options;
    this.#db = db;
  }

  static async open(options: DeliveriesOptions): Promise<Deliveries> {
    return new Deliveries(options, await options.database.open({ name: 'report_delivery', migrations }));
  }

  begin(): void {
    for (const delivery of this.#options.deliveries) this.#run(delivery, 0);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all(this.#running);
  }

  /** What could not be delivered by now is a failure, until it is taken. */
  status(): ServiceStatus {
    const failures = [...this.#failures.values()];
    const counts = { deliveries: this.#options.deliveries.length, deliveredSinceStart: this.#delivered };
    return { isReady: true, detail: counts, failures };
  }

  #run(delivery: Delivery, failures: number): void {
    const running = this.#tried(delivery, failures).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #tried(delivery: Delivery, failures: number): Promise<void> {
    const reason = await this.#sendDue(delivery);
    if (this.#closing.signal.aborted) return;
    const { pauseMs = firstPauseMs, log, now = Date.now } = this.#options;
    const failed = reason === undefined ? 0 : failures + 1;
    const wait = failed === 0 ? hourMs : backoffMs(failed, { firstMs: pauseMs, longestMs: hourMs });
    const id = idOf(delivery);
    if (reason === undefined) this.#failures.delete(id);
    else {
      const url = shownURL(delivery);
      const { as, every, granularity } = delivery;
      const since = this.#failures.get(id)?.since ?? new Date(now()).toISOString();
      const place = `deliveries[${this.#options.deliveries.indexOf(delivery)}]`;
      const name = `${granularity} report of ${as} by ${every} to ${url}, ${place}`;
      this.#failures.set(id, { name, reason, since, nextTry: new Date(now() + wait).toISOString() });
      log.warn({ url, failures: failed }, `a report could not be delivered, it is tried again: ${reason}`);
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#run(delivery, failed);
    }, wait).unref();
    this.#timers.add(timer);
  }

  /** Why it failed; undefined where everything was taken. */
  async #sendDue(delivery: Delivery): Promise<string | undefined> {
    const { database, log, now = Date.now } = this.#options;
    const { every } = delivery;
    const id = idOf(delivery);
    try {
      // Another host of the same database may send it.
      await database.exclusively(`report-delivery ${id}`, async () => {
        const row = await this.#db.selectFrom('report_delivery').selectAll().where('id', '=', id).executeTakeFirst();
        for (const period of duePeriods(every, row?.sent_to, now())) {
          await this.#send(delivery, period);
          await this.#db
            .insertInto('report_delivery')
            .values({ id, sent_to: period.endDate })
            .onConflict((conflict) => conflict.column('id').doUpdateSet({ sent_to: period.endDate }))
            .execute();
          this.#delivered += 1;
          log.info({ url: shownURL(delivery), ...period }, 'a report was delivered');
        }
      });
      return undefined;
    } catch (error) {
      return reasonOf(error, delivery);
    }
  }

  async #send(delivery: Delivery, { startDate, endDate }: Days): Promise<void> {
    const { url, secret, as, granularity } = delivery;
    const { now = Date.now } = this.#options;
    const body = await this.#made(as, { startDate, endDate, granularity });
    const id = `report_${idOf(delivery)}_${startDate}_${endDate}`;
    const time = String(Math.floor(now() / 1000));
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="${granularity}_${startDate}_${endDate}.csv"`,
        'webhook-id': id,
        'webhook-timestamp': time,
        'webhook-signature': `v1,${signatureOf(secret, `${id}.${time}.`, body)}`,
      },
      body,
      // It is for that address alone.
      redirect: 'error',
      signal: joinSignals(this.#closing.signal, timeoutSignal(longestAnswerMs)),
    });
    if (response.ok) return void (await response.body?.cancel());
    const answer = shown(await beginningOf(response), delivery).slice(0, mostOfAnswer);
    throw new Error(`it answered ${response.status}${answer && `: ${answer}`}`);
  }

  /** The report as a whole. That it takes too long is not the fault of who would get it. */
  async #made(as: string, request: Days & { granularity: Granularity }): Promise<Buffer<ArrayBuffer>> {
    const { csv, reportMs = longestReportMs } = this.#options;
    const time = timeoutSignal(reportMs);
    try {
      return await collected(csv(as, request, joinSignals(this.#closing.signal, time)));
    } catch (error) {
      throw time.aborted ? tooLong(reportMs) : error;
    }
  }
}

const tooLong = (ms: number): Error =>
  new Error(`the report was not made within ${ms / 1000} seconds, and nothing was sent`);

/** The same for the same reports at the same place, whatever its secret. */
const idOf = ({ url, as, every, granularity }: Delivery): string =>
  hash('sha256', JSON.stringify([url, as, every, granularity]), 'hex').slice(0, 16);

/** Where it goes, without what opens the way: many services keep a secret in the path or the query. */
const shownURL = ({ url }: Delivery): string => new URL(url).origin;

/** What others say, such as a page that quotes its address, without the secrets of a delivery. */
function shown(text: string, { url, secret }: Delivery): string {
  const { href, pathname, search, searchParams } = new URL(url);
  const queried = search
    .slice(1)
    .split('&')
    .map((pair) => /=(.+)$/s.exec(pair)?.[1] ?? pair);
  const written = [secret, url, href, pathname + search, ...pathname.split('/'), ...queried];
  const hidden = [...written, ...written.map(unescape), ...searchParams.values()]
    .filter(({ length }) => length >= fewestOfSecret)
    .toSorted((a, b) => b.length - a.length);
  return hidden.reduce((rest, part) => rest.replaceAll(part, '[…]'), text);
}

/** Whoever answers decides how long it is. */
async function beginningOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (text.length >= mostReadOfAnswer) break;
  }
  return text;
}

/** `fetch failed` says nothing, the error below it does. */
function reasonOf(error: unknown, delivery: Delivery): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `it did not answer within ${longestAnswerMs / 1000} seconds`;
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return operatorReason(shown(messageOf(cause), delivery));
}

const signatureOf = (secret: string, before: string, body: Buffer): string =>
  createHmac('sha256', secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret)
    .update(before)
    .update(body)
    .digest('base64');

async function collected(pieces: AsyncIterable<string>): Promise<Buffer<ArrayBuffer>> {
  const all: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    all.push(Buffer.from(piece));
    bytes += Buffer.byteLength(piece);
    if (bytes > mostBytes)
      throw new Error(
        `it has more than ${mostBytes / 1024 / 1024} MiB; choose a shorter period or a coarser granularity`,
      );
  }
  return Buffer.concat(all);
}
