// What checking a token costs at 100,000 stored tokens, beside a whole call that shows none. `npm run bench:tokens`.
// Processor time, not the clock: it says the same on a busy machine. With `-- --database postgres`: what a call costs
// on PostgreSQL beside SQLite, and whether 1,000 revocations hold for the next call on each of three hosts.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { Database } from '@sextant/contracts';
import { ServerSettings, builtInEndpoints, definePlugin } from '@sextant/core';
import type { Plugin } from '@sextant/core';
import { startPlugins } from '@sextant/core/testing';
import accessTokenPlugin from '../../plugins/auth/access-token/src/index.ts';
import { hashOf, newSecret } from '../../plugins/auth/access-token/src/secret.ts';
import { migrations } from '../../plugins/auth/access-token/src/tables.ts';
import type { AccessTokenTables } from '../../plugins/auth/access-token/src/tables.ts';
import { hashOf as artifactHashOf } from '../../plugins/auth/oauth/src/tokens/artifact-keys.ts';
import oauthPlugin from '../../plugins/auth/oauth/src/index.ts';
import { migrations as oauthMigrations } from '../../plugins/auth/oauth/src/tables.ts';
import type { OAuthTables } from '../../plugins/auth/oauth/src/tables.ts';
import directory from '../../plugins/services/directory/src/index.ts';
import sessions from '../../plugins/services/sessions/src/index.ts';
import sqlite from '../../plugins/services/sqlite/src/index.ts';
import { startSextant } from '../support/processes.ts';
import { measureDatabases } from './tokens/databases.ts';

const stored = 100_000;
const checks = 20_000;
const rounds = 5;
const calls = 5000;
const aim = 50;
const rowsAtOnce = 50;
const path = builtInEndpoints.default;
const grantId = 'grant';

const settings = definePlugin({
  name: 'bench-settings',
  provides: { settings: ServerSettings },
  start: async () => ({
    settings: {
      value: { isMcpEnabled: true, isClientRegistrationEnabled: true, endpoints: Object.values(builtInEndpoints) },
    },
  }),
});

const folder = await mkdtemp(join(tmpdir(), 'sextant-bench-'));
try {
  if (process.argv.includes('--database')) process.stdout.write(`${(await measureDatabases(folder)).join('\n')}\n`);
  else await run();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const whole = await costOfCall();
  await using started = await startPlugins(folder, [
    [sqlite],
    [directory],
    [settings],
    [sessions],
    [accessTokenPlugin],
    [oauthPlugin, { oauthClients: [{ clientId: 'bench', name: 'Bench' }] }],
  ]);
  const { database } = started.services.resolve({ database: Database });
  const checkWith = (plugin: Plugin) => async (secret: string) => {
    const headers = new Headers({ authorization: `Bearer ${secret}` });
    for (const authenticator of plugin.authenticators)
      if (await authenticator.authenticate({ headers, path }, started.services.resolve(authenticator.needs))) return;
    throw new Error('a token is not let in');
  };
  const lines = ['| what | processor time | of a call without a token | aim |', '|---|---|---|---|'];
  const measure = async (what: string, secrets: readonly string[], check: (secret: string) => Promise<void>) => {
    for (const [how, different] of [
      ['not asked for before', stored],
      ['asked for again', 1000],
    ] as const) {
      const cost = await costOf((index) => check(secrets[index % different] ?? ''));
      const share = `${((100 * cost) / whole).toFixed(0)} % of ${whole.toFixed(0)} µs`;
      lines.push(`| ${what}, ${how} | ${cost.toFixed(0)} µs | ${share} | < ${aim} µs |`);
    }
  };
  await measure('access token', await storeAccessTokens(database), checkWith(accessTokenPlugin));
  await measure('OAuth token', await storeOAuthTokens(database), checkWith(oauthPlugin));
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** What a call costs the server that shows no token: it is told how to get one. */
async function costOfCall(): Promise<number> {
  const server = await startSextant(['--repos', folder, '--data', join(folder, 'data')]);
  const call = async (): Promise<void> => {
    const response = await fetch(server.url + path, { method: 'POST', body: '{}' });
    await response.arrayBuffer();
    if (response.status !== 401) throw new Error(`answered ${response.status}`);
  };
  const ticks = (): number => {
    const fields = readFileSync(`/proc/${server.process.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  };
  try {
    for (let index = 0; index < calls; index += 1) await call();
    const before = ticks();
    for (let index = 0; index < calls; index += 1) await call();
    // A tick is 10 ms on every Linux.
    return ((ticks() - before) * 10_000) / calls;
  } finally {
    await server.stop();
  }
}

/** Microseconds; the median of the rounds. */
async function costOf(check: (index: number) => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    for (let index = 0; index < checks; index += 1) await check(round * checks + index);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / checks);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
}

async function storeAccessTokens(database: Database): Promise<string[]> {
  const db = await database.open<AccessTokenTables>({ name: 'access_token', migrations });
  const secrets = Array.from({ length: stored }, newSecret);
  const fixed = { user_id: 1, name: '', scopes: '["mcp"]', created_at: 1, expires_at: null, last_used_at: null };
  await db.transaction().execute(async (transaction) => {
    for (let from = 0; from < stored; from += rowsAtOnce)
      await transaction
        .insertInto('access_token')
        .values(secrets.slice(from, from + rowsAtOnce).map((secret) => ({ ...fixed, hash: hashOf(secret) })))
        .execute();
  });
  return secrets;
}

async function storeOAuthTokens(database: Database): Promise<string[]> {
  const db = await database.open<OAuthTables>({ name: 'oauth', migrations: oauthMigrations });
  const secrets = Array.from({ length: stored }, () => randomBytes(32).toString('base64url'));
  const payload = JSON.stringify({ accountId: '1', grantId, aud: `http://localhost${path}`, scope: 'mcp' });
  const fixed = {
    user_code: null,
    account_id: '1',
    client_id: 'bench',
    expires_at: Date.now() + 3_600_000,
    consumed_at: null,
  };
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('oauth_artifact')
      .values({ ...fixed, model: 'Grant', id: grantId, payload: '{}', grant_id: null })
      .execute();
    for (let from = 0; from < stored; from += rowsAtOnce)
      await transaction
        .insertInto('oauth_artifact')
        .values(
          secrets.slice(from, from + rowsAtOnce).map((secret) => ({
            ...fixed,
            model: 'AccessToken',
            id: artifactHashOf(secret),
            payload,
            grant_id: grantId,
          })),
        )
        .execute();
  });
  return secrets;
}
