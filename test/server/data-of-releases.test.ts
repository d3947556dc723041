import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { call, post } from '../support/rpc.ts';
import { startSextant } from '../support/processes.ts';

const folder = fileURLToPath(new URL('data-of-releases/', import.meta.url));
const releases = globSync('*.sql', { cwd: folder }).sort();

/** What people made. Sums of usage are compared by what is read of them: their tables may change. */
const kept = ['directory_user', 'access_token', 'audit_event'];

type Row = Record<string, unknown>;

/** Of each of these tables its rows, in their order. */
function rowsOf(file: string): Map<string, Row[]> {
  const db = new DatabaseSync(file, { readOnly: true });
  const isThere = db.prepare(`select 1 from sqlite_master where type = 'table' and name = ?`);
  const tables = kept.filter((table) => isThere.get(table) !== undefined);
  const rows = tables.map((table) => [table, db.prepare(`select * from ${table} order by id`).all()] as const);
  db.close();
  return new Map(rows);
}

test('there are data of releases', () => expect(releases.length).toBeGreaterThan(1));

test.each(releases)('the data folder of %s is read: its people, their tokens, and what they did', async (release) => {
  using scratch = temporaryFolder();
  const [data, repositories] = [join(scratch.path, 'data'), join(scratch.path, 'git')];
  mkdirSync(data, { mode: 0o700 });
  const sql = readFileSync(join(folder, release), 'utf8');
  const file = join(data, 'sextant.db');
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
  const before = rowsOf(file);
  expect(before.get('directory_user')?.length).toBeGreaterThan(2);
  const shop = new RepositoryBuilder({ folder: join(repositories, 'shop.git'), isBare: true });
  shop.commit({ files: { 'a.ts': 'export const answer = 42;\n' } });
  const config = join(scratch.path, 'sextant.config.json');
  writeFileSync(config, JSON.stringify({ repositories: [{ path: repositories }], logLevel: 'warn' }));
  const server = await startSextant(['--config', config, '--data', data]);
  try {
    expect(server.token).toBe('');
    const [, token = ''] = /^-- The token of alice: (\w+)/.exec(sql) ?? [];
    const answer = await post(server.url, call('list_repos', { query: '' }), { token });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('shop')]);
  } finally {
    await server.stop();
  }
  const after = rowsOf(file);
  for (const [table, rows] of before) {
    // Columns may come; a token knows when it was used last.
    const now = after.get(table)?.slice(0, rows.length) ?? [];
    const known = now.map((row, at) => Object.fromEntries(Object.keys(rows[at] ?? {}).map((key) => [key, row[key]])));
    expect(known.map(withoutUse), table).toEqual(rows.map(withoutUse));
  }
});

const withoutUse = (row: Row): Row => ({ ...row, last_used_at: undefined });
