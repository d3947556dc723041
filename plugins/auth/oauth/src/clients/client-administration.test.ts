import { OAuthClients } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { describe, expect, it } from 'vitest';
import { Browser } from '../testing/browser.ts';
import { begin, clientId, connect, consent, exchange, post } from '../testing/client.ts';
import { startOAuth } from '../testing/start-oauth.ts';
import type { StartedOAuth } from '../testing/start-oauth.ts';

const root = { caller: callerOf('root', { id: 9, isSiteAdmin: true }), remoteAddress: '192.0.2.7' };
const redirectUris = ['http://127.0.0.1/callback'];
const desk = { clientId: 'desk', name: 'Desk', redirectUris, isConfidential: false };
const fromConfig = { clientId: 'kept', name: 'Kept', redirectUris };

async function withClients(work: (clients: OAuthClients, server: StartedOAuth) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  await using server = await startOAuth(folder.path, { oauthClients: [fromConfig] });
  await work(server.services.resolve({ clients: OAuthClients }).clients, server);
}

const everything = { isRegistered: false, offset: 0, limit: 100 };

describe('an operator', () => {
  it('names a client that connects at once, and what was done is recorded with who did it and from where', () =>
    withClients(async (clients, server) => {
      expect(await clients.create(root, desk)).toEqual({
        ...desk,
        managedBy: 'operator',
        created: expect.any(String),
      });
      const { access } = await connect(server, { id: 'desk' });
      expect(await server.show(access)).toBeDefined();
      expect(await clients.find(root, 'desk')).toMatchObject({ lastUsed: expect.any(String) });
      expect(server.events[0]).toEqual({
        action: 'client.created',
        outcome: 'success',
        client: 'desk',
        detail: 'Desk http://127.0.0.1/callback',
        actor: { id: 9, name: 'root' },
        address: '192.0.2.7',
      });
    }));

  it('gets the secret of a confidential client once, and it is needed', () =>
    withClients(async (clients, server) => {
      const { clientId: id, secret = '' } = await clients.create(root, {
        name: 'Vault',
        redirectUris,
        isConfidential: true,
      });
      expect(secret).toMatch(/^[\w-]{43}$/);
      expect(JSON.stringify(await clients.list(root, everything))).not.toContain(secret);
      const flow = begin(id);
      const code = (await consent(server, flow)).url.searchParams.get('code') ?? '';
      const ask = (shown: string) => {
        const basic = Buffer.from(`${id}:${shown}`).toString('base64');
        return post(server, 'token', exchange(flow, code, { client_id: '' }), `Basic ${basic}`);
      };
      expect((await ask('another')).body['error']).toBe('invalid_client');
      expect((await ask(secret)).body).toHaveProperty('access_token');
      // Other redirect URIs do not change the secret.
      await clients.setRedirectUris(root, { clientId: id, redirectUris });
      expect((await ask('another')).body['error']).toBe('invalid_client');
      expect((await ask(secret)).body['error']).toBe('invalid_grant');
    }));

  it('says where codes may be sent, from the next request on', () =>
    withClients(async (clients, server) => {
      await clients.create(root, desk);
      const ask = async (uri: string): Promise<number> => {
        const browser = new Browser(server);
        await browser.signIn('alice');
        return (await browser.open(begin('desk', { redirect_uri: uri }).url)).response.status;
      };
      expect([await ask('https://desk.example/cb'), await ask('http://127.0.0.1:4711/callback')]).toEqual([400, 200]);
      await clients.setRedirectUris(root, { clientId: 'desk', redirectUris: ['https://desk.example/cb'] });
      expect([await ask('https://desk.example/cb'), await ask('http://127.0.0.1:4711/callback')]).toEqual([200, 400]);
      expect(server.events).toContainEqual(
        expect.objectContaining({ action: 'client.changed', detail: 'Desk https://desk.example/cb' }),
      );
    }));

  it('removes a client, and with it all that it was granted', () =>
    withClients(async (clients, server) => {
      await clients.create(root, desk);
      const tokens = [await connect(server, { id: 'desk' }), await connect(server)];
      for (const { id, access } of tokens) {
        await clients.remove(root, id);
        expect(await server.show(access)).toBeUndefined();
        await expect(clients.remove(root, id)).rejects.toMatchObject({ code: 'not_found' });
      }
      expect(server.events.at(-1)).toMatchObject({ action: 'client.removed', actor: { name: 'root' } });
    }));

  it('sees those of the configuration, which are changed there, and those that registered themselves, which are not', () =>
    withClients(async (clients, server) => {
      await clients.create(root, desk);
      const registered = [await clientId(server), await clientId(server)];
      const named = await clients.list(root, everything);
      expect([named.total, named.clients.map((each) => `${each.clientId} ${each.managedBy}`)]).toEqual([
        2,
        ['kept config', 'desk operator'],
      ]);
      expect((await clients.list(root, { ...everything, offset: 1, limit: 1 })).clients).toMatchObject([
        { clientId: 'desk' },
      ]);
      const own = await clients.list(root, { isRegistered: true, offset: 0, limit: 1 });
      expect([own.total, own.clients.length, registered.includes(own.clients[0]?.clientId ?? '')]).toEqual([
        2,
        1,
        true,
      ]);
      for (const work of [
        () => clients.remove(root, 'kept'),
        () => clients.setRedirectUris(root, { clientId: 'kept', redirectUris }),
        () => clients.create(root, { ...desk, clientId: 'kept' }),
        () => clients.setRedirectUris(root, { clientId: registered[0] ?? '', redirectUris }),
        () => clients.create(root, desk),
      ])
        await expect(work()).rejects.toMatchObject({ code: 'conflict' });
    }));

  it.each([
    [{ name: '' }, /^name /],
    [{ name: 'a\nb' }, /^name must not contain control characters/],
    [{ clientId: 'has space' }, /^clientId must be/],
    [{ redirectUris: ['https://fine.example/', 'http://desk.example/'] }, /^redirectUris 2 must be https/],
    [{ redirectUris: ['javascript:alert(1)'] }, /^redirectUris 1 must be https/],
    [{ redirectUris: Array<string>(21).fill('https://desk.example/') }, /^redirectUris /],
  ])('is told what is wrong with %j', (change, message) =>
    withClients(async (clients) => {
      const refusal = { code: 'invalid_argument', message: expect.stringMatching(message) };
      await expect(clients.create(root, { ...desk, ...change })).rejects.toMatchObject(refusal);
    }),
  );
});

it.each([
  ['without the permission', callerOf('alice', { scopes: ['all'] }), 'forbidden'],
  ['with a token of another scope', callerOf('root', { isSiteAdmin: true, scopes: ['mcp'] }), 'insufficient_scope'],
])('%s nobody sees or changes anything', (_who, caller, code) =>
  withClients(async (clients, server) => {
    const by = { caller };
    for (const work of [
      () => clients.list(by, everything),
      () => clients.find(by, 'kept'),
      () => clients.create(by, desk),
      () => clients.setRedirectUris(by, { clientId: 'desk', redirectUris }),
      () => clients.remove(by, 'desk'),
    ])
      await expect(work()).rejects.toMatchObject({ code });
    expect(server.events).toEqual([]);
  }),
);
