import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export interface OAuthTables {
  /** What the protocol leaves behind: codes, tokens, grants, interactions. */
  oauth_artifact: {
    model: string;
    /** SHA-256 of what a client or browser holds; of a grant, which never leaves the server, its id. */
    id: string;
    /** JSON, without any value that could be shown as a credential. */
    payload: string;
    grant_id: string | null;
    /** SHA-256 of the code that a person types in. */
    user_code: string | null;
    account_id: string | null;
    client_id: string | null;
    /** Milliseconds since 1970, as all times here. */
    expires_at: number | null;
    consumed_at: number | null;
  };
  oauth_client: {
    id: string;
    /** JSON of its metadata; the secret as SHA-256. */
    metadata: string;
    /** `operator`: made by a command; `registered`: by the client itself (RFC 7591). */
    origin: 'operator' | 'registered';
    created_at: number;
    /** When a person last gave it a grant. */
    last_used_at: number | null;
  };
}

export const migrations: Readonly<Record<string, Migration>> = {
  '2026-11-21-oauth': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('oauth_artifact')
        .addColumn('model', 'text', (column) => column.notNull())
        .addColumn('id', 'text', (column) => column.notNull())
        .addColumn('payload', 'text', (column) => column.notNull())
        .addColumn('grant_id', 'text')
        .addColumn('user_code', 'text')
        .addColumn('account_id', 'text')
        .addColumn('client_id', 'text')
        .addColumn('expires_at', 'bigint')
        .addColumn('consumed_at', 'bigint')
        .addPrimaryKeyConstraint('oauth_artifact_key', ['model', 'id'])
        .execute();
      for (const column of ['grant_id', 'user_code', 'account_id', 'client_id', 'expires_at'])
        await db.schema.createIndex(`oauth_artifact_${column}`).on('oauth_artifact').column(column).execute();
      await db.schema
        .createTable('oauth_client')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('metadata', 'text', (column) => column.notNull())
        .addColumn('origin', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('last_used_at', 'bigint')
        .execute();
      await db.schema
        .createIndex('oauth_client_last_used')
        .on('oauth_client')
        .columns(['origin', 'last_used_at', 'created_at'])
        .execute();
    },
  },
};
