import assert from 'node:assert/strict';
import type { Generated, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Database, Secrets } from '../storage/database.ts';

/** Opens the database of the test, empty at first, as another process would: each time with a connection of its own. */
export type ConnectDatabase = () => Promise<
  { readonly database: Database; readonly secrets: Secrets } & AsyncDisposable
>;

export interface DatabaseConformanceCase {
  /** A sentence about behaviour. */
  readonly name: string;
  run(connect: ConnectDatabase): Promise<void>;
}

/** What every implementation of `Database` must do; run each case as a test of its own. */
export const databaseConformance: readonly DatabaseConformanceCase[] = [
  { name: 'applies each migration once, in the order of the keys', run: migratingInOrder },
  { name: 'brings a store of an earlier version up to date and keeps what is in it', run: migratingForwards },
  { name: 'applies all migrations of a store or none', run: migratingAsAWhole },
  { name: 'refuses a store that a newer version has written', run: refusingTheFuture },
  { name: 'opens a store that a newer version has written where that says it may', run: allowingTheFuture },
  { name: 'opens a store several times at once', run: openingAtOnce },
  { name: 'keeps the migrations of two stores apart', run: keepingApart },
  { name: 'commits a transaction as a whole, and nothing of one that throws', run: committing },
  { name: 'runs transactions as if one after another', run: serializing },
  { name: 'never gives a generated id again', run: numbering },
  { name: 'reads integers up to the largest safe one as numbers', run: readingNumbers },
  { name: 'compares and sorts text by code point', run: sortingText },
  { name: 'keeps any text, U+0000 perhaps as U+FFFD, and bytes', run: keepingText },
  { name: 'finds nothing in an empty list, and everything outside of it', run: listingNothing },
  { name: 'shows what another connection committed', run: sharing },
  { name: 'has a version that grows with every commit, its own and others’, and stays otherwise', run: versioning },
  { name: 'answers the version to many at once, each with what was committed before it asked', run: sharingVersions },
  { name: 'does work of one host, and tells how it failed', run: workingAlone },
  { name: 'gives a secret to all who ask at once, and another once it is replaced', run: sharingSecrets },
];

interface ShelfTables {
  shelf_book: { id: Generated<number>; title: string; copies: Generated<number> };
}

const createBooks: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('shelf_book')
      .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('title', 'text', (column) => column.notNull())
      .addColumn('copies', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};

const shelf = { name: 'shelf', migrations: { '1-books': createBooks } };

/** A migration that leaves a book behind, so that how often and when it ran can be read. */
const adding = (title: string): Migration => ({
  up: async (db: Kysely<ShelfTables>) => {
    await db.insertInto('shelf_book').values({ title }).execute();
  },
});

const titles = async (db: Kysely<ShelfTables>): Promise<string[]> =>
  (await db.selectFrom('shelf_book').select('title').orderBy('id').execute()).map(({ title }) => title);

async function migratingInOrder(connect: ConnectDatabase): Promise<void> {
  const migrations = { '3-c': adding('c'), '2-b': adding('b'), '1-books': createBooks };
  for (let start = 0; start < 2; start += 1) {
    await using opened = await connect();
    for (let again = 0; again < 2; again += 1)
      assert.deepEqual(await titles(await opened.database.open<ShelfTables>({ name: 'shelf', migrations })), [
        'b',
        'c',
      ]);
  }
}

async function migratingForwards(connect: ConnectDatabase): Promise<void> {
  {
    await using opened = await connect();
    const db = await opened.database.open<ShelfTables>(shelf);
    await db.insertInto('shelf_book').values({ title: 'kept' }).execute();
  }
  await using opened = await connect();
  const newer = { name: 'shelf', migrations: { ...shelf.migrations, '2-b': adding('b') } };
  assert.deepEqual(await titles(await opened.database.open<ShelfTables>(newer)), ['kept', 'b']);
}

async function migratingAsAWhole(connect: ConnectDatabase): Promise<void> {
  await using opened = await connect();
  const failing: Migration = { up: () => Promise.reject(new Error('out of paper')) };
  const broken = { name: 'shelf', migrations: { ...shelf.migrations, '2-b': adding('b'), '3-c': failing } };
  await assert.rejects(opened.database.open(broken), /"shelf".*out of paper/s);
  const mended = { name: 'shelf', migrations: { ...shelf.migrations, '2-x': adding('x') } };
  assert.deepEqual(await titles(await opened.database.open<ShelfTables>(mended)), ['x']);
}

async function refusingTheFuture(connect: ConnectDatabase): Promise<void> {
  await using opened = await connect();
  await opened.database.open({ name: 'shelf', migrations: { ...shelf.migrations, '2-b': adding('b') } });
  await assert.rejects(opened.database.open(shelf), { code: 'unavailable', message: /"shelf".*newer version/s });
  await opened.database.open({ name: 'another', migrations: {} });
}

