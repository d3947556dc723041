import { Retries, metered } from '@sextant/core';

/** How long an update may go on. */
export interface IndexTurn {
  /** Whether it should stop where it is, because others wait or because it takes too long. */
  readonly isOver: () => boolean;
  readonly signal: AbortSignal;
}

/** Why a repository is not indexed as it is now. */
export interface IndexFailure {
  readonly name: string;
  readonly error: unknown;
  /** RFC 3339. */
  readonly since: string;
  /** Undefined while it is tried again. */
  readonly nextTry?: string;
}

export interface IndexQueueOptions {
  /** Brings the index of a repository up to date. Answers whether that is all; false where its turn was over before. */
  readonly update: (name: string, turn: IndexTurn) => Promise<boolean>;
  /** Told when a repository begins to fail, not at each attempt. */
  readonly onFailure: (name: string, error: unknown) => void;
  /** Seconds of one turn of a repository while others wait. */
  readonly turnSeconds: number;
  /** Seconds of all its turns, after which it fails with this error. */
  readonly most?: { readonly seconds: number; readonly error: () => Error };
}

/** Repositories that wait to be indexed. One has its turn at a time. A failed one is tried again after growing pauses. */
export class IndexQueue {
  readonly #options: IndexQueueOptions;
  readonly #waiting = new Set<string>();
  /** Waiting repositories that somebody asked for. They come first. */
  readonly #preferred = new Set<string>();
  /** Repositories that since the start were neither indexed nor given up. */
  readonly #unsettled = new Set<string>();
  readonly #failed = new Map<string, Pick<IndexFailure, 'error' | 'since'>>();
  /** Seconds of work since a repository was indexed or given up. */
  readonly #spent = new Map<string, number>();
  readonly #retries = new Retries((name) => this.add(name));
  readonly #stop = new AbortController();
  #working: Promise<void> | undefined;

  constructor(options: IndexQueueOptions) {
    this.#options = options;
  }

  /** How many repositories wait or are being indexed. */
  get length(): number {
    return this.#waiting.size + (this.#working ? 1 : 0);
  }

  /** Whether each repository of the start has been indexed or given up. */
  get isSettled(): boolean {
    return this.#unsettled.size === 0;
  }

  get failures(): readonly IndexFailure[] {
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
    // Whoever asked first pays for nobody: all search the index.
    this.#working ??= metered(undefined, () => this.#work()).finally(() => {
      this.#working = undefined;
    });
  }

  /** Puts the repository, if it waits, before those that nobody asked for. */
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
        if (await this.#takeTurn(name)) this.#succeeded(name);
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

  async #takeTurn(name: string): Promise<boolean> {
    const { update, turnSeconds, most } = this.#options;
    const begun = performance.now();
    const before = this.#spent.get(name) ?? 0;
    const seconds = (): number => (performance.now() - begun) / 1000;
    const isLate = (): boolean => most !== undefined && before + seconds() > most.seconds;
    const isOver = (): boolean => seconds() > turnSeconds && (this.#waiting.size > 0 || isLate());
    const isWhole = await update(name, { isOver, signal: this.#stop.signal });
    const isGivenUp = !isWhole && isLate();
    // A repository that is tried again has all of its time again. So a very large one is indexed in the end.
    this.#spent.set(name, isWhole || isGivenUp ? 0 : before + seconds());
    if (isGivenUp) throw most?.error();
    return isWhole;
  }

  #succeeded(name: string): void {
    this.#retries.succeeded(name);
    this.#failed.delete(name);
    this.#unsettled.delete(name);
  }

  #fail(name: string, error: unknown): void {
    const since = this.#failed.get(name)?.since ?? new Date().toISOString();
    this.#failed.set(name, { error, since });
    this.#unsettled.delete(name);
    if (this.#retries.failed(name)) this.#options.onFailure(name, error);
  }
}
