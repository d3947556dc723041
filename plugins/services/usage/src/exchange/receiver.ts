import { SextantError, token } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { Kysely, Transaction } from 'kysely';
import type { Sender } from '../config.ts';
import { hostOf } from '../answers/instances.ts';
import { SumStore } from '../sums/sum-store.ts';
import type { DailySum } from '../sums/sums.ts';
import { keepToolActivity } from '../recording/tool-activities.ts';
import { dailyKey, personKey } from '../database/tables.ts';
import type { UsageTables } from '../database/tables.ts';
import { exchangeLine, toDailySum } from './lines.ts';
import type { ExchangeLine, ExchangedUser } from './lines.ts';

/** Lines of one transaction. */
const batchSize = 500;
/** Users of one instance: a report has all of them in memory. */
const maxPeople = 200_000;

export interface Received {
  users: number;
  sums: number;
  /** Sums that were new, or had grown. */
  changed: number;
}

export interface ReceiverOptions {
  db: Kysely<UsageTables>;
  externalURL: string;
  /** Who may send for which instance. */
  senders: readonly Sender[];
}

/** Takes what another instance sends. The same may come twice or late: sums only grow, and the larger one stands. */
export class Receiver {
  readonly #db: Kysely<UsageTables>;
  readonly #own: URL;
  readonly #senders: ReadonlyMap<string | undefined, Sender>;
  readonly #sums = new SumStore();

  constructor({ db, externalURL, senders }: ReceiverOptions) {
    this.#db = db;
    this.#own = new URL(externalURL);
    this.#senders = new Map(senders.map((sender) => [this.#hostOf(sender.instance), sender]));
  }

  /** Throws `forbidden` for an instance that the caller may not send for, known or not; `invalid_argument` that names the line. */
  async receive(caller: Caller, instanceURL: string, lines: AsyncIterable<string>): Promise<Received> {
    const instanceId = await this.#instanceOf(caller, instanceURL);
    const received: Received = { users: 0, sums: 0, changed: 0 };
    let number = 0;
    let batch: ExchangeLine[] = [];
    const take = async (): Promise<void> => {
      await this.#take(instanceId, batch, received);
      batch = [];
    };
    for await (const line of lines) {
      number += 1;
      batch.push(parse(line, number));
      if (batch.length === batchSize) await take();
    }
    await take();
    return received;
  }

  async #instanceOf(caller: Caller, instanceURL: string): Promise<number> {
    const host = this.#hostOf(instanceURL);
    const sender = this.#senders.get(host);
    // Of this instance nobody sends anything: it was here that it happened.
    if (host === undefined || host === this.#own.host || !sender || !isNamed(caller, sender)) throw refusal();
    await this.#db
      .insertInto('usage_instance')
      .values({ host })
      .onConflict((conflict) => conflict.column('host').doNothing())
      .execute();
    const { id } = await this.#db
      .selectFrom('usage_instance')
      .select('id')
      .where('host', '=', host)
      .executeTakeFirstOrThrow();
    return id;
  }

  #hostOf(instance: string): string | undefined {
    return hostOf(instance, this.#own.protocol);
  }

  async #take(instanceId: number, batch: readonly ExchangeLine[], received: Received): Promise<void> {
    const users = batch.flatMap((line) => ('user' in line ? [line.user] : []));
    const tools = batch.flatMap((line) => ('tool' in line ? [line.tool] : []));
    const sums = batch.flatMap((line) => ('sum' in line ? [toDailySum(instanceId, line.sum)] : []));
    await this.#db.transaction().execute(async (transaction) => {
      for (const user of users) await keepUser(transaction, instanceId, user);
      for (const tool of tools) await keepToolActivity(transaction, tool);
      if (users.length > 0) await assertFewPeople(transaction, instanceId);
      const grown = await growth(transaction, sums);
      await this.#sums.add(transaction, { daily: grown, repositories: [] });
      received.changed += grown.length;
    });
    received.users += users.length;
    received.sums += sums.length;
  }
}

const isNamed = ({ user, roles }: Caller, sender: Sender): boolean =>
  sender.users.includes(user.name) || sender.roles.some((role) => roles.has(role));

/** The same whether the instance is unknown or someone else sends for it. */
const refusal = (): SextantError =>
  new SextantError(
    'forbidden',
    'this token may not send the usage of that instance; an operator names its host and who may in receiveFrom of service-usage',
  );

/** Only this plugin's own page needs it. */
export const UsageReceiver = token<Pick<Receiver, 'receive'>>('usage-receiver');

function parse(line: string, number: number): ExchangeLine {
  const parsed = exchangeLine.safeParse(jsonOf(line));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue?.path.length ? `${issue.path.join('.')}: ` : '';
  throw new SextantError(
    'invalid_argument',
    `line ${number}: ${at}${issue?.message}; what stands before it may have been taken, and can be sent again`,
  );
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function keepUser(db: Transaction<UsageTables>, instanceId: number, user: ExchangedUser): Promise<void> {
  const person = {
    name: user.name,
    email: user.email,
    is_active: Number(user.isActive),
    is_service_account: Number(user.isServiceAccount),
    is_site_admin: Number(user.isSiteAdmin),
  };
  await db
    .insertInto('usage_person')
    .values({ instance_id: instanceId, user_id: user.id, ...person })
    .onConflict((conflict) => conflict.columns([...personKey]).doUpdateSet(person))
    .execute();
}

async function assertFewPeople(db: Transaction<UsageTables>, instanceId: number): Promise<void> {
  const { people } = await db
    .selectFrom('usage_person')
    .select(({ fn }) => fn.countAll<number>().as('people'))
    .where('instance_id', '=', instanceId)
    .executeTakeFirstOrThrow();
  if (Number(people) > maxPeople)
    throw new SextantError(
      'too_large',
      `the instance has more than ${maxPeople} users, the most that are taken of one`,
    );
}

/** By how much sums are larger than what is known; those that are not are left out. */
async function growth(db: Transaction<UsageTables>, sums: readonly DailySum[]): Promise<DailySum[]> {
  const grown: DailySum[] = [];
  for (const sum of largest(sums)) {
    const known = await db
      .selectFrom('usage_daily')
      .select(['calls', 'errors', 'milliseconds', 'credits'])
      .where((eb) => eb.and(Object.fromEntries(dailyKey.map((column) => [column, sum[column]]))))
      .executeTakeFirst();
    const before = known ?? { calls: 0, errors: 0, milliseconds: 0, credits: 0 };
    if (sum.calls <= before.calls) continue;
    grown.push({
      ...sum,
      calls: sum.calls - before.calls,
      errors: sum.errors - before.errors,
      milliseconds: sum.milliseconds - before.milliseconds,
      credits: sum.credits - before.credits,
    });
  }
  return grown;
}

function largest(sums: readonly DailySum[]): Iterable<DailySum> {
  const byKey = new Map<string, DailySum>();
  for (const sum of sums) {
    const key = JSON.stringify(dailyKey.map((column) => sum[column]));
    if (sum.calls > (byKey.get(key)?.calls ?? 0)) byKey.set(key, sum);
  }
  return byKey.values();
}
