import { temporaryFolder } from '@sextant/contracts/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import plugin from '../index.ts';
import { migrations } from '../tables.ts';
import type { OAuthTables } from '../tables.ts';
import { begin, clientId, connect, post, register } from '../testing/client.ts';
import { Browser } from '../testing/browser.ts';
import { origin, startOAuth } from '../testing/start-oauth.ts';

describe('a client that registers itself (RFC 7591)', () => {
  it('gets an id, and the scope mcp whatever it asks for', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { status, body, headers } = await register(server, { scope: 'admin everything', application_type: 'web' });
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(body).toMatchObject({
      client_id: expect.stringMatching(/^[\w-]{21,}$/),
      client_name: 'Agent',
      scope: 'mcp',
      redirect_uris: ['http://127.0.0.1/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    });
    expect(body).not.toHaveProperty('client_secret');
  });

  it('gets a secret when it can keep one, of which only a hash is stored', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { body } = await register(server, { token_endpoint_auth_method: 'client_secret_post' });
    const [id, secret] = [String(body['client_id']), String(body['client_secret'])];
    expect(JSON.stringify(await server.server.parts.clients.find(id))).not.toContain(secret);
    const ask = (shown: string) =>
      post(server, 'token', { grant_type: 'refresh_token', client_id: id, client_secret: shown, refresh_token: 'x' });
    expect((await ask(secret)).body['error']).toBe('invalid_grant');
    expect((await ask('another')).body['error']).toBe('invalid_client');
  });

  it.each([
    'http://example.com/callback',
    'http://127.0.0.1.example.com/',
    'http://10.0.0.1/callback',
    'https://localhost/callback',
    'https://example.com/callback#part',
    'https://example.com/callback#',
    'https://user:password@example.com/callback',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,hello',
    'file:///etc/passwd',
    'vbscript:x',
    'blob:https://example.com/x',
    'not a uri',
    '/relative',
    // RFC 8252 section 7.1: any application may claim a scheme that is no domain turned round.
    'myapp://callback',
    'mailto:a@example.com',
    'intent://example.com/#Intent;end',
    'https://example.com/a*b',
    'https://*.example.com/callback',
    'com.example.app:/*',
    // A browser takes these for something else than what was compared and shown.
    'https://example.com\\@evil.example/',
    'https:\\\\example.com\\callback',
    'http://127.0.0.1\\@evil.example/callback',
    'https:example.com',
    'https:///example.com/',
    'https://@example.com/',
    'com.example.app://user@host/',
    'http://127.1/callback',
    'http://2130706433/callback',
    'http://0x7f000001/callback',
    'http://LOCALHOST/callback',
    'https://example.com/\u0000',
    'https://example.com/a\tb',
    'https://example.com/a\r\nLocation: https://evil.example/',
    'https://example.com/%0d%0aLocation:%20https://evil.example/',
    'https://example.com/%00',
    ' https://example.com/',
    'https://example.com/a b',
    'https://example.com/\u202egnp.exe',
    'https://ex\u0430mple.com/',
    'https://example.com/"><script>',
    '',
    `https://example.com/${'a'.repeat(2048)}`,
  ])('RFC 7591 section 3.2.2: %j is invalid_redirect_uri', async (uri) => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { status, body } = await register(server, { redirect_uris: ['https://example.com/fine', uri] });
    expect([status, body['error']]).toEqual([400, 'invalid_redirect_uri']);
  });

  it.each([
    'https://example.com/callback',
    'http://localhost:3000/',
    'http://[::1]/cb',
    // What clients of today register.
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'vscode://vscode.github-authentication/did-authenticate',
    'warp://mcp/oauth2callback',
    'https://claude.ai/api/mcp/auth_callback',
    'https://vscode.dev/redirect',
    'http://127.0.0.1:33418/',
    'http://localhost:6274/oauth/callback?a=b&c=%20d',
    'com.example.app:/cb',
    'com.example.app://host/cb',
  ])('may be sent to %s', async (uri) => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    expect((await register(server, { redirect_uris: [uri] })).status).toBe(201);
  });

  it.each([
    ['no redirect URI', { redirect_uris: [] }, /^invalid_(redirect_uri|client_metadata)$/],
    ['too many redirect URIs', { redirect_uris: Array(21).fill('https://example.com/') }, /^invalid_client_metadata$/],
    ['redirect URIs that are no list', { redirect_uris: 'https://example.com/' }, /^invalid_client_metadata$/],
    ['a name of many lines', { client_name: 'a\r\nSet-Cookie: b' }, /^invalid_client_metadata$/],
    ['a name that turns round what follows', { client_name: 'Agent \u202eelpmaxe' }, /^invalid_client_metadata$/],
    ['a name with a hidden letter', { client_name: 'Ag\u200bent' }, /^invalid_client_metadata$/],
    ['a name that breaks its line', { client_name: 'a\u2028b' }, /^invalid_client_metadata$/],
    ['a name of which nothing is seen', { client_name: ' \u00a0 ' }, /^invalid_client_metadata$/],
    ['a name that lies over others', { client_name: `a${'\u0301'.repeat(40)}` }, /^invalid_client_metadata$/],
    ['a name of any length', { client_name: 'a'.repeat(101) }, /^invalid_client_metadata$/],
    ['more than metadata needs', { contacts: ['a'.repeat(70_000)] }, /^invalid_client_metadata$/],
    ['the grant type password', { grant_types: ['password'] }, /^invalid_client_metadata$/],
    ['the response type token', { response_types: ['token'] }, /^invalid_client_metadata$/],
    [
      'a way to authenticate that is not served',
      { token_endpoint_auth_method: 'tls_client_auth' },
      /^invalid_client_metadata$/,
    ],
    ['a logo without TLS', { logo_uri: 'http://example.com/logo' }, /^invalid_client_metadata$/],
    ['a page that runs', { client_uri: 'javascript:alert(1)' }, /^invalid_client_metadata$/],
  ])('RFC 7591 section 3.2.2: %s is refused', async (_what, metadata, error) => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { status, body } = await register(server, metadata);
    expect(status).toBe(400);
    expect(body['error']).toMatch(error);
  });

  it.each(['', '{', '[]', '"text"', 'null'])('RFC 7591 section 3.2.2: the body %j is refused', async (body) => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const headers = { 'content-type': 'application/json' };
    const response = await server.fetch(`${origin}/.auth/idp/oauth/register`, { method: 'POST', headers, body });
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: 'invalid_request', error_description: 'the body must be a JSON object' },
    ]);
  });

  it('cannot make the server fetch anything', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { body } = await register(server, {
      jwks_uri: 'https://127.0.0.1/jwks',
      sector_identifier_uri: 'https://127.0.0.1/',
    });
    expect(body).not.toHaveProperty('jwks_uri');
    expect(body).not.toHaveProperty('sector_identifier_uri');
  });

  it('is one of 60 from its address within an hour', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    for (let count = 0; count < 60; count += 1) expect((await register(server, {})).status).toBe(201);
    await expect(register(server)).rejects.toMatchObject({ code: 'exhausted', retryAfterSeconds: expect.any(Number) });
  });
});

