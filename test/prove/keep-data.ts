// Keeps the data folder of a release for the test that every later one reads it: `npm run keep:data [-- --from REF]`. Starts the program
// of that commit (otherwise this one), uses it so that every table has a row, and writes the database as SQL into test/server/data-of-releases.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import { RepositoryBuilder } from '@sextant/contracts/testing';
import { freePort } from '@sextant/service-postgres/testing';
import { AgentProvider } from '../../plugins/auth/oauth/src/testing/agent-provider.ts';
import { startUpstream, upstreamClient, visitUpstream } from '../../plugins/auth/oidc/src/testing/upstream.ts';
import { company } from '../../plugins/sources/gitlab/src/testing/company.ts';
import { gitLabAPI, token as gitLabToken } from '../../plugins/sources/gitlab/src/testing/gitlab.ts';
import { call, post } from '../support/rpc.ts';
import { startSextant } from '../support/processes.ts';
import { earlierRelease } from './support/earlier-release.ts';
import { Person } from './support/person.ts';

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

/** Leaves at least one row of each kind in the database, as people and programs would. Answers a token of alice. */
async function use(data: string, bin: string): Promise<string> {
  const shop = new RepositoryBuilder({ folder: join(folder, 'git/shop.git'), isBare: true });
  shop.commit({ files: { 'a.ts': 'export const answer = 42;\n' } });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { listener } = gitLabAPI(company());
  await using forge = await startUpstream(`${url}/sign-in/oidc/callback`, listener);
  forge.people.set('4', { preferred_username: 'carol', email: 'carol@example.com', email_verified: true });
  const config = join(folder, 'sextant.config.json');
  const settings = {
    repositories: [{ path: join(folder, 'git') }],
    externalURL: url,
    logLevel: 'warn',
    users: [{ name: 'dora', email: 'dora@example.com' }],
    sources: [{ type: 'gitlab', name: 'forge', url: forge.issuer, token: gitLabToken, permissions: 'sync' }],
    credits: [{ name: 'year', allocation: 1000, startDate: '2026-01-01', endDate: '2099-12-31' }],
    plugins: { 'auth-oidc': { issuer: forge.issuer, ...upstreamClient } },
  };
  writeFileSync(config, JSON.stringify(settings));
  const where = ['--config', config, '--data', data];
  const command = (input: string, ...args: string[]): string =>
    execFileSync(process.execPath, [bin, ...args, ...where], { cwd: folder, encoding: 'utf8', input });
  const server = await startSextant([...where, '--port', String(port)], { bin });
  try {
    command('', 'user', 'add', 'alice', '--site-admin');
    command('', 'user', 'add', 'bob');
    command('a long password of bob\na long password of bob\n', 'user', 'password', 'bob');
    const token = /sxt_[0-9a-f]{40}/.exec(command('', 'token', 'create', '--user', 'alice'))?.[0] ?? '';
    const ask = async (name: string, args: object): Promise<void> => {
      const answer = await post(url, call(name, args), { path: '/.api/mcp/all', token });
      const text = await answer.text();
      if (answer.status !== 200 || text.includes('"isError":true')) throw new Error(`${name} answers ${text}`);
    };
    await ask('list_repos', { query: '' });
    await ask('read_file', { repo: 'shop', path: 'a.ts' });
    await ask('keyword_search', { query: 'answer' });
    await ask('evaluator', { script: `return files.write('answer.md', '42')` });
    const alice = new Person(url);
    const linkOf = (name: string): string => /http\S+/.exec(command('', 'user', 'link', name))?.[0] ?? '';
    await alice.send(linkOf('alice'), {});
    // Nobody uses it.
    linkOf('bob');
    await alice.send('/site-admin/roles', { name: 'reader', permissions: 'MCP#ACCESS' }, '/site-admin/roles/save');
    const question = await alice.send('/deepsearch', { question: 'In shop: what is the answer?' }, '/deepsearch');
    await alice.send(question.url, { shared: '1' }, `${question.url.pathname}/share`);
    await connect(url, alice);
    const carol = new Person(url);
    const away = await carol.open('/sign-in/oidc');
    await carol.open(await visitUpstream(away.url.href, '4'));
    await carol.open('/');
    // Usage is sent to an instance that shows it too: here to itself, under another name.
    const [sending] =
      /sxt_[0-9a-f]{40}/.exec(command('', 'token', 'create', '--user', 'alice', '--scope', 'analytics')) ?? [];
    const other = 'https://eu.example.com';
    await using relay = await startRelay(`${url}/api/ingest?${new URLSearchParams({ instanceURL: other })}`);
    const usage = {
      receiveFrom: [{ instance: other, users: ['alice'] }],
      pushTo: { url: relay.url, token: sending, intervalSeconds: 1 },
    };
    writeFileSync(config, JSON.stringify({ ...settings, plugins: { ...settings.plugins, 'service-usage': usage } }));
    await untilThere(join(data, 'sextant.db'), 'usage_push');
    return token;
  } finally {
    await server.stop();
  }
}

/** A client that alice lets in: it registers, and has a code exchanged for tokens. */
async function connect(url: string, alice: Person): Promise<void> {
  const provider = new AgentProvider();
  const options = { serverUrl: `${url}/.api/mcp` };
  await auth(provider, options);
  const { url: back } = await alice.send(provider.sentTo ?? '', { decision: 'allow' });
  await auth(provider, { ...options, authorizationCode: back.searchParams.get('code') ?? '' });
}

/** Passes what it is sent on to an address. */
async function startRelay(address: string): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer(async (request, response) => {
    const { headers } = request;
    const body = await text(request);
    const answer = await fetch(address, {
      method: 'POST',
      headers: { authorization: headers.authorization ?? '', 'content-type': headers['content-type'] ?? '' },
      body,
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(await answer.text());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

async function untilThere(file: string, table: string): Promise<void> {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const until = Date.now() + 120_000;
    while (db.prepare(`select 1 from ${table}`).get() === undefined) {
      if (Date.now() > until) throw new Error(`${table} stays empty`);
      await setTimeout(500);
    }
  } finally {
    db.close();
  }
}

/** What a server in order has summed up, and leaves empty. */
const mayBeEmpty = 'usage_unsummed';

/** Tables, rows, then the rest. Throws for a table without rows: `use` lacks what fills it. */
function dump(file: string): string {
  const db = new DatabaseSync(file);
  const all = (sql: string): Record<string, string>[] => db.prepare(sql).all() as Record<string, string>[];
  const made = all(`select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite_%'`);
  const tables = made.filter(({ type }) => type === 'table');
  const rows = tables.flatMap(({ name = '' }) => {
    const columns = all(`select name from pragma_table_info('${name}')`).map((column) => `"${column['name']}"`);
    const values = columns.map((column) => `quote(${column})`).join(` || ', ' || `);
    const found = all(`select ${values} as row from "${name}"`);
    if (found.length === 0 && name !== mayBeEmpty) throw new Error(`${name} has no row: nothing here fills it`);
    return found.map(({ row }) => `insert into "${name}" values (${row})`);
  });
  const others = made.filter(({ type }) => type !== 'table');
  const sqlOf = (each: Record<string, string>): string => (each['sql'] ?? '').replaceAll(/\s+/g, ' ');
  db.close();
  return [...tables.map(sqlOf), ...rows, ...others.map(sqlOf)].map((statement) => `${statement};\n`).join('');
}
