import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, it } from 'vitest';
import { Browser } from '../testing/browser.ts';
import { begin, clientId, connect, exchange, mcp, post, register } from '../testing/client.ts';
import { startOAuth } from '../testing/start-oauth.ts';
import type { StartedOAuth } from '../testing/start-oauth.ts';

const alice = { id: 2, name: 'alice' };
const address = '192.0.2.1';

async function recorded(count: number, work: (server: StartedOAuth) => Promise<void>) {
  using folder = temporaryFolder();
  await using server = await startOAuth(folder.path);
  await work(server);
  // Names are looked up beside the answers, and may be found after them.
  await expect.poll(() => server.events.length).toBeGreaterThanOrEqual(count);
  return server.events;
}

it('a client that connects: registered, let in, its tokens issued and renewed, then revoked', async () => {
  let client = '';
  const events = await recorded(5, async (server) => {
    const { id, refresh } = await connect(server);
    client = id;
    const renew = { grant_type: 'refresh_token', client_id: id, refresh_token: refresh };
    const { body } = await post(server, 'token', renew);
    await post(server, 'revoke', { client_id: id, token: String(body['access_token']) });
  });
  expect(events).toEqual([
    { action: 'client.registered', outcome: 'success', detail: 'Agent', client, address },
    { action: 'authorization.granted', outcome: 'success', detail: 'Agent', target: mcp, client, address },
    { action: 'token.issued', outcome: 'success', detail: 'authorization_code', actor: alice, client, address },
    { action: 'token.issued', outcome: 'success', detail: 'refresh_token', actor: alice, client, address },
    { action: 'token.revoked', outcome: 'success', detail: 'by its client', actor: alice, client, address },
  ]);
});

it('a refresh token that is used twice: whose it was, and that everything of its grant ended', async () => {
  let client = '';
  const events = await recorded(6, async (server) => {
    const { id, refresh } = await connect(server);
    client = id;
    const renew = { grant_type: 'refresh_token', client_id: id, refresh_token: refresh };
    for (let time = 0; time < 2; time += 1) await post(server, 'token', renew);
  });
  const of = { actor: alice, client, address };
  expect(events.slice(-2)).toEqual([
    { action: 'authorization.revoked', outcome: 'success', detail: 'a code or refresh token was used twice', ...of },
    {
      action: 'token.refused',
      outcome: 'failure',
      detail: expect.stringMatching(/^refresh_token: invalid_grant: /),
      ...of,
    },
  ]);
});

it('refused requests: for a code, for tokens, to revoke and to introspect, with the client that they name', async () => {
  let client = '';
  const events = await recorded(5, async (server) => {
    client = await clientId(server);
    await new Browser(server).open(begin(client, { redirect_uri: 'https://evil.example/' }).url);
    await post(server, 'token', exchange(begin(client), 'x'.repeat(43)));
    await post(server, 'revoke', { client_id: 'nobody', token: 'x' });
    await post(server, 'introspect', { client_id: 'nobody', token: 'x' });
  });
  const failure = { outcome: 'failure', address };
  expect(events.slice(1)).toEqual([
    { ...failure, action: 'authorization.refused', client, detail: expect.stringMatching(/^invalid_redirect_uri: /) },
    {
      ...failure,
      action: 'token.refused',
      client,
      detail: expect.stringMatching(/^authorization_code: invalid_grant/),
    },
    { ...failure, action: 'token.refused', client: 'nobody', detail: expect.stringMatching(/^invalid_client/) },
    { ...failure, action: 'token.refused', client: 'nobody', detail: expect.stringMatching(/^invalid_client/) },
  ]);
});

it('a registration that is refused, also for there being too many', async () => {
  const events = await recorded(61, async (server) => {
    await register(server, { redirect_uris: ['http://evil.example/'] });
    for (let count = 1; count < 60; count += 1) await register(server);
    await expect(register(server)).rejects.toMatchObject({ code: 'exhausted' });
  });
  expect([events[0], events.at(-1)]).toMatchObject([
    {
      action: 'client.registered',
      outcome: 'failure',
      address,
      detail: expect.stringMatching(/^invalid_redirect_uri/),
    },
    { action: 'client.registered', outcome: 'failure', address, detail: expect.stringContaining('within an hour') },
  ]);
});

it('nothing that could be used: no code, token or secret', async () => {
  const events = await recorded(5, async (server) => {
    const { code, access, refresh, id } = await connect(server);
    await post(server, 'token', { grant_type: 'refresh_token', client_id: id, refresh_token: `${refresh}x` });
    await post(server, 'revoke', { client_id: id, token: access });
    const text = JSON.stringify(server.events);
    for (const secret of [code, access, refresh]) expect(text).not.toContain(secret);
  });
  expect(events.length).toBeGreaterThan(4);
});
