import { randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SextantError } from '@sextant/core';
import type { StoredFile } from '@sextant/contracts';
import type { Kysely } from 'kysely';
import type { FileTables } from './tables.ts';

export interface FileStoreOptions {
  readonly db: Kysely<FileTables>;
  readonly folder: string;
  readonly bytesPerUser: number;
}

const keptMs = 24 * 3_600_000;
/** A file that the table does not name may be one that is being written. */
const writingMs = 3_600_000;
const idPattern = /^[0-9a-f]{32}$/;

/** Files that scripts wrote: named in the database, their content in a folder, both gone after a day. */
export class FileStore {
  readonly #options: FileStoreOptions;

  constructor(options: FileStoreOptions) {
    this.#options = options;
  }

  /** Keeps a file and answers its id. Throws `exhausted` when the user's files take too much. */
  async add(userId: number, { name, content }: StoredFile): Promise<string> {
    const { db, folder } = this.#options;
    await this.#requireRoom(userId, content.length);
    const id = randomBytes(16).toString('hex');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(join(folder, id), content, { flag: 'wx', mode: 0o600 });
    const row = { id, user_id: userId, name, bytes: content.length, created_at: Date.now() };
    await db.insertInto('evaluator_file').values(row).execute();
    return id;
  }

  /** Undefined for a file that is gone, of someone else, or never was. */
  async read(userId: number, id: string): Promise<StoredFile | undefined> {
    if (!idPattern.test(id)) return undefined;
    const row = await this.#options.db
      .selectFrom('evaluator_file')
      .select('name')
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .where('created_at', '>', Date.now() - keptMs)
      .executeTakeFirst();
    const content = row && (await unlessGone(readFile(join(this.#options.folder, id))));
    return row && content && { name: row.name, content };
  }

  /** Removes what is older than a day, and content that the table does not name. */
  async sweep(): Promise<void> {
    const { db, folder } = this.#options;
    await db
      .deleteFrom('evaluator_file')
      .where('created_at', '<=', Date.now() - keptMs)
      .execute();
    const known = new Set((await db.selectFrom('evaluator_file').select('id').execute()).map(({ id }) => id));
    const names = (await unlessGone(readdir(folder))) ?? [];
    for (const name of names.filter((each) => idPattern.test(each) && !known.has(each))) {
      const path = join(folder, name);
      const changed = (await unlessGone(stat(path)))?.mtimeMs ?? 0;
      if (changed < Date.now() - writingMs) await rm(path, { force: true });
    }
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

async function unlessGone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
