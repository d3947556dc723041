import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Directory, Repositories, ResearchTurn, Researcher } from '@sextant/contracts';
import { SextantError, isSextantError, joinSignals, messageOf, timeoutSignal, unlessAborted } from '@sextant/core';
import type { Caller, Logger } from '@sextant/core';
import type { Changes } from './changes.ts';
import type { ConversationsConfig } from './config.ts';
import type { ConversationStore } from './conversation-store.ts';
import { ReaderView } from './reader-view.ts';
import { WorkInHand } from './work-in-hand.ts';
import type { ClaimedTurn, Outcome, WorkQueue } from './work-queue.ts';

export interface QuestionRunnerOptions {
  readonly queue: WorkQueue;
  readonly store: ConversationStore;
  readonly changes: Changes;
  readonly researcher: Researcher;
  readonly directory: Directory;
  readonly repositories: Repositories;
  readonly config: ConversationsConfig;
  readonly log: Logger;
}

/** How often other processes' questions, those of processes that died, and changed rights are looked for. */
const lookMs = 3000;
/** A question that ends its process so often is not tried again. */
const mostAttempts = 3;
/** Why work ends that is taken up again with the rights that its user has by then. */
const otherRights = new SextantError('forbidden', 'what the user who asked may do has changed');

/** Works on the questions that wait, a few at a time. */
export class QuestionRunner {
  readonly #options: QuestionRunnerOptions;
  readonly #inHand = new Map<WorkInHand, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: QuestionRunnerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), lookMs).unref();
    void this.look();
  }

  /** Takes as many questions as there is room for. */
  async look(): Promise<void> {
    if (this.#isClosed || !this.#timer) return;
    void this.#stopOtherRights();
    this.#looking ??= this.#takeSome().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  /** Stops work on a conversation whose questions were canceled or deleted. */
  cancel(conversationId: number): void {
    for (const work of this.#inHand.keys())
      if (work.turn.conversationId === conversationId) work.stop(new SextantError('canceled', 'it was canceled'));
  }

  /** Puts back what is not finished, for the next start. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    // What is being taken at this moment is put back like the others.
    await this.#looking;
    for (const work of this.#inHand.keys()) work.stop(new SextantError('unavailable', 'the server stops'));
    await Promise.all(this.#inHand.values());
  }

  async #stopOtherRights(): Promise<void> {
    for (const work of this.#inHand.keys())
      try {
        if (work.owner && !isDeepStrictEqual(await this.#ownerOf(work.turn), work.owner)) work.stop(otherRights);
      } catch (error) {
        this.#options.log.error({ err: error }, `cannot look for the rights of a user: ${messageOf(error)}`);
      }
  }

  async #takeSome(): Promise<void> {
    try {
      while (!this.#isClosed && this.#inHand.size < this.#options.config.concurrent) {
        const turn = await this.#options.queue.take([...this.#inHand.keys()].map(({ turn: { id } }) => id));
        if (!turn) break;
        this.#begin(turn);
      }
    } catch (error) {
      this.#options.log.error({ err: error }, `cannot look for questions: ${messageOf(error)}`);
    }
  }

  #begin(turn: ClaimedTurn): void {
    const { queue, changes } = this.#options;
    const work = new WorkInHand(turn, { queue, changes });
    const done = this.#work(work)
      .catch((error: unknown) =>
        this.#options.log.error(
          { err: error },
          `a question is taken up again, its state could not be written: ${messageOf(error)}`,
        ),
      )
      .finally(() => {
        work[Symbol.dispose]();
        this.#inHand.delete(work);
        changes.announce(turn.conversationId);
        void this.look();
      });
    this.#inHand.set(work, done);
    changes.announce(turn.conversationId);
  }

  async #work(work: WorkInHand): Promise<void> {
    const { queue } = this.#options;
    const { turn, signal } = work;
    let outcome: Outcome;
    try {
      outcome = await this.#answer(work);
    } catch (failure) {
      const error: unknown = signal.aborted ? signal.reason : failure;
      if (signal.aborted && (this.#isClosed || error === otherRights)) return queue.giveBack(turn);
      const retryAfterSeconds = isSextantError(error) ? (error.retryAfterSeconds ?? 0) : 0;
      if (retryAfterSeconds > 0 && turn.attempts < mostAttempts) return queue.postpone(turn, retryAfterSeconds * 1000);
      outcome = { status: 'failed', error: this.#explain(error) };
    }
    await queue.finish(turn, outcome);
  }

  async #answer(work: WorkInHand): Promise<Outcome> {
    const { turn, signal, note } = work;
    if (turn.attempts > mostAttempts)
      throw new SextantError('unavailable', `the server ended ${mostAttempts} times while it worked on this question`);
    const { researcher, config } = this.#options;
    const owner = await this.#ownerOf(turn);
    if (!owner) throw new SextantError('forbidden', 'the user who asked is disabled');
    work.owner = owner;
    const { maxSeconds } = config;
    const limit = joinSignals(signal, timeoutSignal((maxSeconds + 30) * 1000));
    const answering = researcher.answer(
      owner,
      { question: turn.question, history: await this.#history(turn, owner), ...(turn.scope && { scope: turn.scope }) },
      { signal: limit, maxSeconds, reportProgress: note },
    );
    const { markdown, sources, parts } = await unlessAborted(answering, limit);
    return { status: 'completed', parts: parts ?? [{ markdown, sources }], model: researcher.model };
  }

  #ownerOf({ ownerId: userId, conversationId }: ClaimedTurn): Promise<Caller | undefined> {
    return this.#options.directory.callerFor({ userId, scopes: ['mcp'], credential: `conversation-${conversationId}` });
  }

  /** What was said before, as far as the owner may still read it. */
  async #history({ conversationId, number }: ClaimedTurn, owner: Caller): Promise<ResearchTurn[]> {
    const view = new ReaderView(this.#options.repositories, owner);
    const earlier = (await this.#options.store.turns(conversationId)).filter((turn) => turn.number < number);
    const seen = await Promise.all(earlier.map((turn) => view.turn(turn, true)));
    return seen.flatMap(({ question, answer }) => (answer === undefined ? [] : [{ question, answer }]));
  }

  #explain(error: unknown): string {
    if (isSextantError(error)) return error.message;
    if (error instanceof Error && error.name === 'TimeoutError') return 'it took too long; ask for less at once';
    const id = randomUUID();
    this.#options.log.error({ errorId: id, err: error }, `a question failed: ${messageOf(error)}`);
    return `internal error ${id}; the server's log has the details under this id`;
  }
}
