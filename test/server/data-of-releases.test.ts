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

type Row = Readonly<Record<string, unknown>>;

/** When rows end, or are so old that they go. They count as young here, however long ago the data were made. */
const times: Readonly<Record<string, readonly string[]>> = {
  counter_window: ['ends_at'],
  credits_use: ['started_at'],
  evaluator_file: ['created_at'],
  oauth_artifact: ['expires_at'],
  session: ['signed_in_at', 'seen_at'],
  sign_in_link: ['made_at', 'ends_at'],
};

/** What tells the state of the tables, of sums under way, and of the configuration: a start may change it. */
const stateOnly = /_migrations(_lock)?$|^(store_compatibility|usage_(unsummed|progress)|directory_configured)$/;

/** Of each table that keeps what people made or did, its rows. */
function rowsOf(db: DatabaseSync): Map<string, Row[]> {
  const tables = db
    .prepare(`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`)
    .all() as { name: string }[];
  const kept = tables.filter(({ name }) => !stateOnly.test(name));
  return new Map(kept.map(({ name }) => [name, db.prepare(`select * from "${name}"`).all()]));
}

function makeYoung(db: DatabaseSync): void {
  for (const [table, columns] of Object.entries(times))
    for (const { name } of db.prepare(`select name from pragma_table_info('${table}')`).all())
      if (columns.includes(String(name)))
        db.prepare(`update ${table} set ${String(name)} = ?`).run(Date.now() + 3_600_000);
}

test('there are data of releases', () => expect(releases.length).toBeGreaterThan(1));

test.each(releases)('the data folder of %s is read, and nothing that people made or did is lost', async (release) => {
  using scratch = temporaryFolder();
  const [data, repositories] = [join(scratch.path, 'data'), join(scratch.path, 'git')];
  mkdirSync(data, { mode: 0o700 });
  const sql = readFileSync(join(folder, release), 'utf8');
  const file = join(data, 'sextant.db');
  const db = new DatabaseSync(file);
  db.exec(sql);
  makeYoung(db);
  const before = rowsOf(db);
  db.close();
  // Before its content stood in the table, a file lay in a folder of one host, and was kept for a day.
  if (before.get('evaluator_file')?.some((row) => !('content' in row))) before.delete('evaluator_file');
  const shop = new RepositoryBuilder({ folder: join(repositories, 'shop.git'), isBare: true });
  shop.commit({ files: { 'a.ts': 'export const answer = 42;\n' } });
  const config = join(scratch.path, 'sextant.config.json');
  const plugins = { 'service-usage': { eventDays: 36_500 } };
  writeFileSync(config, JSON.stringify({ repositories: [{ path: repositories }], logLevel: 'warn', plugins }));
  const server = await startSextant(['--config', config, '--data', data]);
  try {
    const upgraded = new DatabaseSync(file, { readOnly: true });
    const after = rowsOf(upgraded);
    upgraded.close();
    for (const [table, rows] of before) {
      // Columns and rows may come.
      const columns = Object.keys(rows[0] ?? {});
      const now = after.get(table)?.map((row) => Object.fromEntries(columns.map((column) => [column, row[column]])));
      expect(now, table).toEqual(expect.arrayContaining(rows));
      expect(now?.length, table).toBeGreaterThanOrEqual(rows.length);
    }
    expect(server.token).toBe('');
    const [, token = ''] = /^-- The token of alice: (\w+)/.exec(sql) ?? [];
    const answer = await post(server.url, call('list_repos', { query: '' }), { token });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('shop')]);
  } finally {
    await server.stop();
  }
});
