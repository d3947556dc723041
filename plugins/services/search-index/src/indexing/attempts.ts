import { backoffMs, isSextantError, operatorReason } from '@sextant/core';
import { indexFailure } from './index-failure.ts';

/** Why a repository is not indexed as it is now. */
export interface Failure {
  readonly error: unknown;
  /** For who may read the repository. */
  readonly message: string;
  /** For operators. */
  readonly reason: string;
  /** When it began to fail. */
  readonly since: Date;
  readonly nextTry: Date;
}

/** Milliseconds between two tries: twice as long each time, up to the longest. */
const [firstMs, longestPauseMs] = [1000, 60_000];
/** The longest pause for a repository that is too large. Only a push can change that, and a push ends the pause. */
const longestPauseOfTooMuchMs = 600_000;

export interface AttemptsOptions {
  /** Of the repository. */
  readonly name: string;
  /** Called after each pause. */
  readonly tryAgain: () => void;
  /** Called with what failed, once for each reason. */
  readonly tell: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** Holds why a repository is not indexed as it is now, and tries again after growing pauses, so that no search has to. */
export class Attempts {
  readonly #options: AttemptsOptions;
  #failure: Failure | undefined;
  #last = { at: -Infinity, failures: 0, message: '' };
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AttemptsOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => clearTimeout(this.#timer), { once: true });
  }

  /** Undefined where the repository is indexed as it is now. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  succeeded(): void {
    clearTimeout(this.#timer);
    this.#failure = undefined;
  }

  /** `atLeastMs`: until it is tried again. */
  failed(error: unknown, atLeastMs = 0): void {
    const { name, tryAgain, tell, signal } = this.#options;
    if (signal.aborted) return;
    const { message } = indexFailure(name, error);
    const now = performance.now();
    const longestMs = isTooMuch(error) ? longestPauseOfTooMuchMs : longestPauseMs;
    // Work that succeeds in part and fails again, as a merge of shards may, keeps its pause.
    const isNew = now - this.#last.at > 2 * longestMs;
    if (isNew || message !== this.#last.message) tell(error);
    const failures = isNew ? 1 : this.#last.failures + 1;
    const pauseMs = Math.max(atLeastMs, backoffMs(failures, { firstMs, longestMs }));
    const [since, nextTry] = [this.#failure?.since ?? new Date(), new Date(Date.now() + pauseMs)];
    const reason = isSextantError(error) ? operatorReason(error) : message;
    this.#failure = { error, message, reason, since, nextTry };
    this.#last = { at: now, failures, message };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(tryAgain, pauseMs).unref();
  }
}

const isTooMuch = (error: unknown): boolean =>
  isSextantError(error) && (error.code === 'too_large' || error.code === 'timeout');
