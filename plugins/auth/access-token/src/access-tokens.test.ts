import { Database } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { contentsOf, isOnPostgres } from '@sextant/service-postgres/testing';
import { hasScope } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { CompiledQuery } from 'kysely';
import type { RootOperationNode } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { migrations } from './tables.ts';
import type { AccessTokenTables } from './tables.ts';
import { startAccessTokens } from './testing/start-access-tokens.ts';
import type { StartedAccessTokens } from './testing/start-access-tokens.ts';
import { TokenStore } from './token-store.ts';

const create = ({ run }: StartedAccessTokens, input: object = {}): Promise<string> =>
  run('token create', { user: 'alice', ...input });
const show = ({ authenticate }: StartedAccessTokens, token: string, scheme = 'Bearer'): Promise<Caller | undefined> =>
  authenticate({ authorization: `${scheme} ${token}` });

/** Stops the clock at a moment that the test moves. */
function stopClock(): (time: string) => void {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  return (time) => void vi.setSystemTime(time);
}

describe('an access token', () => {
  it('is sxt_ and 40 hex digits, and stands for its user under both schemes, in any case', async () => {
    using folder = temporaryFolder();
    await using started = await startAccessTokens(folder.path);
    const token = await create(started);
    expect(token).toMatch(/^sxt_[0-9a-f]{40}$/);
    for (const scheme of ['Bearer', 'token', 'bearer', 'TOKEN', 'Token '])
      expect(await show(started, token, scheme)).toMatchObject({
        user: { name: 'alice', id: 2 },
        credential: 'access-token:1',
      });
    expect(await create(started)).not.toBe(token);
  });

  it('is stored as a hash only: a thief of the database has no usable credential', async () => {
    using folder = temporaryFolder();
    await using started = await startAccessTokens(folder.path);
    const token = await create(started);
    const files = await contentsOf(folder.path);
    const holds = (what: string | Buffer): boolean => files.some((file) => file.includes(what));
    expect(holds('first start') || holds('access_token')).toBe(true);
    expect([token, token.slice(4), token.slice(4, 16), Buffer.from(token.slice(4), 'hex')].map(holds)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it('is nothing when it is malformed, unknown or shown otherwise', async () => {
    using folder = temporaryFolder();
    await using started = await startAccessTokens(folder.path);
    const token = await create(started);
    const shown = [
      '',
      'Bearer',
      `Bearer${token}`,
      token,
      `Basic ${token}`,
      `Bearer ${token}0`,
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token} x`,
    ];
    for (const authorization of [
      ...shown,
      `Bearer ${token.toUpperCase()}`,
      `Bearer sxt_${'0'.repeat(40)}`,
      `Bearer ${token}, Bearer ${token}`,
    ])
      expect([authorization, await started.authenticate({ authorization })]).toEqual([authorization, undefined]);
    expect(await started.authenticate({})).toBeUndefined();
  });

  it('has the scopes that it was created with; all includes the others', async () => {
    using folder = temporaryFolder();
    await using started = await startAccessTokens(folder.path);
    const scopesOf = async (scope?: string[]): Promise<boolean[]> => {
      const caller = await show(started, await create(started, scope && { scope }));
      return caller ? [hasScope(caller, 'mcp'), hasScope(caller, 'analytics'), hasScope(caller, 'all')] : [];
    };
    expect(await scopesOf()).toEqual([true, true, true]);
    expect(await scopesOf(['mcp'])).toEqual([true, false, false]);
    expect(await scopesOf(['analytics', 'mcp', 'mcp'])).toEqual([true, true, false]);
    await expect(create(started, { scope: ['everything'] })).rejects.toThrow('expected one of');
  });

  it('expires at its time, although it was used just before', async () => {
    const setClock = stopClock();
    using folder = temporaryFolder();
    setClock('2026-11-21T12:00:00Z');
    await using started = await startAccessTokens(folder.path);
    const token = await create(started, { expires: '12h' });
    setClock('2026-11-21T23:59:59.999Z');
    expect(await show(started, token)).toBeDefined();
    setClock('2026-11-22T00:00:00Z');
    expect(await show(started, token)).toBeUndefined();
  });

  it('that has expired, or was issued in the future, is good for nothing when the clock goes back; one that does not expire goes on', async () => {
    const setClock = stopClock();
    using folder = temporaryFolder();
    setClock('2026-11-21T12:00:00Z');
    await using started = await startAccessTokens(folder.path);
    const [token, forever] = [await create(started, { expires: '12h' }), await create(started)];
    const shown = async (): Promise<boolean[]> =>
      Promise.all([token, forever].map(async (each) => Boolean(await show(started, each))));
    setClock('2025-11-21T12:00:00Z');
    expect(await shown()).toEqual([false, true]);
    setClock('2026-11-21T13:00:00Z');
    expect(await shown()).toEqual([true, true]);
    setClock('2026-11-22T12:00:00Z');
    expect(await shown()).toEqual([false, true]);
    setClock('2026-11-21T13:00:00Z');
    expect(await shown()).toEqual([false, true]);
    await using beside = await startAccessTokens(folder.path);
    expect(await show(beside, token)).toBeUndefined();
  });

  it('is revoked at once, also by another process', async () => {
    using folder = temporaryFolder();
    await using server = await startAccessTokens(folder.path);
    await using terminal = await startAccessTokens(folder.path);
    const tokens = [await create(server), await create(terminal)];
    for (const token of tokens) expect(await show(server, token)).toBeDefined();
    expect(await terminal.run('token revoke', { id: 1 })).toBe('token 1 no longer works');
    expect(await Promise.all(tokens.map((token) => show(server, token).then(Boolean)))).toEqual([false, true]);
    await server.run('token revoke', { id: 2 });
    expect(await show(server, tokens[1] ?? '')).toBeUndefined();
    await expect(server.run('token revoke', { id: 2 })).rejects.toThrow(
      'there is no token 2; token list shows those there are',
    );
  });

  it('dies with its user at once, also by another process, and lives again', async () => {
    using folder = temporaryFolder();
    await using server = await startAccessTokens(folder.path);
    await using terminal = await startAccessTokens(folder.path);
    await terminal.directory.add({ name: 'bob' });
    const token = await create(server, { user: 'bob' });
    expect(await show(server, token)).toMatchObject({ user: { name: 'bob' } });
    await terminal.directory.setDisabled('bob', true);
    expect(await show(server, token)).toBeUndefined();
    await expect(create(server, { user: 'bob' })).rejects.toThrow(
      'bob is disabled; a token would not work. user enable bob comes first',
    );
    await terminal.directory.setDisabled('bob', false);
    expect(await show(server, token)).toBeDefined();
  });
});

describe('the first credential', () => {
  it('is a token of admin on the very first start only, whatever becomes of it', async () => {
    using folder = temporaryFolder();
    {
      await using first = await startAccessTokens(folder.path);
      await create(first);
      const tokens = await Promise.all([first.firstCredential(), first.firstCredential()]);
      expect(tokens.filter(Boolean)).toHaveLength(1);
      expect(await show(first, tokens.find(Boolean) ?? '')).toMatchObject({
        user: { name: 'admin', isSiteAdmin: true },
      });
      await first.run('token revoke', { id: 2 });
      await using beside = await startAccessTokens(folder.path);
      expect(await beside.firstCredential()).toBeUndefined();
    }
    await using later = await startAccessTokens(folder.path);
    expect(await later.firstCredential()).toBeUndefined();
  });
});

describe('the last use', () => {
  // On PostgreSQL the write is not done when the clock that the test moves has moved.
  it.skipIf(isOnPostgres)('is written once a minute', async () => {
    const setClock = stopClock();
    using folder = temporaryFolder();
    await using started = await startAccessTokens(folder.path);
    const token = await create(started);
    setClock('2027-01-01T00:00:00Z');
    await show(started, token);
    vi.advanceTimersByTime(59_999);
    expect((await started.tokens.list())[0]?.lastUsedAt).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect((await started.tokens.list())[0]?.lastUsedAt).toBe(Date.parse('2027-01-01T00:00:00Z'));
  });

  it('is written beside the calls, at the latest when the server stops', async () => {
    const setClock = stopClock();
    using folder = temporaryFolder();
    setClock('2026-11-21T12:00:00Z');
    {
      await using started = await startAccessTokens(folder.path);
      const token = await create(started);
      const { database } = started.services.resolve({ database: Database });
      const version = await database.version();
      setClock('2026-11-21T13:30:00Z');
      for (let call = 0; call < 10; call += 1) await show(started, token);
      expect(await database.version()).toBe(version);
      expect(await started.tokens.list()).toMatchObject([{ id: 1, createdAt: Date.parse('2026-11-21T12:00:00Z') }]);
    }
    await using again = await startAccessTokens(folder.path);
    expect(await again.tokens.list('alice')).toMatchObject([{ lastUsedAt: Date.parse('2026-11-21T13:30:00Z') }]);
  });

  it('of many tokens is written at once, and never turned back by a process that is behind', async () => {
    using folder = temporaryFolder();
    await using started = await startAccessTokens(folder.path);
    const { database } = started.services.resolve({ database: Database });
    const store = new TokenStore(await database.open<AccessTokenTables>({ name: 'access_token', migrations }));
    const ids: number[] = [];
    for (let n = 0; n < 1001; n += 1) ids.push((await store.create({ userId: 1, name: '', scopes: ['all'] })).id);
    await store.noteUses(new Map(ids.map((id) => [id, 1000 + id])));
    await store.noteUses(new Map(ids.map((id) => [id, id % 2 === 0 ? 1 : 9000])));
    const last = (await store.list()).map(({ id, lastUsedAt }) => [id, lastUsedAt]);
    expect(last).toEqual(ids.map((id) => [id, id % 2 === 0 ? 1000 + id : 9000]));
  });
});

describe('the commands', () => {
  it('list tokens without what they are', async () => {
    const setClock = stopClock();
    using folder = temporaryFolder();
    setClock('2026-11-21T12:00:00Z');
    await using started = await startAccessTokens(folder.path);
    await create(started, { user: 'admin', name: 'laptop', scope: ['mcp', 'analytics'], expires: '2027-01-31' });
    await create(started);
    const heading = 'ID  USER   NAME    SCOPES         CREATED           EXPIRES           LAST USED';
    expect(await started.run('token list', {})).toBe(
      [
        heading,
        '1   admin  laptop  mcp analytics  2026-11-21 12:00  2027-01-31 23:59  never',
        '2   alice          all            2026-11-21 12:00  never             never',
      ].join('\n'),
    );
    expect((await started.run('token list', { user: 'ALICE' })).split('\n')).toHaveLength(2);
  });

  it('name the nearest user and refuse what is no expiry or a bad label', async () => {
    using folder = temporaryFolder();
    await using started = await startAccessTokens(folder.path);
    const unknown = {
      code: 'not_found',
      message: 'there is no user "alcie". Did you mean "alice"? user list shows all',
    };
    await expect(create(started, { user: 'alcie' })).rejects.toMatchObject(unknown);
    await expect(started.run('token list', { user: 'alcie' })).rejects.toMatchObject(unknown);
    await expect(create(started, { expires: 'never' })).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(create(started, { name: 'a\u001B[2Jb' })).rejects.toThrow('must not contain control characters');
  });
});

describe('the search for a token', () => {
  // SQLite says how it searches in words of its own.
  it.skipIf(isOnPostgres)('uses an index, however many there are', async () => {
    using folder = temporaryFolder();
    await using started = await startAccessTokens(folder.path);
    const db = await started.services
      .resolve({ database: Database })
      .database.open<AccessTokenTables>({ name: 'access_token', migrations });
    const asked: RootOperationNode[] = [];
    const watched = db.withPlugin({
      transformQuery: ({ node }) => {
        asked.push(node);
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    await new TokenStore(watched).findByHash('0');
    const plans = asked.map(async (node) => {
      const { sql, parameters } = db.getExecutor().compileQuery(node, { queryId: 'test' });
      return (
        await db.executeQuery<{ detail: string }>(CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]))
      ).rows;
    });
    expect((await Promise.all(plans)).flat().map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^SEARCH access_token USING INDEX .*\(hash=\?\)$/),
    ]);
  });
});
