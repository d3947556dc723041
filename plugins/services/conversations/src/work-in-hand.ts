import { SextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { Changes } from './changes.ts';
import { leaseMs } from './work-queue.ts';
import type { ClaimedTurn, WorkQueue } from './work-queue.ts';

/** Steps that are kept of one question, and characters of each. */
const mostSteps = 200;
const longestStep = 300;
/** Steps reach the database, and readers, no oftener than this. */
const writeMs = 500;

interface WorkOptions {
  readonly queue: Pick<WorkQueue, 'renew'>;
  readonly changes: Changes;
}

/** One question that this process works on: keeps its claim, writes down its steps, and stops when the claim is lost. */
export class WorkInHand implements Disposable {
  readonly turn: ClaimedTurn;
  /** Whose rights it has; undefined until that is known. */
  owner: Caller | undefined;
  readonly #controller = new AbortController();
  readonly #queue: Pick<WorkQueue, 'renew'>;
  readonly #changes: Changes;
  readonly #steps: string[] = [];
  readonly #timer: NodeJS.Timeout;
  #writtenSteps = 0;
  /** By a clock that nobody sets. */
  #renewedAt = performance.now();
  #isRenewing = false;

  constructor(turn: ClaimedTurn, { queue, changes }: WorkOptions) {
    this.turn = turn;
    this.#queue = queue;
    this.#changes = changes;
    this.#timer = setInterval(() => void this.#renew(), writeMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  readonly noteStep = (step: string | undefined): void => {
    if (step !== undefined && this.#steps.length < mostSteps) this.#steps.push(step.slice(0, longestStep));
  };

  stop(reason: SextantError): void {
    this.#controller.abort(reason);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    const isDue = performance.now() - this.#renewedAt > leaseMs / 5;
    if (this.#isRenewing || (!isDue && this.#steps.length === this.#writtenSteps)) return;
    this.#isRenewing = true;
    try {
      const steps = [...this.#steps];
      const isKept = await this.#queue.renew(this.turn, steps);
      if (!isKept) return this.stop(new SextantError('canceled', 'it was canceled'));
      this.#writtenSteps = steps.length;
      this.#renewedAt = performance.now();
      this.#changes.announce(this.turn.conversationId);
    } catch {
      // It is tried again. When the lease has ended and another process has the question, that says so.
    } finally {
      this.#isRenewing = false;
    }
  }
}
