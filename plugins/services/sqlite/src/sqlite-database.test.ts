import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@sextant/contracts/testing';
import type { Kysely } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from './connection.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import { divided } from './testing/dying.ts';

const inFile = async (file: string, busyMs = 0): Promise<SqliteDatabase> =>
  new SqliteDatabase(await connect(file, busyMs), busyMs);

const racer = fileURLToPath(new URL('testing/racer.ts', import.meta.url));

const dying = fileURLToPath(new URL('testing/dying.ts', import.meta.url));

interface Divided {
  divided_note: { id: number; author_id: number; text: string };
}

const notes = {
  name: 'notes',
  migrations: {
    '1': {
      up: async (db: Kysely<unknown>): Promise<void> => {
        await db.schema.createTable('notes_note').addColumn('text', 'text').execute();
      },
    },
  },
};

interface Notes {
  notes_note: { text: string };
}

/** Makes this process one of an ordinary user for a while, to whom the folder and what is in it belong. */
function ordinaryUser(folder: string): Disposable {
  const nobody = 65_534;
  for (const path of [folder, ...readdirSync(folder).map((name) => join(folder, name))])
    chownSync(path, nobody, nobody);
  process.seteuid?.(nobody);
  return { [Symbol.dispose]: () => process.seteuid?.(0) };
}

describe('the database file', () => {
  it('can be read by its owner only, with all of its journal, also when it was not so before', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'sextant.db');
    writeFileSync(file, '');
    chmodSync(file, 0o644);
    const database = await inFile(file);
    await database.open(notes);
    const modes = readdirSync(folder.path).map((name) => [name, statSync(join(folder.path, name)).mode & 0o777]);
    await database.close();
    expect(modes).toEqual([
      ['sextant.db', 0o600],
      ['sextant.db-shm', 0o600],
      ['sextant.db-wal', 0o600],
    ]);
  });

  it('is one file once it is closed', async () => {
    using folder = temporaryFolder();
    const database = await inFile(join(folder.path, 'sextant.db'));
    await database.open(notes);
    await database.close();
    expect(readdirSync(folder.path)).toEqual(['sextant.db']);
  });

  it('is migrated once by processes that start at the same moment, and all of them work', async () => {
    using folder = temporaryFolder();
    const racers = [1, 2, 3].map(() => fork(racer));
    onTestFinished(() => racers.forEach((process) => process.disconnect()));
    const answers = async (): Promise<unknown[]> =>
      (await Promise.all(racers.map((process) => once(process, 'message')))).map(([answer]) => answer);
    expect(await answers()).toEqual(['ready', 'ready', 'ready']);
    for (let round = 0; round < 20; round += 1) {
      for (const process of racers) process.send(join(folder.path, `${round}.db`));
      expect(await answers()).toEqual([1, 1, 1]);
    }
  });

  it('is migrated whole by the next process, before whichever statement one was killed, and another beside it', async () => {
    using folder = temporaryFolder();
    const dieAt = async (file: string, statement: number): Promise<unknown> => {
      const [, signal] = await once(fork(dying, [file, String(statement)]), 'exit');
      return signal;
    };
    // Each start takes a while: two of every ten statements, which are others than those of the race above.
    let statement = 2;
    for (let signals: unknown[] = ['SIGKILL']; signals.includes('SIGKILL'); statement += 10) {
      const file = join(folder.path, `${statement}.db`);
      signals = await Promise.all([dieAt(file, statement), dieAt(file, statement + 5)]);
      const database = await inFile(file, 5000);
      const db = await database.open<Divided>(divided);
      const notes = db.selectFrom('divided_note').selectAll().orderBy('id');
      expect([statement, await notes.execute()]).toEqual([
        statement,
        [
          { id: 1, author_id: 2, text: 'note 1' },
          { id: 2, author_id: 1, text: 'note 2' },
          { id: 3, author_id: 2, text: 'note 3' },
        ],
      ]);
      await database.close();
    }
    expect(statement).toBeGreaterThan(15);
  });
});