it('is one of 60 within an hour in all processes together, and an hour after the first all begins again', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  using folder = temporaryFolder();
  await using server = await startOAuth(folder.path);
  await using beside = await startOAuth(folder.path);
  for (let count = 0; count < 30; count += 1)
    for (const each of [server, beside]) expect((await register(each)).status).toBe(201);
  for (const each of [server, beside]) await expect(register(each)).rejects.toMatchObject({ code: 'exhausted' });
  vi.setSystemTime(Date.now() + 3_600_000);
  expect((await register(beside)).status).toBe(201);
});

it('of too many registrations the oldest that nobody uses is dropped, with all it has', async () => {
  using folder = temporaryFolder();
  await using server = await startOAuth(folder.path);
  const { access, id: used } = await connect(server);
  const unused = await clientId(server);
  const { clients } = server.server.parts;
  await clients.dropSuperfluous(1);
  expect([Boolean(await clients.find(used)), await clients.find(unused)]).toEqual([true, undefined]);
  expect(await server.show(access)).toBeDefined();
  await clients.dropSuperfluous(0);
  expect(await server.show(access)).toBeUndefined();
});

it('at most 10,000 clients are registered at a time', async () => {
  using folder = temporaryFolder();
  await using server = await startOAuth(folder.path);
  const db = await server.database.open<OAuthTables>({ name: 'oauth', migrations });
  const rows = Array.from({ length: 10_000 }, (_, index) => ({
    id: `client-${index}`,
    metadata: JSON.stringify({ client_id: `client-${index}` }),
    origin: 'registered' as const,
    created_at: index,
    last_used_at: index === 0 ? 1 : null,
  }));
  for (let from = 0; from < rows.length; from += 100)
    await db
      .insertInto('oauth_client')
      .values(rows.slice(from, from + 100))
      .execute();
  const id = await clientId(server);
  const { clients } = server.server.parts;
  expect((await clients.list({ isRegistered: true, offset: 0, limit: 1 })).total).toBe(10_000);
  const left = await Promise.all([id, 'client-0', 'client-1', 'client-2'].map((each) => clients.find(each)));
  expect(left.map(Boolean)).toEqual([true, true, false, true]);
});

