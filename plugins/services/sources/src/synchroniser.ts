import { isDeepStrictEqual } from 'node:util';
import type { HostRepository } from '@sextant/contracts';
import { backoffMs, isSextantError, operatorReason } from '@sextant/core';
import type { Logger, ServiceFailure } from '@sextant/core';
import type { ConfiguredSource } from './config.ts';
import type { ListedRepository, RepositoryStore } from './repository-store.ts';

const longestDescription = 1000;
const pauses = { firstMs: 5000, longestMs: 600_000 };
/** Share of a pause by which it is longer or shorter, so that servers and sources do not ask all at once. */
const jitter = 0.1;

export interface SynchroniserOptions {
  configured: ConfiguredSource;
  store: RepositoryStore;
  log: Logger;
  /** Called after repositories came, went or changed. */
  onChange(): void;
  /** Called after a complete list showed that some are gone. */
  onGone(): void;
}

/** Follows the repositories of one source: all of them now and then, and what changed in between. */
export class Synchroniser {
  readonly #options: SynchroniserOptions;
  readonly #closing = new AbortController();
  #listed: Map<string, ListedRepository>;
  #listedAt: number | undefined;
  #changedAt: string;
  /** Whether the source listed all since this process started: only then can it answer what accounts may read. */
  #isListedHere = false;
  #wantsAll = false;
  #failures = 0;
  #failure: { reason: string; since: string } | undefined;
  #nextTry: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;
  /** A look that waits for the one that runs. */
  #queued: Promise<void> | undefined;

  private constructor(options: SynchroniserOptions, listed: Map<string, ListedRepository>) {
    this.#options = options;
    this.#listed = listed;
    this.#changedAt = '';
  }

  /** Begins with what was seen before the last stop. */
  static async open(options: SynchroniserOptions): Promise<Synchroniser> {
    const { store } = options;
    const synchroniser = new Synchroniser(options, await store.load());
    const { listedAt, changedAt } = await store.state();
    synchroniser.#listedAt = listedAt;
    synchroniser.#changedAt = changedAt;
    return synchroniser;
  }