async function allowingTheFuture(connect: ConnectDatabase): Promise<void> {
  await using opened = await connect();
  const newer = { '1-books': createBooks, '2-b': adding('b'), '3-c': adding('c') };
  await opened.database.open({ name: 'shelf', migrations: newer, compatibleFrom: '2-b' });
  const older = { name: 'shelf', migrations: { '1-books': createBooks, '2-b': adding('b') } };
  assert.deepEqual(await titles(await opened.database.open<ShelfTables>(older)), ['b', 'c']);
  await assert.rejects(opened.database.open(shelf), { code: 'unavailable', message: /"shelf".*newer version/s });
  await opened.database.open({ name: 'shelf', migrations: { ...newer, '4-d': adding('d') } });
  await assert.rejects(opened.database.open(older), { code: 'unavailable', message: /"shelf".*newer version/s });
}

async function openingAtOnce(connect: ConnectDatabase): Promise<void> {
  await using opened = await connect();
  const store = { name: 'shelf', migrations: { ...shelf.migrations, '2-b': adding('b') } };
  const opens = Array.from({ length: 8 }, () => opened.database.open<ShelfTables>(store));
  for (const db of await Promise.all(opens)) assert.deepEqual(await titles(db), ['b']);
}

async function keepingApart(connect: ConnectDatabase): Promise<void> {
  await using opened = await connect();
  const db = await opened.database.open<ShelfTables>(shelf);
  await opened.database.open({ name: 'shop', migrations: { '1-books': adding('from the other store') } });
  assert.deepEqual(await titles(db), ['from the other store']);
}

async function committing(connect: ConnectDatabase): Promise<void> {
  await using opened = await connect();
  const db = await opened.database.open<ShelfTables>(shelf);
  const insert = (title: string, error?: Error): Promise<void> =>
    db.transaction().execute(async (transaction) => {
      await transaction.insertInto('shelf_book').values({ title }).execute();
      if (error) throw error;
    });
  await insert('a');
  await assert.rejects(insert('b', new Error('changed my mind')), /changed my mind/);
  await insert('c');
  assert.deepEqual(await titles(db), ['a', 'c']);
}

async function serializing(connect: ConnectDatabase): Promise<void> {
  await using opened = await connect();
  const db = await opened.database.open<ShelfTables>(shelf);
  await db.insertInto('shelf_book').values({ title: 'a' }).execute();
  const increment = (): Promise<void> =>
    db.transaction().execute(async (transaction) => {
      const { copies } = await transaction.selectFrom('shelf_book').select('copies').executeTakeFirstOrThrow();
      await new Promise((resolve) => setImmediate(resolve));
      await transaction
        .updateTable('shelf_book')
        .set({ copies: copies + 1 })
        .execute();
    });
  await Promise.all(Array.from({ length: 10 }, increment));
  assert.deepEqual(await db.selectFrom('shelf_book').select('copies').execute(), [{ copies: 10 }]);
}

async function numbering(connect: ConnectDatabase): Promise<void> {
  await using opened = await connect();
  const db = await opened.database.open<ShelfTables>(shelf);
  const insert = () => db.insertInto('shelf_book').values({ title: 'a' }).returning('id').executeTakeFirstOrThrow();
  const ids = [await insert(), await insert()].map(({ id }) => id);
  await db.deleteFrom('shelf_book').execute();
  assert.ok((await insert()).id > Math.max(...ids));
}

async function readingNumbers(connect: ConnectDatabase): Promise<void> {
  await using opened = await connect();
  const db = await opened.database.open<ShelfTables>(shelf);
  for (const copies of [0, Date.now(), Number.MAX_SAFE_INTEGER]) {
    await db.insertInto('shelf_book').values({ title: 'a', copies }).execute();
    const row = db.selectFrom('shelf_book').select('copies').where('copies', '=', copies);
    assert.deepEqual(await row.executeTakeFirst(), { copies });
  }
}

async function listingNothing(connect: ConnectDatabase): Promise<void> {
  await using opened = await connect();
  const db = await opened.database.open<ShelfTables>(shelf);
  await db.insertInto('shelf_book').values({ title: 'a' }).execute();
  const books = db.selectFrom('shelf_book').select('title');
  assert.equal((await books.where('id', 'in', []).execute()).length, 0);
  assert.equal((await books.where('id', 'not in', []).execute()).length, 1);
}

async function sharing(connect: ConnectDatabase): Promise<void> {
  await using here = await connect();
  await using there = await connect();
  const [mine, theirs] = [await here.database.open<ShelfTables>(shelf), await there.database.open<ShelfTables>(shelf)];
  await mine.insertInto('shelf_book').values({ title: 'a' }).execute();
  await theirs.insertInto('shelf_book').values({ title: 'b' }).execute();
  assert.deepEqual(await titles(mine), ['a', 'b']);
  assert.deepEqual(await titles(theirs), ['a', 'b']);
}