describe('auth.idpDynamicClientRegistrationEnabled: false', () => {
  it('register answers 404 not found, as it does while MCP is off', async () => {
    using folder = temporaryFolder();
    for (const settings of [{ isClientRegistrationEnabled: false }, { isMcpEnabled: false }]) {
      await using server = await startOAuth(folder.path, { settings });
      const { status, body } = await register(server);
      expect([status, body]).toEqual([404, { text: 'not found' }]);
    }
  });

  it('clients that registered themselves and their tokens stop working; static clients go on', async () => {
    using folder = temporaryFolder();
    const oauthClients = [{ clientId: 'desk', name: 'Desk', redirectUris: ['http://127.0.0.1/callback'] }];
    let tokens: [registered: string, desk: string];
    let id: string;
    let refresh: string;
    {
      await using before = await startOAuth(folder.path, { oauthClients });
      const own = await connect(before);
      tokens = [own.access, (await connect(before, { id: 'desk' })).access];
      ({ id, refresh } = own);
      for (const token of tokens) expect(await before.show(token)).toBeDefined();
    }
    const off = { isClientRegistrationEnabled: false };
    await using after = await startOAuth(folder.path, { oauthClients, settings: off });
    expect(await after.show(tokens[0])).toBeUndefined();
    expect(await after.show(tokens[1])).toMatchObject({ user: { name: 'alice' } });
    const renewed = await post(after, 'token', { grant_type: 'refresh_token', client_id: id, refresh_token: refresh });
    expect(renewed.body['error']).toBe('invalid_client');
    expect((await new Browser(after).open(begin(id).url)).response.status).toBe(400);
    expect(await after.show((await connect(after, { id: 'desk' })).access)).toBeDefined();
    expect((await new Browser(after).open(begin('https://client.example/metadata').url)).response.status).toBe(400);
  });
});

describe('redirectSchemes', () => {
  const custom = { redirect_uris: ['acme-agent://callback'] };

  it('lets those in that the operator names, and only those', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path, { redirectSchemes: ['acme-agent'] });
    expect((await register(server, custom)).status).toBe(201);
    const refused = await register(server, { redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'] });
    expect(refused.body['error_description']).toContain('that has a dot, acme-agent;');
  });

  it('counts for clients that registered before, too', async () => {
    using folder = temporaryFolder();
    let id: string;
    {
      await using before = await startOAuth(folder.path, { redirectSchemes: ['acme-agent'] });
      id = String((await register(before, custom)).body['client_id']);
    }
    await using after = await startOAuth(folder.path);
    const { response, text } = await new Browser(after).open(begin(id, { redirect_uri: 'acme-agent://callback' }).url);
    expect([response.status, text]).toEqual([400, expect.stringContaining('invalid_client')]);
  });

  it('names no scheme that a browser runs, shows or fetches itself, and does not bind the clients of an operator', () => {
    const parse = (config: object): boolean => plugin.config.safeParse(config).success;
    for (const scheme of ['javascript', 'data', 'https', 'file', 'Cursor', 'cursor:', ''])
      expect([scheme, parse({ redirectSchemes: [scheme] })]).toEqual([scheme, false]);
    const client = { clientId: 'own', name: 'Own' };
    expect(parse({ oauthClients: [{ ...client, redirectUris: ['myapp://callback'] }] })).toBe(true);
    expect(parse({ oauthClients: [{ ...client, redirectUris: ['https://example.com/*'] }] })).toBe(false);
  });
});

describe('a client-id metadata document', () => {
  it.each([
    'http://client.example/metadata',
    'https://127.0.0.1:1/metadata',
    'https://localhost:1/metadata',
    'https://[::1]:1/metadata',
    'https://user@client.example/metadata',
    'https://client.example/a/../metadata',
    'https://client.example/metadata#part',
  ])('%s is not fetched', async (id) => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { response, text } = await new Browser(server).open(begin(id).url);
    expect(response.status).toBe(400);
    expect(text).toContain('invalid_client');
  });
});
