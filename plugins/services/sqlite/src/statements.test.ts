import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { Statements } from './statements.ts';

const inMemory = (): { connection: Sqlite.Database; statements: Statements } & Disposable => {
  const connection = new Sqlite(':memory:');
  return { connection, statements: new Statements(connection), [Symbol.dispose]: () => void connection.close() };
};

test('a statement is prepared once, and again while it is being read from', () => {
  using database = inMemory();
  const { statements } = database;
  const sql = 'select 1 as one union select 2';
  const first = statements.prepare(sql);
  expect(statements.prepare(sql)).toBe(first);
  for (const _ of first.iterate()) expect(statements.prepare(sql).all()).toHaveLength(2);
});

test('what is kept is bounded, in number and in length', () => {
  using database = inMemory();
  const { statements } = database;
  const [first, long] = ['select 0', `select '${'x'.repeat(20_000)}'`];
  const before = [statements.prepare(first), statements.prepare(long)];
  expect(statements.prepare(long)).not.toBe(before[1]);
  for (let number = 1; number <= 256; number += 1) statements.prepare(`select ${number}`);
  expect(statements.prepare(first)).not.toBe(before[0]);
});

test('a change of the schema is seen', () => {
  using database = inMemory();
  const { connection, statements } = database;
  connection.exec('create table a (b); insert into a values (1)');
  const all = (): unknown[] => statements.prepare('select * from a').all();
  expect(all()).toEqual([{ b: 1 }]);
  connection.exec('alter table a add column c');
  statements.clear();
  expect(all()).toEqual([{ b: 1, c: null }]);
});
