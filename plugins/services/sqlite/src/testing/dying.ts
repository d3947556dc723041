import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { connect } from '../connection.ts';
import { SqliteDatabase } from '../sqlite-database.ts';

/** A store that divided its only table in a later version. */
export const divided = {
  name: 'divided',
  migrations: {
    '1-notes': {
      up: async (db: Kysely<unknown>): Promise<void> => {
        await sql`create table divided_note (id integer primary key, author text, text text)`.execute(db);
        for (const id of [1, 2, 3])
          await sql`insert into divided_note values (${id}, ${`author ${id % 2}`}, ${`note ${id}`})`.execute(db);
      },
    },
    '2-authors': {
      up: async (db: Kysely<unknown>): Promise<void> => {
        await sql`create table divided_author (id integer primary key, name text unique)`.execute(db);
        await sql`insert into divided_author (name) select distinct author from divided_note order by author`.execute(
          db,
        );
        await sql`alter table divided_note rename to divided_note_before`.execute(db);
        await sql`create table divided_note (id integer primary key, author_id integer, text text)`.execute(db);
        await sql`insert into divided_note select n.id, a.id, text from divided_note_before n join divided_author a on a.name = author`.execute(
          db,
        );
        await sql`drop table divided_note_before`.execute(db);
      },
    },
  },
};

/** Opens the store in a file, and ends as by `kill -9` before the statement of that number. */
async function run(file: string, last: number): Promise<void> {
  const connection = await connect(file, 5000);
  const prepare = connection.prepare.bind(connection);
  let statements = 0;
  connection.prepare = (source: string) => {
    statements += 1;
    if (statements === last) process.kill(process.pid, 'SIGKILL');
    return prepare(source);
  };
  await new SqliteDatabase(connection, 5000).open(divided);
}

const [, , file, last] = process.argv;
if (file !== undefined && last !== undefined) await run(file, Number(last));
