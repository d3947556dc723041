import { isFinal } from '@sextant/contracts';
import type { AnswerPart, FeedbackSummary, QuestionStatus, Rating } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import type { Kysely, Selectable } from 'kysely';
import type { ConversationTables } from './tables.ts';

export interface StoredConversation {
  readonly id: number;
  readonly token: string;
  readonly ownerId: number;
  readonly title: string;
  readonly isShared: boolean;
  readonly createdAt: number;
  readonly version: number;
  readonly scope: readonly string[] | undefined;
}

export interface StoredTurn {
  readonly id: number;
  readonly conversationId: number;
  readonly number: number;
  readonly question: string;
  readonly status: QuestionStatus;
  readonly askedAt: number;
  readonly attempts: number;
  readonly steps: readonly string[];
  readonly draft: string | undefined;
  readonly parts: readonly AnswerPart[];
  readonly error: string | undefined;
  readonly model: string | undefined;
  readonly answeredAt: number | undefined;
  readonly rating: Rating | undefined;
}

export interface NewConversation {
  readonly token: string;
  readonly ownerId: number;
  readonly title: string;
  readonly question: string;
  readonly scope: readonly string[];
}

type Db = Kysely<ConversationTables>;

/** Conversations and their questions in the database. Every change of either gives the conversation a new version. */
export class ConversationStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  add({ question, token, ownerId, title, scope }: NewConversation): Promise<StoredConversation> {
    return this.#db.transaction().execute(async (db) => {
      const row = await db
        .insertInto('conversation')
        .values({
          token,
          owner_id: ownerId,
          title,
          is_shared: 0,
          created_at: Date.now(),
          version: 1,
          scope: scope.length === 0 ? null : JSON.stringify(scope),
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await insertTurn(db, { conversationId: row.id, number: 1, question });
      return conversationOf(row);
    });
  }

  /** Throws `conflict` while the conversation has a question that is not finished. */
  async addTurn(conversationId: number, question: string): Promise<void> {
    await this.#db.transaction().execute(async (db) => {
      const last = await db
        .selectFrom('conversation_turn')
        .select(['number', 'status'])
        .where('conversation_id', '=', conversationId)
        .orderBy('number', 'desc')
        .limit(1)
        .executeTakeFirst();
      if (last && !isFinal(last.status))
        throw new SextantError(
          'conflict',
          `question ${last.number} of this conversation is still ${last.status}; wait for it, or cancel it, and ask again`,
        );
      await insertTurn(db, { conversationId, number: (last?.number ?? 0) + 1, question });
      await touch(db, conversationId);
    });
  }

  async find(token: string): Promise<StoredConversation | undefined> {
    const row = await this.#db.selectFrom('conversation').selectAll().where('token', '=', token).executeTakeFirst();
    return row && conversationOf(row);
  }

  async turns(conversationId: number): Promise<StoredTurn[]> {
    const rows = await this.#db
      .selectFrom('conversation_turn')
      .selectAll()
      .where('conversation_id', '=', conversationId)
      .orderBy('number')
      .execute();
    return rows.map(turnOf);
  }

  /** With the status of the last question, newest first, before the given id. */
  async ofOwner(
    ownerId: number,
    { before, limit }: { before: number; limit: number },
  ): Promise<(StoredConversation & { status: QuestionStatus })[]> {
    const rows = await this.#db
      .selectFrom('conversation')
      .innerJoin('conversation_turn', 'conversation_turn.conversation_id', 'conversation.id')
      .selectAll('conversation')
      .select('conversation_turn.status')
      .where('owner_id', '=', ownerId)
      .where('conversation.id', '<', before)
      .where('conversation_turn.number', '=', ({ selectFrom }) =>
        selectFrom('conversation_turn as other')
          .select(({ fn }) => fn.max('other.number').as('last'))
          .whereRef('other.conversation_id', '=', 'conversation.id'),
      )
      .orderBy('conversation.id', 'desc')
      .limit(limit)
      .execute();
    return rows.map((row) => ({ ...conversationOf(row), status: row.status }));
  }

  /** Questions of a user that are not finished. */
  async waitingOf(ownerId: number): Promise<number> {
    const { count } = await this.#db
      .selectFrom('conversation')
      .innerJoin('conversation_turn', 'conversation_turn.conversation_id', 'conversation.id')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('owner_id', '=', ownerId)
      .where('status', 'in', ['queued', 'processing'])
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async change(id: number, change: { token?: string; isShared?: boolean }): Promise<void> {
    const { token, isShared } = change;
    await this.#db
      .updateTable('conversation')
      .set(({ eb }) => ({
        ...(token !== undefined && { token }),
        ...(isShared !== undefined && { is_shared: Number(isShared) }),
        version: eb('version', '+', 1),
      }))
      .where('id', '=', id)
      .execute();
  }

  async remove(id: number): Promise<void> {
    await this.#db.transaction().execute(async (db) => {
      await db.deleteFrom('conversation_turn').where('conversation_id', '=', id).execute();
      await db.deleteFrom('conversation').where('id', '=', id).execute();
    });
  }

  /** False where there is no such question, or it has no answer. */
  async rate(conversationId: number, { number, rating, comment }: StoredFeedback): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('conversation_turn')
      .set({ rating, comment: rating === 'bad' && comment !== '' ? comment : null })
      .where('conversation_id', '=', conversationId)
      .where('number', '=', number)
      .where('status', '=', 'completed')
      .executeTakeFirst();
    if (numUpdatedRows > 0n) await touch(this.#db, conversationId);
    return numUpdatedRows > 0n;
  }

  /** What people think of answers; those that they deleted with their conversation are not counted. */
  async feedback(complaints: number): Promise<FeedbackSummary> {
    const rows = await this.#db
      .selectFrom('conversation_turn')
      .select(({ fn }) => ['model', 'rating', fn.countAll().as('count')])
      .where('rating', 'is not', null)
      .groupBy(['model', 'rating'])
      .execute();
    const models = Map.groupBy(rows, ({ model }) => model);
    const bad = await this.#db
      .selectFrom('conversation_turn')
      .innerJoin('conversation', 'conversation.id', 'conversation_turn.conversation_id')
      .select(['question', 'comment', 'asked_at', 'model', 'owner_id'])
      .where('rating', '=', 'bad')
      .orderBy('conversation_turn.id', 'desc')
      .limit(complaints)
      .execute();
    const countOf = (all: typeof rows, wanted: Rating): number =>
      Number(all.find(({ rating }) => rating === wanted)?.count ?? 0);
    return {
      counts: [...models].map(([model, all]) => ({
        ...(model !== null && { model }),
        good: countOf(all, 'good'),
        bad: countOf(all, 'bad'),
      })),
      complaints: bad.map(({ question, comment, asked_at: askedAt, model, owner_id: userId }) => ({
        question,
        comment: comment ?? '',
        askedAt: new Date(askedAt).toISOString(),
        userId,
        ...(model !== null && { model }),
      })),
    };
  }

  async cancel(conversationId: number): Promise<void> {
    await this.#db.transaction().execute(async (db) => {
      await db
        .updateTable('conversation_turn')
        .set({ status: 'canceled', worker: null, draft: null })
        .where('conversation_id', '=', conversationId)
        .where('status', 'in', ['queued', 'processing'])
        .execute();
      await touch(db, conversationId);
    });
  }
}

