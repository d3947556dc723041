import { Retries, SextantError, isSextantError, messageOf, operatorReason } from '@sextant/core';
import type { Logger, ServiceFailure } from '@sextant/core';
import { indexingTime } from '../limits.ts';
import { reasonOf } from '../search-failures.ts';

/** How long an update may go on. */
export interface UpdateLimits {
  /** Whether the update should stop, because others wait or because it takes too long. */
  readonly isOver: () => boolean;
  readonly signal: AbortSignal;
}

export interface IndexingQueueParts {
  readonly log: Logger;
  /** Brings the index of a repository up to date. Returns false where it stopped before it was done. */
  readonly update: (name: string, limits: UpdateLimits) => Promise<boolean>;
}

/** The repositories that wait to be indexed. One is indexed at a time; a failed one is tried again after growing pauses. */
export class IndexingQueue {
  readonly #parts: IndexingQueueParts;
  readonly #waiting = new Set<string>();
  /** Waiting repositories that somebody has searched. They come first. */
  readonly #preferred = new Set<string>();
  /** Repositories that since the start were neither indexed nor given up. */
  readonly #unsettled = new Set<string>();
  readonly #failed = new Map<string, { readonly reason: string; readonly since: string }>();
  readonly #retries: Retries;
  readonly #turns = new IndexingTurns();
  readonly #stop = new AbortController();
  #working: Promise<void> | undefined;

  constructor(parts: IndexingQueueParts) {
    this.#parts = parts;
    this.#retries = new Retries((name) => this.add(name));
  }

  /** How many repositories wait or are being indexed. */
  get length(): number {
    return this.#waiting.size + (this.#working ? 1 : 0);
  }

  /** Whether each repository of the start has been indexed or given up. */
  get isSettled(): boolean {
    return this.#unsettled.size === 0;
  }

  get failures(): readonly ServiceFailure[] {
    return [...this.#failed].map(([name, failure]) => ({ name, ...failure, ...this.#retries.nextTry(name) }));
  }

  start(names: readonly string[]): void {
    for (const name of names) {
      this.#unsettled.add(name);
      this.add(name);
    }
  }

  add(name: string): void {
    if (this.#stop.signal.aborted) return;
    this.#waiting.add(name);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /** Puts the repository, if it waits, before those that nobody has searched. */
  prefer(name: string): void {
    if (this.#waiting.has(name)) this.#preferred.add(name);
  }

  /** Resolves when nothing waits. */
  async whenIdle(): Promise<void> {
    await this.#working;
  }

  async close(): Promise<void> {
    this.#waiting.clear();
    this.#preferred.clear();
    this.#stop.abort(new Error('the server stops'));
    this.#retries.close();
    await this.#working;
  }

  async #work(): Promise<void> {
    for (let name = this.#next(); name !== undefined; name = this.#next()) {
      this.#waiting.delete(name);
      this.#preferred.delete(name);
      try {
        if (await this.#update(name)) this.#succeeded(name);
        else this.add(name);
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        this.#fail(name, error);
      }
    }
  }

  #next(): string | undefined {
    const [preferred] = this.#preferred;
    const [waiting] = this.#waiting;
    return preferred ?? waiting;
  }

  #update(name: string): Promise<boolean> {
    const { signal } = this.#stop;
    const update = (isOver: () => boolean): Promise<boolean> => this.#parts.update(name, { isOver, signal });
    return this.#turns.take(name, { update, doOthersWait: () => this.#waiting.size > 0 });
  }

  #succeeded(name: string): void {
    this.#retries.succeeded(name);
    this.#failed.delete(name);
    this.#unsettled.delete(name);
  }

  /** A repository is logged when it begins to fail, not at each attempt. */
  #fail(name: string, error: unknown): void {
    const since = this.#failed.get(name)?.since ?? new Date().toISOString();
    this.#failed.set(name, { reason: isSextantError(error) ? operatorReason(error) : reasonOf(error), since });
    this.#unsettled.delete(name);
    if (this.#retries.failed(name))
      this.#parts.log.warn({ repository: name, reason: messageOf(error) }, 'history was not indexed');
  }
}

/** Limits the time for which repositories are indexed, so that a large one does not keep others waiting. */
export class IndexingTurns {
  /** Seconds of work since the repository was indexed or given up. */
  readonly #spent = new Map<string, number>();
  readonly #limits: { readonly turnSeconds: number; readonly mostSeconds: number };

  constructor(limits = indexingTime) {
    this.#limits = limits;
  }

  /** Returns whether `update` did everything before its turn was over. Throws `timeout` where all turns together take too long. */
  async take(
    name: string,
    { update, doOthersWait }: { update(isOver: () => boolean): Promise<boolean>; doOthersWait(): boolean },
  ): Promise<boolean> {
    const { turnSeconds, mostSeconds } = this.#limits;
    const began = performance.now();
    const before = this.#spent.get(name) ?? 0;
    const seconds = (): number => (performance.now() - began) / 1000;
    const isLate = (): boolean => before + seconds() > mostSeconds;
    const isWhole = await update(() => seconds() > turnSeconds && (doOthersWait() || isLate()));
    const isGivenUp = !isWhole && isLate();
    // A repository that is tried again has all of its time again. So a very large one is indexed in the end.
    this.#spent.set(name, isWhole || isGivenUp ? 0 : before + seconds());
    if (isGivenUp)
      throw new SextantError(
        'timeout',
        `its history is not indexed after ${mostSeconds / 60} minutes of work; the newest commits are, git answers for the others`,
      );
    return isWhole;
  }
}
