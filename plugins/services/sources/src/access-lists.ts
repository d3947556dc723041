import { setTimeout } from 'node:timers/promises';
import { visibilities } from '@sextant/contracts';
import type { HostAccount, Identities, Visibility } from '@sextant/contracts';
import { isSextantError, joinSignals, operatorReason, timeoutSignal, unlessAborted } from '@sextant/core';
import type { Caller, Logger, ServiceFailure } from '@sextant/core';
import type { Kysely, Selectable } from 'kysely';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { BitSet } from './bit-set.ts';
import type { ConfiguredSource } from './config.ts';
import type { Synchroniser } from './synchroniser.ts';
import type { SourcesTables } from './tables.ts';

type User = Caller['user'];

/** What a user may read at a source. */
export interface AccessList {
  readonly account: HostAccount;
  readonly whole: readonly Visibility[];
  readonly numbers: BitSet;
  /** Milliseconds since 1970 at which the host told the oldest part of it. */
  readonly listedAt: number;
}

/** A list that may be used now, or why there is none. */
export type UsableList = { readonly list: AccessList } | { readonly list: undefined; readonly reason: string };

export interface AccessListsOptions {
  configured: ConfiguredSource;
  synchroniser: Synchroniser;
  db: Kysely<SourcesTables>;
  identities: Identities | undefined;
  log: Logger;
}

/** Time that a call waits for the host; then it goes on with the list that there is. */
const waitMs = 5000;
/** Time that one question to the host about a user may take. */
const askMs = 60_000;
/** Time after a failure in which the host is not asked again. */
const restMs = 10_000;
const cachedBytes = 256 * 1024 * 1024;
/** What a user without a list costs. */
const entryBytes = 200;

const wholes = z.array(z.enum(visibilities));

interface Cached {
  readonly list: AccessList | undefined;
  /** Milliseconds since 1970 at which the source was asked. */
  readonly at: number;
}

