import { indexFailure } from './index-failure.ts';

/** Why a repository is not indexed as it is now. */
export interface Failure {
  readonly error: unknown;
  /** For who may read the repository. */
  readonly message: string;
}

/** What fails is tried again after this long, then after twice as long each time, up to the longest. */
const [firstPauseMs, longestPauseMs] = [1000, 60_000];

export interface AttemptsOptions {
  /** Of the repository. */
  readonly name: string;
  /** Called after each pause. */
  readonly tryAgain: () => void;
  /** Called with what failed, once for each reason. */
  readonly tell: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** Why a repository is not indexed as it is now: that is tried again by itself, so that no search has to. */
export class Attempts {
  readonly #options: AttemptsOptions;
  #failure: Failure | undefined;
  #last = { at: -Infinity, pauseMs: 0, message: '' };
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AttemptsOptions) {
    this.#options = options;
  }

  /** Undefined where all is well. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  succeeded(): void {
    clearTimeout(this.#timer);
    this.#failure = undefined;
  }

  failed(error: unknown): void {
    const { name, tryAgain, tell, signal } = this.#options;
    if (signal.aborted) return;
    const { message } = indexFailure(name, error);
    this.#failure = { error, message };
    const now = performance.now();
    // What succeeds in part and fails again, as a merge of shards does, is no new beginning.
    const isNew = now - this.#last.at > 2 * longestPauseMs;
    if (isNew || message !== this.#last.message) tell(error);
    const pauseMs = isNew ? firstPauseMs : Math.min(longestPauseMs, 2 * this.#last.pauseMs);
    this.#last = { at: now, pauseMs, message };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(tryAgain, pauseMs).unref();
  }
}
