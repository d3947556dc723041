// Keeps the data folder of a release for the test that every later one reads it: `npm run keep:data [-- --from REF]`. Starts the program
// of that commit (otherwise this one), uses it, and writes the database as SQL into test/server/data-of-releases.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { RepositoryBuilder } from '@sextant/contracts/testing';
import { call, post } from '../support/rpc.ts';
import { startSextant } from '../support/processes.ts';
import { earlierRelease } from './support/earlier-release.ts';

const { values } = parseArgs({ options: { from: { type: 'string' } } });
const own = fileURLToPath(new URL('../../host/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'sextant-data-'));
try {
  const earlier = values.from === undefined ? undefined : earlierRelease(values.from, folder);
  const { version } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as { version: string };
  const data = join(folder, 'data');
  const token = await use(data, earlier?.bin ?? join(own, 'bin/sextant.js'));
  const name = earlier ? `before-${version}-${earlier.commit}` : version;
  const file = fileURLToPath(new URL(`../server/data-of-releases/${name}.sql`, import.meta.url));
  writeFileSync(file, `-- The token of alice: ${token}\n${dump(join(data, 'sextant.db'))}`);
  process.stdout.write(`${file}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Makes people and tokens, and calls tools. Answers a token. */
async function use(data: string, bin: string): Promise<string> {
  const shop = new RepositoryBuilder({ folder: join(folder, 'git/shop.git'), isBare: true });
  shop.commit({ files: { 'a.ts': 'export const answer = 42;\n' } });
  const where = ['--repos', join(folder, 'git'), '--data', data];
  const server = await startSextant(where, { bin });
  try {
    const command = (...args: string[]): string =>
      execFileSync(process.execPath, [bin, ...args, '--data', data], { cwd: folder, encoding: 'utf8' });
    command('user', 'add', 'alice');
    command('user', 'add', 'bob');
    const token = /sxt_[0-9a-f]{40}/.exec(command('token', 'create', '--user', 'alice'))?.[0] ?? '';
    for (const message of [
      call('list_repos', { query: '' }),
      call('read_file', { repo: 'shop', path: 'a.ts' }),
      call('keyword_search', { query: 'answer' }),
    ])
      await (await post(server.url, message, { token })).text();
    return token;
  } finally {
    await server.stop();
  }
}

/** Tables, rows, then the rest. */
function dump(file: string): string {
  const db = new DatabaseSync(file);
  const all = (sql: string): Record<string, string>[] => db.prepare(sql).all() as Record<string, string>[];
  const made = all(`select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite_%'`);
  const tables = made.filter(({ type }) => type === 'table');
  const rows = tables.flatMap(({ name = '' }) => {
    const columns = all(`select name from pragma_table_info('${name}')`).map((column) => `"${column['name']}"`);
    const values = columns.map((column) => `quote(${column})`).join(` || ', ' || `);
    return all(`select ${values} as row from "${name}"`).map(({ row }) => `insert into "${name}" values (${row})`);
  });
  const others = made.filter(({ type }) => type !== 'table');
  const sqlOf = (each: Record<string, string>): string => (each['sql'] ?? '').replaceAll(/\s+/g, ' ');
  db.close();
  return [...tables.map(sqlOf), ...rows, ...others.map(sqlOf)].map((statement) => `${statement};\n`).join('');
}
