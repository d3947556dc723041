import { randomUUID } from 'node:crypto';
import type { AnswerPart } from '@sextant/contracts';
import type { Kysely } from 'kysely';
import { touch, turnOf } from './conversation-store.ts';
import type { StoredTurn } from './conversation-store.ts';
import type { ConversationTables } from './tables.ts';

/** Milliseconds for which a question belongs to the process that took it, unless that renews its claim. */
export const leaseMs = 10_000;

/** How work on a question ended. */
export type Outcome =
  | { readonly status: 'completed'; readonly parts: readonly AnswerPart[]; readonly model: string | undefined }
  | { readonly status: 'failed'; readonly error: string };

/** How far work on a question has come. */
export interface WorkState {
  readonly steps: readonly string[];
  /** Empty: nothing of the answer is written yet. */
  readonly draft: string;
}

/** A question that this process works on, and whose it is. */
export interface ClaimedTurn extends StoredTurn {
  readonly ownerId: number;
  /** Names of repositories that the conversation is about; undefined: all. */
  readonly scope: readonly string[] | undefined;
}

/**
 * The questions that wait, for several processes on one database: each is taken by one process at a time, and one whose
 * process died is free again after its lease.
 */
export class WorkQueue {
  readonly #db: Kysely<ConversationTables>;
  readonly #worker = randomUUID();

  constructor(db: Kysely<ConversationTables>) {
    this.#db = db;
  }

  /**
   * Takes the question that waits longest, or whose process has died; undefined when there is none. None of `inHand`: this
   * process works on them, also when a clock that was set makes their lease look over.
   */
  take(inHand: readonly number[] = []): Promise<ClaimedTurn | undefined> {
    return this.#db.transaction().execute(async (db) => {
      const now = Date.now();
      const found = await db
        .selectFrom('conversation_turn')
        .innerJoin('conversation', 'conversation.id', 'conversation_turn.conversation_id')
        .selectAll('conversation_turn')
        .select(['conversation.owner_id', 'conversation.scope'])
        .where(({ or, eb, and }) =>
          or([
            eb('status', '=', 'queued'),
            // A lease that ends later than any can was given by a clock that has been set back since.
            and([
              eb('status', '=', 'processing'),
              or([eb('leased_until', '<', now), eb('leased_until', '>', now + 2 * leaseMs)]),
            ]),
          ]),
        )
        .where('conversation_turn.id', 'not in', inHand)
        .orderBy('conversation_turn.id')
        .limit(1)
        .executeTakeFirst();
      if (!found) return undefined;
      const attempts = found.attempts + 1;
      await db
        .updateTable('conversation_turn')
        .set({
          status: 'processing',
          worker: this.#worker,
          leased_until: now + leaseMs,
          attempts,
          steps: '[]',
          draft: null,
        })
        .where('id', '=', found.id)
        .execute();
      await touch(db, found.conversation_id);
      const scope = found.scope === null ? undefined : JSON.parse(found.scope);
      return { ...turnOf(found), steps: [], draft: undefined, attempts, ownerId: found.owner_id, scope };
    });
  }

  /** Keeps the claim; false when the question was canceled or belongs to another process now. */
  async renew({ id, conversationId }: StoredTurn, { steps, draft }: WorkState): Promise<boolean> {
    const kept = await this.#update(id, {
      leased_until: Date.now() + leaseMs,
      steps: JSON.stringify(steps),
      draft: draft === '' ? null : draft,
    });
    if (kept) await touch(this.#db, conversationId);
    return kept;
  }

  /** Unless the claim was lost: then whoever has it now, or who canceled, has the last word. */
  async finish({ id, conversationId }: StoredTurn, outcome: Outcome): Promise<void> {
    const { status } = outcome;
    const result =
      status === 'completed'
        ? {
            answer: JSON.stringify(outcome.parts),
            error: null,
            model: outcome.model ?? null,
            answered_at: Date.now(),
          }
        : { error: outcome.error };
    if (await this.#update(id, { status, worker: null, draft: null, ...result })) await touch(this.#db, conversationId);
  }

  /** Puts a question back that could not be finished here; being stopped is no fault of it. */
  async giveBack({ id, attempts }: StoredTurn): Promise<void> {
    await this.#update(id, { status: 'queued', worker: null, leased_until: 0, draft: null, attempts: attempts - 1 });
  }

  /** Lets nobody take it for so long, or for a lease: something that it needs is not there at the moment. */
  async postpone({ id }: StoredTurn, milliseconds: number): Promise<void> {
    await this.#update(id, { worker: null, draft: null, leased_until: Date.now() + Math.min(milliseconds, leaseMs) });
  }

  async #update(id: number, set: object): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('conversation_turn')
      .set(set)
      .where('id', '=', id)
      .where('worker', '=', this.#worker)
      .where('status', '=', 'processing')
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }
}