  /** What the host has, as far as is known; of any that the operator wants or not. */
  listed(): ListedRepository[] {
    return [...this.#listed.values()];
  }

  numberOf(hostId: string): number | undefined {
    return this.#listed.get(hostId)?.number;
  }

  /** Milliseconds since 1970 of the last complete list. */
  get listedAt(): number | undefined {
    return this.#listedAt;
  }

  get failure(): ServiceFailure | undefined {
    if (!this.#failure) return undefined;
    return {
      name: `source ${this.#options.configured.name}`,
      ...this.#failure,
      ...(this.#nextTry !== undefined && { nextTry: this.#nextTry }),
    };
  }

  /** Looks at once: at all repositories, or at what changed. While a look runs, one more follows it. */
  look({ atAll }: { atAll: boolean }): Promise<void> {
    this.#wantsAll ||= atAll;
    if (!this.#work) return this.#begin();
    this.#queued ??= this.#work.then(() => this.#begin());
    return this.#queued;
  }

  /** Whether it follows its host. A command only knows what was kept. */
  get isFollowing(): boolean {
    return this.#isListedHere || this.#work !== undefined || this.#timer !== undefined;
  }

  /** Waits until the source has listed all once since this process started, or fails to. */
  async untilListed(): Promise<void> {
    if (!this.#isListedHere) await this.#work;
  }

  /** Notes a push that the host told of, before any look finds it. */
  async notePush(hostId: string): Promise<void> {
    const known = this.#listed.get(hostId);
    if (!known) return this.look({ atAll: false });
    const { facts } = known;
    const now = new Date().toISOString();
    await this.#save([{ ...facts, isEmpty: false, changed: now, ...(facts.pushed !== undefined && { pushed: now }) }]);
    this.#options.onChange();
  }

  /** Takes over what another process on the same database found to be gone; not while a list may still bring it back. */
  async noteGone(): Promise<void> {
    await this.#work;
    const gone = await this.#options.store.gone();
    const known = gone.filter((id) => this.#listed.delete(id));
    if (known.length > 0) this.#options.onChange();
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the server is stopping'));
    clearTimeout(this.#timer);
    await this.#work;
  }

  #begin(): Promise<void> {
    clearTimeout(this.#timer);
    this.#queued = undefined;
    this.#work = this.#run().finally(() => (this.#work = undefined));
    return this.#work;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return;
    const { log, configured } = this.#options;
    try {
      if (this.#isAllDue() || (await this.#listChanged(signal)) === 'incomplete') await this.#listAll(signal);
      if (this.#failure) log.info({ source: configured.name }, 'the code host answers again');
      this.#failures = 0;
      this.#failure = undefined;
      this.#wait(configured.settings.pollSeconds * 1000);
    } catch (error) {
      if (signal.aborted) return;
      this.#failures += 1;
      const reason = operatorReason(error);
      this.#failure = { reason, since: this.#failure?.since ?? new Date().toISOString() };
      if (this.#failures === 1)
        log.warn({ source: configured.name, reason }, 'a code host could not be listed; it is tried again');
      const wanted = isSextantError(error) ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
      this.#wait(Math.max(wanted, backoffMs(this.#failures, pauses)));
    }
  }

  #wait(pauseMs: number): void {
    const ms = Math.round(pauseMs * (1 + jitter * (2 * Math.random() - 1)));
    this.#nextTry = new Date(Date.now() + ms).toISOString();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.look({ atAll: false }), ms).unref();
  }

  #isAllDue(): boolean {
    const { refreshSeconds } = this.#options.configured.settings;
    const age = Date.now() - (this.#listedAt ?? Number.NEGATIVE_INFINITY);
    return this.#wantsAll || !this.#isListedHere || !(age >= 0 && age < refreshSeconds * 1000);
  }

  async #listAll(signal: AbortSignal): Promise<void> {
    const { configured, onChange, onGone, store } = this.#options;
    this.#wantsAll = false;
    const seen = new Set<string>();
    const startedAt = Date.now();
    try {
      for await (const page of configured.source.list(signal)) {
        for (const { id } of page) seen.add(id);
        if (await this.#take(page)) onChange();
      }
    } catch (error) {
      this.#wantsAll = true;
      throw error;
    }
    const gone = [...this.#listed.values()].filter(({ facts }) => !seen.has(facts.id));
    await store.remove(gone.map(({ number }) => number));
    for (const { facts } of gone) this.#listed.delete(facts.id);
    this.#listedAt = startedAt;
    this.#isListedHere = true;
    await this.#saveState();
    if (gone.length === 0) return;
    onChange();
    onGone();
  }

  /** Answers whether the source could tell all that is different. */
  async #listChanged(signal: AbortSignal): Promise<'complete' | 'incomplete'> {
    const { configured, onChange } = this.#options;
    try {
      for await (const page of configured.source.listChanged(this.#changedAt, signal))
        if (await this.#take(page)) onChange();
    } catch (error) {
      if (isSextantError(error) && error.code === 'conflict') return 'incomplete';
      throw error;
    }
    await this.#saveState();
    return 'complete';
  }

  /** Keeps what the host says. Answers whether anything is different from before. */
  async #take(page: readonly HostRepository[]): Promise<boolean> {
    for (const { changed } of page) if (changed > this.#changedAt) this.#changedAt = changed;
    const bounded = page.map((each) => ({ ...each, description: each.description.slice(0, longestDescription) }));
    const fresh = bounded.filter((each) => !isSame(this.#listed.get(each.id)?.facts, each));
    if (fresh.length > 0) await this.#save(fresh);
    return fresh.length > 0;
  }

  async #save(fresh: readonly HostRepository[]): Promise<void> {
    for (const saved of await this.#options.store.save(fresh)) this.#listed.set(saved.facts.id, saved);
  }

  #saveState(): Promise<void> {
    return this.#options.store.saveState({ listedAt: this.#listedAt, changedAt: this.#changedAt });
  }
}

const isSame = (before: HostRepository | undefined, now: HostRepository): boolean => isDeepStrictEqual(before, now);
