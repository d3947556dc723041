import type { Generated, Kysely } from 'kysely';
import { connect } from '../connection.ts';
import { SqliteDatabase } from '../sqlite-database.ts';

interface Tables {
  race_start: { id: Generated<number>; pid: number };
}

const race = {
  name: 'race',
  migrations: {
    '1-starts': {
      up: async (db: Kysely<unknown>): Promise<void> => {
        await db.schema
          .createTable('race_start')
          .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
          .addColumn('pid', 'integer', (column) => column.notNull())
          .execute();
      },
    },
    '2-mark': {
      up: async (db: Kysely<Tables>): Promise<void> => {
        await db.insertInto('race_start').values({ pid: 0 }).execute();
      },
    },
  },
};

/** Opens the store in a file, adds a row, and answers how often the migrations ran. */
async function run(file: string): Promise<number> {
  const database = new SqliteDatabase(await connect(file, 5000), 5000);
  const db = await database.open<Tables>(race);
  await db.insertInto('race_start').values({ pid: process.pid }).execute();
  const marks = await db.selectFrom('race_start').select('id').where('pid', '=', 0).execute();
  await database.close();
  return marks.length;
}

// A process of its own, which does so for each file that it is sent.
process.on('message', (file) => void run(String(file)).then(answer, (error: unknown) => answer(String(error))));
const answer = (message: number | string): unknown => process.send?.(message);
answer('ready');