async function versioning(connect: ConnectDatabase): Promise<void> {
  await using here = await connect();
  await using there = await connect();
  const stores = [await here.database.open<ShelfTables>(shelf), await there.database.open<ShelfTables>(shelf)];
  if ((await here.database.version()) === undefined) return;
  for (const db of [...stores, ...stores]) {
    await grows(here.database, () => db.insertInto('shelf_book').values({ title: 'a' }).execute());
    await grows(here.database, () => db.updateTable('shelf_book').set({ title: 'b' }).execute());
    await grows(here.database, () =>
      db.transaction().execute((transaction) => transaction.deleteFrom('shelf_book').execute()),
    );
    const still = await here.database.version();
    await titles(db);
    assert.equal(await here.database.version(), still, 'reading changes nothing');
  }
}

async function grows(database: Database, change: () => Promise<unknown>): Promise<void> {
  const before = (await database.version()) ?? 0;
  await change();
  const after = (await database.version()) ?? 0;
  assert.ok(after > before, `the version went from ${before} to ${after}`);
}

async function sharingVersions(connect: ConnectDatabase): Promise<void> {
  await using here = await connect();
  await using there = await connect();
  const db = await there.database.open<ShelfTables>(shelf);
  await here.database.open(shelf);
  if ((await here.database.version()) === undefined) return;
  for (let round = 0; round < 20; round += 1) {
    const old = await Promise.all(Array.from({ length: 10 }, () => here.database.version()));
    // Still running when the commit comes: it must not answer those who ask after that.
    const overtaken = here.database.version();
    await db.insertInto('shelf_book').values({ title: 'a' }).execute();
    const current = await Promise.all(Array.from({ length: 10 }, () => here.database.version()));
    await overtaken;
    assert.equal(new Set(current).size, 1);
    assert.ok((current[0] ?? 0) > (old.at(-1) ?? 0), `${current} after ${old}`);
  }
}

async function workingAlone(connect: ConnectDatabase): Promise<void> {
  await using opened = await connect();
  let done = 0;
  assert.equal(await opened.database.exclusively('push', async () => void (done += 1)), true);
  assert.equal(await opened.database.exclusively('push', async () => void (done += 1)), true);
  assert.equal(done, 2);
  await assert.rejects(
    opened.database.exclusively('push', () => Promise.reject(new Error('no route'))),
    /no route/,
  );
}

async function sharingSecrets(connect: ConnectDatabase): Promise<void> {
  await using here = await connect();
  await using there = await connect();
  let made = 0;
  const read = ({ secrets }: { secrets: Secrets }): Promise<string> =>
    secrets.readOrMake('signing-key', () => `secret ${(made += 1)}`);
  const first = await Promise.all([read(here), read(there), read(here)]);
  assert.equal(new Set(first).size, 1);
  assert.equal(await read(there), first[0]);
  await there.secrets.replace('signing-key', 'another');
  assert.equal(await read(here), 'another');
  assert.equal(await here.secrets.readOrMake('other-key', () => 'of its own'), 'of its own');
}

async function sortingText(connect: ConnectDatabase): Promise<void> {
  await using opened = await connect();
  const db = await opened.database.open<ShelfTables>(shelf);
  for (const title of ['b', 'B', 'a', '_', 'ä', 'Z', '1', '\u{1F600}', '\uFFFD', 'a b', 'ab'])
    await db.insertInto('shelf_book').values({ title }).execute();
  const sorted = (await db.selectFrom('shelf_book').select('title').orderBy('title').execute()).map((row) => row.title);
  assert.deepEqual(sorted, ['1', 'B', 'Z', '_', 'a', 'a b', 'ab', 'b', 'ä', '\uFFFD', '\u{1F600}']);
  const above = db.selectFrom('shelf_book').select('title').where('title', '>', 'Z').where('title', '<', 'b');
  assert.equal((await above.execute()).length, 4);
}

async function keepingText(connect: ConnectDatabase): Promise<void> {
  await using opened = await connect();
  const createPages: Migration = {
    up: async (db: Kysely<unknown>) => {
      await db.schema.createTable('page_page').addColumn('text', 'text').addColumn('bytes', 'blob').execute();
    },
  };
  const db = await opened.database.open<{ page_page: { text: string; bytes: Uint8Array } }>({
    name: 'page',
    migrations: { '1-pages': createPages },
  });
  const [text, bytes] = ['a\u0000b\n\u{1F600}\\\'"', new Uint8Array([0, 255, 10, 0])];
  await db.insertInto('page_page').values({ text, bytes }).execute();
  const row = await db.selectFrom('page_page').selectAll().where('text', '=', text).executeTakeFirstOrThrow();
  assert.equal(row.text.replace('\uFFFD', '\u0000'), text);
  assert.deepEqual([...row.bytes], [...bytes]);
}