export interface StoredFeedback {
  readonly number: number;
  readonly rating: Rating;
  readonly comment: string;
}

export const touch = (db: Db, id: number): Promise<unknown> =>
  db
    .updateTable('conversation')
    .set(({ eb }) => ({ version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute();

const insertTurn = (db: Db, turn: { conversationId: number; number: number; question: string }): Promise<unknown> =>
  db
    .insertInto('conversation_turn')
    .values({
      conversation_id: turn.conversationId,
      number: turn.number,
      question: turn.question,
      status: 'queued',
      asked_at: Date.now(),
      attempts: 0,
      leased_until: 0,
      steps: '[]',
    })
    .execute();

const conversationOf = (row: Selectable<ConversationTables['conversation']>): StoredConversation => ({
  id: row.id,
  token: row.token,
  ownerId: row.owner_id,
  title: row.title,
  isShared: row.is_shared === 1,
  createdAt: row.created_at,
  version: row.version,
  scope: row.scope === null ? undefined : JSON.parse(row.scope),
});

export const turnOf = (row: Selectable<ConversationTables['conversation_turn']>): StoredTurn => ({
  id: row.id,
  conversationId: row.conversation_id,
  number: row.number,
  question: row.question,
  status: row.status,
  askedAt: row.asked_at,
  attempts: row.attempts,
  steps: JSON.parse(row.steps),
  draft: row.draft ?? undefined,
  parts: row.answer === null ? [] : JSON.parse(row.answer),
  error: row.error ?? undefined,
  model: row.model ?? undefined,
  answeredAt: row.answered_at ?? undefined,
  rating: row.rating ?? undefined,
});