describe('a database that cannot be used', () => {
  it('names the file and says that it is damaged', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'sextant.db');
    writeFileSync(file, 'this is no database, but it is long enough to be taken for one'.repeat(100));
    await expect(inFile(file)).rejects.toThrow(
      `the database ${file} cannot be opened: it is damaged or no database; restore it from a backup`,
    );
  });

  it('names the file and what is in the way', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'sextant.db');
    mkdirSync(file);
    await expect(inFile(file)).rejects.toThrow(
      `the database ${file} cannot be opened: a folder of that name is in the way`,
    );
    await expect(inFile(join(folder.path, 'none', 'sextant.db'))).rejects.toThrow('its folder does not exist');
  });

  it('names the file that may not be written', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'sextant.db');
    writeFileSync(file, '', { mode: 0o400 });
    // The superuser may read and write everything.
    using _user = process.getuid?.() === 0 ? ordinaryUser(folder.path) : undefined;
    await expect(inFile(file)).rejects.toThrow(
      `the database ${file} cannot be opened: no permission to read and write it`,
    );
  });

  it('refuses a store name that is not snake_case', async () => {
    using folder = temporaryFolder();
    const database = await inFile(join(folder.path, 'sextant.db'));
    await expect(database.open({ name: 'a; drop', migrations: {} })).rejects.toThrow(
      'the store name "a; drop" must be snake_case',
    );
    await database.close();
  });

  it('tells callers that another program is writing, and not where the file is', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'sextant.db');
    const [writing, waiting] = [await inFile(file), await inFile(file)];
    const [first, second] = [await writing.open<Notes>(notes), await waiting.open<Notes>(notes)];
    const insert = (db: Kysely<Notes>): Promise<unknown> => db.insertInto('notes_note').values({ text: 'a' }).execute();
    await first.transaction().execute(async (transaction) => {
      await insert(transaction);
      const refusal: unknown = await insert(second).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
      expect(String(refusal)).toContain('another program is writing to it');
      expect(String(refusal)).not.toContain(folder.path);
    });
    await insert(second);
    await Promise.all([writing.close(), waiting.close()]);
  });

  it('is waited for while another program writes, and everything else goes on meanwhile', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'sextant.db');
    const [writing, waiting] = [await inFile(file), await inFile(file, 20_000)];
    const [first, second] = [await writing.open<Notes>(notes), await waiting.open<Notes>(notes)];
    const inserted = await first.transaction().execute(async () => {
      const insert = second.insertInto('notes_note').values({ text: 'a' }).execute();
      // Would not come to an end if waiting for the other kept timers from firing.
      await setTimeout(20);
      return { insert };
    });
    await inserted.insert;
    expect(await first.selectFrom('notes_note').selectAll().execute()).toEqual([{ text: 'a' }]);
    await Promise.all([writing.close(), waiting.close()]);
  });

  it('tells callers of a transaction, and operators, that the disk is full, and can be written again once it is not', async () => {
    using folder = temporaryFolder();
    const connection = await connect(join(folder.path, 'sextant.db'), 0);
    const database = new SqliteDatabase(connection, 0);
    const db = await database.open<Notes>(notes);
    const write = (text: string): Promise<unknown> =>
      db.transaction().execute((transaction) => transaction.insertInto('notes_note').values({ text }).execute());
    const pages = connection.pragma('page_count', { simple: true });
    connection.pragma(`max_page_count = ${String(pages)}`);
    await expect(write('long '.repeat(10_000))).rejects.toThrow('the database cannot be used: the disk is full');
    await db.selectFrom('notes_note').selectAll().execute();
    const reason = 'the database cannot be used: the disk is full';
    expect(database.status()).toMatchObject({ isReady: false, failures: [{ name: 'sextant.db', reason }] });
    connection.pragma('max_page_count = 100000');
    await write('short');
    expect(database.status()).toEqual({ isReady: true, detail: {} });
    expect(await db.selectFrom('notes_note').selectAll().execute()).toEqual([{ text: 'short' }]);
    await database.close();
  });

  it('leaves mistakes of a statement as they are', async () => {
    using folder = temporaryFolder();
    const database = await inFile(join(folder.path, 'sextant.db'));
    const db = await database.open<{ nothing: { id: number } }>(notes);
    await expect(db.selectFrom('nothing').selectAll().execute()).rejects.toThrow('no such table: nothing');
    await database.close();
  });
});

describe('the version', () => {
  const titled = (name: string): { name: string; migrations: typeof notes.migrations } => ({
    name,
    migrations: {
      '1': { up: async (db) => db.schema.createTable(`${name}_note`).addColumn('text', 'text').execute() },
    },
  });

  it('stays when something is written to a log, and grows with a store whose name begins like that of a log', async () => {
    using folder = temporaryFolder();
    const database = await inFile(join(folder.path, 'sextant.db'));
    const log = await database.open<Notes>({ ...notes, isLog: true });
    const other = await database.open<{ notes_kept_note: { text: string } }>(titled('notes_kept'));
    const before = await database.version();
    await log.insertInto('notes_note').values({ text: 'a' }).execute();
    await log.updateTable('notes_note').set({ text: 'b' }).returning('text').execute();
    await log.transaction().execute((transaction) => transaction.deleteFrom('notes_note').execute());
    expect(await database.version()).toBe(before);
    await other.insertInto('notes_kept_note').values({ text: 'a' }).execute();
    expect(await database.version()).not.toBe(before);
    await database.close();
  });
});
