import type { ResearchProgress } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { Changes } from './changes.ts';
import { leaseMs } from './work-queue.ts';
import type { ClaimedTurn, WorkQueue, WorkState } from './work-queue.ts';

/** Steps that are kept of one question, and characters of each and of the answer while it is written. */
const mostSteps = 200;
const longestStep = 300;
const longestDraft = 50_000;
/** What is new reaches the database, and readers, no oftener than this. */
const writeMs = 250;

interface WorkOptions {
  readonly queue: Pick<WorkQueue, 'renew'>;
  readonly changes: Changes;
}

/** One question that this process works on: keeps its claim, writes down how far it is, and stops when the claim is lost. */
export class WorkInHand implements Disposable {
  readonly turn: ClaimedTurn;
  /** Whose rights it has; undefined until that is known. */
  owner: Caller | undefined;
  readonly #controller = new AbortController();
  readonly #queue: Pick<WorkQueue, 'renew'>;
  readonly #changes: Changes;
  #state: WorkState = { steps: [], draft: '' };
  #written = this.#state;
  readonly #timer: NodeJS.Timeout;
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

  readonly note = ({ message, draft }: Omit<ResearchProgress, 'progress'>): void => {
    const { steps } = this.#state;
    if (draft !== undefined) this.#state = { steps, draft: draft.slice(0, longestDraft) };
    else if (message !== undefined && steps.length < mostSteps)
      this.#state = { ...this.#state, steps: [...steps, message.slice(0, longestStep)] };
  };

  stop(reason: SextantError): void {
    this.#controller.abort(reason);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    const isDue = performance.now() - this.#renewedAt > leaseMs / 5;
    if (this.#isRenewing || (!isDue && this.#state === this.#written)) return;
    this.#isRenewing = true;
    try {
      const state = this.#state;
      const isKept = await this.#queue.renew(this.turn, state);
      if (!isKept) return this.stop(new SextantError('canceled', 'it was canceled'));
      this.#written = state;
      this.#renewedAt = performance.now();
      this.#changes.announce(this.turn.conversationId);
    } catch {
      // It is tried again. When the lease has ended and another process has the question, that says so.
    } finally {
      this.#isRenewing = false;
    }
  }
}