/** What users may read at one source: asked of the host when they call, kept in the database. */
export class AccessLists {
  readonly #options: AccessListsOptions;
  readonly #cached = new LRUCache<number, Cached>({
    maxSize: cachedBytes,
    sizeCalculation: ({ list }) => entryBytes + (list?.numbers.bytes ?? 0),
  });
  readonly #asking = new Map<number, Promise<void>>();
  readonly #closing = new AbortController();
  /** Lists from before this moment are old: the host said that something changed. */
  #changedAt = 0;
  /** How often that was said. */
  #changes = 0;
  #failure: { reason: string; since: string } | undefined;
  #restsUntil = 0;

  constructor(options: AccessListsOptions) {
    this.#options = options;
  }

  get failure(): ServiceFailure | undefined {
    if (!this.#failure) return undefined;
    const { name, settings } = this.#options.configured;
    const reason = `who may read what cannot be asked (${this.#failure.reason}); lists older than ${settings.maxAccessAgeSeconds} s count as no access`;
    return { name: `source ${name}`, since: this.#failure.since, reason };
  }

  /** From now on every list is asked for again before it is used. */
  expire(): void {
    this.#changedAt = Date.now();
    this.#changes += 1;
  }

  /** The list of a user, at most as old as the operator allows. Never throws. */
  async of(user: User): Promise<UsableList> {
    const mayAsk = this.#options.synchroniser.isFollowing && Date.now() >= this.#restsUntil;
    if (mayAsk && !this.#isFresh(await this.#known(user.id))) await this.#askWithin(user);
    return this.#usable(user);
  }

  async #usable(user: User): Promise<UsableList> {
    const { name, settings } = this.#options.configured;
    const known = await this.#known(user.id);
    if (!known) return { list: undefined, reason: `${name} was not asked yet what ${user.name} may read` };
    const toldAt = known.list?.listedAt ?? known.at;
    if (!(ageOf(toldAt) < settings.maxAccessAgeSeconds * 1000))
      return { list: undefined, reason: `what ${name} said of ${user.name} is too old (${told(toldAt)})` };
    if (known.list) return { list: known.list };
    return { list: undefined, reason: `${user.name} is not known to have an account at ${name}` };
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the server is stopping'));
    await Promise.allSettled(this.#asking.values());
  }

  #isFresh(known: Cached | undefined): boolean {
    if (!known || known.at <= this.#changedAt) return false;
    return ageOf(known.at) < this.#options.configured.settings.accessSeconds * 1000;
  }

  async #askWithin(user: User): Promise<void> {
    const asking = this.#asking.get(user.id) ?? this.#askUntilNew(user);
    this.#asking.set(user.id, asking);
    const waiting = new AbortController();
    const late = setTimeout(waitMs, true, { signal: waiting.signal, ref: false });
    const isLate = await Promise.race([asking.then(() => false), late]);
    waiting.abort();
    // The next calls do not wait for the same answer.
    if (isLate) this.#restsUntil = Date.now() + restMs;
  }

  /** Asks again where something changed meanwhile: a caller who came after the change waits for this answer, too. */
  async #askUntilNew(user: User): Promise<void> {
    let changes: number;
    let isTold: boolean;
    do {
      changes = this.#changes;
      isTold = await this.#ask(user);
    } while (isTold && changes !== this.#changes);
    this.#asking.delete(user.id);
  }

  /** Answers whether the host told it. */
  async #ask(user: User): Promise<boolean> {
    const { configured, synchroniser, log } = this.#options;
    const signal = joinSignals(this.#closing.signal, timeoutSignal(askMs));
    const at = Date.now();
    try {
      await unlessAborted(synchroniser.untilListed(), signal);
      const account = await this.#accountOf(user, signal);
      const readable = account && (await configured.source.readable(account, signal));
      await this.#keep(user.id, readable && account ? listOf({ account, readable, at, synchroniser }) : undefined, at);
      this.#failure = undefined;
      return true;
    } catch (error) {
      if (this.#closing.signal.aborted) return false;
      const reason = operatorReason(error);
      if (!this.#failure)
        log.warn({ source: configured.name, reason }, 'a code host could not be asked who may read what');
      this.#failure = { reason, since: this.#failure?.since ?? new Date().toISOString() };
      const wanted = isSextantError(error) ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
      this.#restsUntil = Date.now() + Math.max(restMs, wanted);
      return false;
    }
  }

  async #accountOf(user: User, signal: AbortSignal): Promise<HostAccount | undefined> {
    const { identities, configured } = this.#options;
    for (const identity of (await identities?.of(user.id)) ?? []) {
      const account = await configured.source.account(identity, signal);
      if (account) return account;
    }
    if (!configured.settings.matchEmail || user.email === undefined) return undefined;
    return configured.source.accountOfEmail(user.email, signal);
  }

  async #known(userId: number): Promise<Cached | undefined> {
    const cached = this.#cached.get(userId);
    if (cached) return cached;
    const row = await this.#options.db
      .selectFrom('sources_access')
      .selectAll()
      .where('source', '=', this.#options.configured.name)
      .where('user_id', '=', userId)
      .executeTakeFirst();
    if (!row) return undefined;
    const list = read(row);
    const known = { list, at: row.listed_at };
    this.#cached.set(userId, known);
    return known;
  }

  async #keep(userId: number, list: AccessList | undefined, at: number): Promise<void> {
    const { db, configured } = this.#options;
    const key = { source: configured.name, user_id: userId };
    if (list) {
      const values = {
        account_id: list.account.id,
        login: list.account.login,
        whole: JSON.stringify(list.whole),
        repositories: list.numbers.toText(),
        listed_at: list.listedAt,
      };
      await db
        .insertInto('sources_access')
        .values({ ...key, ...values })
        .onConflict((conflict) => conflict.columns(['source', 'user_id']).doUpdateSet(values))
        .execute();
    } else
      await db.deleteFrom('sources_access').where('source', '=', key.source).where('user_id', '=', userId).execute();
    this.#cached.set(userId, { list, at });
  }
}

interface Told {
  account: HostAccount;
  readable: Awaited<ReturnType<ConfiguredSource['source']['readable']>>;
  at: number;
  synchroniser: Synchroniser;
}

const listOf = ({ account, readable, at, synchroniser }: Told): AccessList => ({
  account,
  whole: readable.whole,
  // A repository that is not listed yet is not served yet.
  numbers: BitSet.of(readable.ids.flatMap((id) => synchroniser.numberOf(id) ?? [])),
  listedAt: Math.min(at, readable.asOf ?? at),
});

const read = (row: Selectable<SourcesTables['sources_access']>): AccessList => ({
  account: { id: row.account_id, login: row.login },
  whole: wholes.parse(JSON.parse(row.whole)),
  numbers: BitSet.fromText(row.repositories),
  listedAt: row.listed_at,
});

/** NaN where the clock was set back: no limit is larger. */
function ageOf(at: number): number {
  const age = Date.now() - at;
  return age < 0 ? Number.NaN : age;
}

export const told = (at: number): string => `told at ${new Date(at).toISOString()}`;
