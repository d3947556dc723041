import type { QuestionStatus, Rating } from '@sextant/contracts';
import type { Generated, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export interface ConversationTables {
  conversation: {
    id: Generated<number>;
    /** Read token. As it is, not hashed: who could read it here could read the conversation itself. */
    token: string;
    owner_id: number;
    title: string;
    /** 0 or 1. */
    is_shared: number;
    /** Milliseconds since 1970, as all times here. */
    created_at: number;
    version: number;
    /** JSON: names of repositories; null: all. */
    scope: string | null;
  };
  conversation_turn: {
    id: Generated<number>;
    conversation_id: number;
    /** From 1. */
    number: number;
    question: string;
    status: QuestionStatus;
    asked_at: number;
    /** How often work on it began. */
    attempts: number;
    /** Who works on it, and until when nobody else may take it. */
    worker: string | null;
    leased_until: number;
    /** JSON: what was done so far. */
    steps: string;
    /** What the answer says so far, while the question is worked on. */
    draft: string | null;
    /** JSON: the parts of the answer. */
    answer: string | null;
    error: string | null;
    /** The language model that answered. */
    model: string | null;
    answered_at: number | null;
    rating: Rating | null;
    comment: string | null;
  };
}

export const migrations: Readonly<Record<string, Migration>> = {
  '1-conversations': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('conversation')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('token', 'text', (column) => column.notNull().unique())
        .addColumn('owner_id', 'integer', (column) => column.notNull())
        .addColumn('title', 'text', (column) => column.notNull())
        .addColumn('is_shared', 'integer', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('version', 'integer', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('conversation_owner').on('conversation').columns(['owner_id', 'id']).execute();
      await db.schema
        .createTable('conversation_turn')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('conversation_id', 'integer', (column) => column.notNull())
        .addColumn('number', 'integer', (column) => column.notNull())
        .addColumn('question', 'text', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('asked_at', 'bigint', (column) => column.notNull())
        .addColumn('attempts', 'integer', (column) => column.notNull())
        .addColumn('worker', 'text')
        .addColumn('leased_until', 'bigint', (column) => column.notNull())
        .addColumn('steps', 'text', (column) => column.notNull())
        .addColumn('answer', 'text')
        .addColumn('error', 'text')
        .addUniqueConstraint('conversation_turn_number', ['conversation_id', 'number'])
        .execute();
      await db.schema.createIndex('conversation_turn_status').on('conversation_turn').column('status').execute();
    },
  },
  '2-feedback': {
    up: async (db: Kysely<unknown>) => {
      await db.schema.alterTable('conversation').addColumn('scope', 'text').execute();
      await db.schema.alterTable('conversation_turn').addColumn('model', 'text').execute();
      await db.schema.alterTable('conversation_turn').addColumn('answered_at', 'bigint').execute();
      await db.schema.alterTable('conversation_turn').addColumn('rating', 'text').execute();
      await db.schema.alterTable('conversation_turn').addColumn('comment', 'text').execute();
      await db.schema
        .createIndex('conversation_turn_rating')
        .on('conversation_turn')
        .columns(['rating', 'id'])
        .execute();
    },
  },
  '3-draft': {
    up: async (db: Kysely<unknown>) => {
      await db.schema.alterTable('conversation_turn').addColumn('draft', 'text').execute();
    },
  },
};
