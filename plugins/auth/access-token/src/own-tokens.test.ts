import { AccessTokens, Audit } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { describe, expect, it } from 'vitest';
import { startAccessTokens } from './testing/start-access-tokens.ts';

const admin = callerOf('admin', { id: 1 });
const alice = callerOf('alice', { id: 2 });

describe('one’s own tokens', () => {
  it('are created, listed without their secret and revoked by their owner only', async () => {
    using folder = temporaryFolder();
    await using started = await startAccessTokens(folder.path);
    const { own } = started.services.resolve({ own: AccessTokens });
    const { secret, id } = await own.create(alice, { name: 'laptop', scopes: ['mcp', 'mcp'], expires: '90d' });
    const bearer = { authorization: `Bearer ${secret}` };
    expect(await started.authenticate(bearer)).toMatchObject({ user: { name: 'alice' }, scopes: new Set(['mcp']) });
    const [listed, ...others] = await own.list(alice);
    expect([listed, others]).toEqual([
      { id, name: 'laptop', scopes: ['mcp'], created: expect.any(String), expires: expect.any(String) },
      [],
    ]);
    expect(await own.list(admin)).toEqual([]);
    await expect(own.revoke(admin, id)).rejects.toMatchObject({
      code: 'not_found',
      message: `you have no token ${id}`,
    });
    await own.revoke(alice, id);
    expect(await started.authenticate(bearer)).toBeUndefined();
  });

  it('are seen and ended by site administrators, too, and by nobody else', async () => {
    using folder = temporaryFolder();
    await using started = await startAccessTokens(folder.path);
    const { own } = started.services.resolve({ own: AccessTokens });
    const { id } = await own.create(alice, { name: 'laptop', scopes: ['mcp'] });
    const root = callerOf('root', { id: 1, isSiteAdmin: true });
    expect(await own.list(root, 2)).toMatchObject([{ id, name: 'laptop' }]);
    expect(await own.listAll(root)).toMatchObject([{ id, userId: 2, name: 'laptop' }]);
    for (const attempt of [() => own.list(admin, 2), () => own.listAll(admin), () => own.revoke(admin, id, 2)])
      await expect(attempt()).rejects.toMatchObject({ code: 'forbidden' });
    await expect(own.revoke(root, id)).rejects.toMatchObject({ code: 'not_found' });
    await own.revoke(root, id, 2);
    expect(await own.list(alice)).toEqual([]);
  });

  it('cannot be made by a token that is for less, nor be more than 100', async () => {
    using folder = temporaryFolder();
    await using started = await startAccessTokens(folder.path);
    const { own } = started.services.resolve({ own: AccessTokens });
    const agent = callerOf('alice', { id: 2, scopes: ['mcp'] });
    for (const attempt of [
      () => own.create(agent, { name: '', scopes: ['all'] }),
      () => own.list(agent),
      () => own.listAll(agent),
      () => own.revoke(agent, 1),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'insufficient_scope' });
    for (let n = 0; n < 100; n += 1) await own.create(alice, { name: '', scopes: ['mcp'] });
    await expect(own.create(alice, { name: '', scopes: ['mcp'] })).rejects.toMatchObject({ code: 'conflict' });
  });

  it.each([
    [{ name: 'x'.repeat(101), scopes: ['all'] as const }],
    [{ name: 'a\u001Bb', scopes: ['all'] as const }],
    [{ name: '', scopes: [] }],
    [{ name: '', scopes: ['all'] as const, expires: 'never' }],
    [{ name: '', scopes: ['all'] as const, expires: '2020-01-01' }],
  ])('are refused for a wrong %o', async (request) => {
    using folder = temporaryFolder();
    await using started = await startAccessTokens(folder.path);
    const { own } = started.services.resolve({ own: AccessTokens });
    await expect(own.create(alice, request)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('are recorded when they come and go, without their secret', async () => {
    using folder = temporaryFolder();
    await using started = await startAccessTokens(folder.path);
    const { own, audit } = started.services.resolve({ own: AccessTokens, audit: Audit });
    const { id, secret } = await own.create(alice, { name: 'laptop', scopes: ['mcp'] });
    await own.revoke(alice, id);
    const { events } = await audit.list({ limit: 9 });
    expect(events).toMatchObject([
      { action: 'token.revoked', actor: { name: 'alice' }, target: `token ${id}`, detail: 'laptop (mcp)' },
      { action: 'token.created', actor: { name: 'alice' }, target: `token ${id}`, detail: 'laptop (mcp)' },
    ]);
    expect(JSON.stringify(events)).not.toContain(secret.slice(4));
  });
});

describe('what an operator does with tokens and users', () => {
  it('is recorded too', async () => {
    using folder = temporaryFolder();
    await using started = await startAccessTokens(folder.path);
    await started.directory.add({ name: 'bob' });
    await started.run('token create', { user: 'bob', scope: ['mcp'] });
    await started.run('token revoke', { id: 1 });
    await started.directory.setDisabled('bob', true);
    await started.directory.setDisabled('bob', false);
    const { audit } = started.services.resolve({ audit: Audit });
    const events = (await audit.list({ limit: 9 })).events.map(({ action, target }) => `${action} ${target}`);
    expect(events.toReversed()).toEqual([
      'user.added bob',
      'token.created token 1',
      'token.revoked token 1',
      'user.disabled bob',
      'user.enabled bob',
    ]);
  });
});
