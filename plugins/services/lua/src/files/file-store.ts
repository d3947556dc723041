import { randomBytes } from 'node:crypto';
import { SextantError } from '@sextant/core';
import type { StoredFile } from '@sextant/contracts';
import type { Kysely } from 'kysely';
import type { FileTables } from './tables.ts';

export interface FileStoreOptions {
  readonly db: Kysely<FileTables>;
  readonly bytesPerUser: number;
}

const keptMs = 24 * 3_600_000;
const idPattern = /^[0-9a-f]{32}$/;

/** Files that scripts wrote, in the database, so that every host has them. They are gone after a day. */
export class FileStore {
  readonly #options: FileStoreOptions;

  constructor(options: FileStoreOptions) {
    this.#options = options;
  }

  /** Keeps a file and answers its id. Throws `exhausted` when the user's files take too much. */
  async add(userId: number, { name, content }: StoredFile): Promise<string> {
    const { db } = this.#options;
    await this.#requireRoom(userId, content.length);
    const id = randomBytes(16).toString('hex');
    const row = { id, user_id: userId, name, bytes: content.length, content, created_at: Date.now() };
    await db.insertInto('evaluator_file').values(row).execute();
    return id;
  }

  /** Undefined for a file that is gone, of someone else, or never was. */
  async read(userId: number, id: string): Promise<StoredFile | undefined> {
    if (!idPattern.test(id)) return undefined;
    return this.#options.db
      .selectFrom('evaluator_file')
      .select(['name', 'content'])
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .where('created_at', '>', Date.now() - keptMs)
      .executeTakeFirst();
  }

  /** Removes what is older than a day. */
  async sweep(): Promise<void> {
    await this.#options.db
      .deleteFrom('evaluator_file')
      .where('created_at', '<=', Date.now() - keptMs)
      .execute();
  }

  async #requireRoom(userId: number, bytes: number): Promise<void> {
    const { db, bytesPerUser } = this.#options;
    const { stored } = await db
      .selectFrom('evaluator_file')
      .select(({ fn }) => fn.sum<number | null>('bytes').as('stored'))
      .where('user_id', '=', userId)
      .where('created_at', '>', Date.now() - keptMs)
      .executeTakeFirstOrThrow();
    if (Number(stored ?? 0) + bytes <= bytesPerUser) return;
    throw new SextantError(
      'exhausted',
      `files.write: your files of the last day would take more than ${bytesPerUser} bytes; write less, or wait`,
    );
  }
}
