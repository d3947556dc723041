import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { migrations } from '../tables.ts';
import type { OAuthTables } from '../tables.ts';
import { Browser } from '../testing/browser.ts';
import { begin, clientId, connect, consent, exchange, mcp, post, register } from '../testing/client.ts';
import { origin, startOAuth } from '../testing/start-oauth.ts';
import type { StartedOAuth } from '../testing/start-oauth.ts';

const secret = 'a secret of thirty-two characters';
const oauthClients = [
  { clientId: 'vault', name: 'Vault', redirectUris: ['https://vault.example/callback'], secret },
  { clientId: 'device', name: 'Device' },
];
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

async function started(work: (server: StartedOAuth) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  await using server = await startOAuth(folder.path, { oauthClients });
  await work(server);
}

const basic = (id: string, shown: string): string => `Basic ${Buffer.from(`${id}:${shown}`).toString('base64')}`;

async function told(server: StartedOAuth, url: URL): Promise<URLSearchParams> {
  const browser = new Browser(server);
  await browser.signIn('alice');
  return (await browser.open(url)).url.searchParams;
}

it('RFC 6749 section 3.1: a parameter that is sent twice is invalid_request, and a redirect URI that is sent twice is used for nothing', () =>
  started(async (server) => {
    const { url } = begin(await clientId(server));
    const twice = new URL(url);
    twice.searchParams.append('scope', 'mcp');
    expect((await told(server, twice)).get('error')).toBe('invalid_request');
    const elsewhere = new URL(url);
    elsewhere.searchParams.append('redirect_uri', 'https://evil.example/');
    const { response } = await new Browser(server).open(elsewhere);
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  }));

it('RFC 6749 section 4.1.2.1: a client that may not ask for codes is told by no redirect', () =>
  started(async (server) => {
    const { response, text } = await new Browser(server).open(begin('device').url);
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    expect(text).toMatch(/unauthorized_client|invalid_redirect_uri|invalid_request/);
  }));

it.each([
  ['request', 'eyJhbGciOiJub25lIn0.e30.', 'request_not_supported'],
  ['request_uri', 'https://evil.example/request', 'request_uri_not_supported'],
  ['registration', '{}', 'registration_not_supported'],
])('OpenID Connect Core section 3.1.2.6: %s is not served', (name, value, error) =>
  started(async (server) => {
    const { url } = begin(await clientId(server), { [name]: value });
    expect((await told(server, url)).get('error')).toBe(error);
  }),
);

it.each([
  ['no scheme', 'example'],
  ['a scheme that runs', 'javascript:alert(1)'],
  ['another instance', 'https://code.example.org/.api/mcp'],
  ['this instance with another port', 'http://localhost:81/.api/mcp'],
  ['an endpoint with a query', `${mcp}?a=b`],
])('RFC 8707 section 2: a resource that is %s is invalid_target', (_what, resource) =>
  started(async (server) => {
    expect((await told(server, begin(await clientId(server), { resource }).url)).get('error')).toBe('invalid_target');
  }),
);

it('RFC 8707 section 2: two resources at once are invalid_target', () =>
  started(async (server) => {
    const { url } = begin(await clientId(server));
    url.searchParams.append('resource', `${mcp}/all`);
    expect((await told(server, url)).get('error')).toBe('invalid_target');
  }));

it('RFC 6749 section 5.2: two ways to authenticate at once are invalid_request', () =>
  started(async (server) => {
    const form = { grant_type: 'refresh_token', refresh_token: 'x', client_secret: secret };
    const { status, body } = await post(server, 'token', form, basic('vault', secret));
    expect([status, body['error']]).toEqual([400, 'invalid_request']);
  }));

it('RFC 6749 section 5.2: a client that failed to authenticate by header is challenged', () =>
  started(async (server) => {
    const form = { grant_type: 'refresh_token', refresh_token: 'x' };
    for (const shown of ['wrong', `${secret}x`]) {
      const { status, body, headers } = await post(server, 'token', form, basic('vault', shown));
      expect([shown, status, body['error']]).toEqual([shown, 401, 'invalid_client']);
      expect(headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    }
  }));

it('RFC 6749 section 5.2: a grant type that the client did not register is unauthorized_client', () =>
  started(async (server) => {
    const id = await clientId(server);
    const { status, body } = await post(server, 'token', { grant_type: deviceGrant, client_id: id, device_code: 'x' });
    expect([status, body['error']]).toEqual([400, 'unauthorized_client']);
  }));

it.each(['client_credentials', 'urn:ietf:params:oauth:grant-type:jwt-bearer', 'implicit'])(
  'RFC 6749 section 5.2: the grant type %s is unsupported_grant_type',
  (type) =>
    started(async (server) => {
      const { status, body } = await post(server, 'token', { grant_type: type }, basic('vault', secret));
      expect([status, body['error']]).toEqual([400, 'unsupported_grant_type']);
    }),
);

it('RFC 6749 section 3.2: the token endpoint takes forms by POST only', () =>
  started(async (server) => {
    const url = `${origin}/.auth/idp/oauth/token`;
    expect((await server.fetch(url)).status).toBe(404);
    const headers = { 'content-type': 'application/json' };
    const sent = await server.fetch(url, { method: 'POST', headers, body: '{"grant_type":"authorization_code"}' });
    expect([sent.status, (await sent.json()).error]).toEqual([400, 'invalid_request']);
  }));

it('RFC 6749 section 5.1: an answer with a token, and one without, are kept by no cache', () =>
  started(async (server) => {
    const flow = begin(await clientId(server));
    const code = (await consent(server, flow)).url.searchParams.get('code') ?? '';
    for (let time = 0; time < 2; time += 1)
      expect((await post(server, 'token', exchange(flow, code))).headers.get('cache-control')).toBe('no-store');
  }));

it.each([
  ['too short', 'v'.repeat(42)],
  ['too long', 'v'.repeat(129)],
  ['in other letters', `${'v'.repeat(43)}é`],
])('RFC 7636 section 4.6: a verifier that is %s is no good', (_what, code_verifier) =>
  started(async (server) => {
    const flow = begin(await clientId(server));
    const code = (await consent(server, flow)).url.searchParams.get('code') ?? '';
    const { status, body } = await post(server, 'token', exchange(flow, code, { code_verifier }));
    expect([status, body['error']]).toEqual([400, expect.stringMatching(/^invalid_(grant|request)$/)]);
  }),
);

it('RFC 7636 section 4.6: a verifier without a challenge is no good, also of a client that needs none (RFC 9700 section 2.1.1)', () =>
  started(async (server) => {
    const redirect = { redirect_uri: 'https://vault.example/callback' };
    const flow = begin('vault', { ...redirect, code_challenge: '', code_challenge_method: '' });
    const code = (await consent(server, flow)).url.searchParams.get('code') ?? '';
    const form = exchange(flow, code, { ...redirect, client_id: '' });
    const { status, body } = await post(server, 'token', form, basic('vault', secret));
    expect([status, body['error']]).toEqual([400, 'invalid_grant']);
  }));

it('RFC 8628 section 3.5: a code that is unknown, or another client’s, is invalid_grant', () =>
  started(async (server) => {
    const { body } = await post(server, 'device/code', { client_id: 'device' });
    const grant_types = [deviceGrant];
    const { body: other } = await register(server, { grant_types, redirect_uris: [], response_types: [] });
    for (const [client_id, device_code] of [
      ['device', 'x'.repeat(43)],
      [String(other['client_id']), String(body['device_code'])],
    ] as const) {
      const answer = await post(server, 'token', { grant_type: deviceGrant, client_id, device_code });
      expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_grant']);
    }
    const none = await post(server, 'token', { grant_type: deviceGrant, client_id: 'device' });
    expect(none.body['error']).toBe('invalid_request');
  }));

it('RFC 8628 section 5.1: codes of devices cannot be tried out without end', () =>
  started(async (server) => {
    const browser = new Browser(server);
    const page = await browser.open('/.auth/idp/oauth/device');
    for (let count = 0; count < 100; count += 1) await browser.send(page, { user_code: 'BBBB-BBBB' });
    await expect(browser.send(page, { user_code: 'BBBB-BBBB' })).rejects.toMatchObject({ code: 'exhausted' });
  }));

it('RFC 9700 section 4.11.2: a client that registered itself cannot make links of this server lead to its site', () =>
  started(async (server) => {
    const redirect_uri = 'https://phish.example/callback';
    const { body } = await register(server, { redirect_uris: [redirect_uri], client_name: '<b>Agent</b>' });
    const open = (id: string, uri: string, changes: object = { scope: 'admin' }) =>
      new Browser(server).open(begin(id, { redirect_uri: uri, ...changes }).url);
    for (const changes of [{ scope: 'admin' }, { response_type: 'token' }, { prompt: 'none' }]) {
      const { response, text } = await open(String(body['client_id']), redirect_uri, changes);
      expect([response.status, response.headers.get('location')]).toEqual([400, null]);
      expect(text).toContain('Go to phish.example');
    }
    // One that an operator named is trusted, and a loopback address is no site.
    expect((await open('vault', 'https://vault.example/callback')).url.host).toBe('vault.example');
    expect((await open(await clientId(server), 'http://127.0.0.1:4711/callback')).url.port).toBe('4711');
  }));

it('what anyone can have written without signing in is bounded; what expires first goes', () =>
  started(async (server) => {
    const { artifacts } = server.server.parts;
    const id = await clientId(server);
    for (let count = 0; count < 5; count += 1) await new Browser(server).open(begin(id).url);
    await artifacts.dropSuperfluous('Interaction', 2);
    const db = await server.database.open<OAuthTables>({ name: 'oauth', migrations });
    const left = await db.selectFrom('oauth_artifact').select('id').where('model', '=', 'Interaction').execute();
    expect(left).toHaveLength(2);
  }));

it('RFC 7009 section 2.1: whatever kind a token is said to be, it is revoked', () =>
  started(async (server) => {
    for (const hint of ['refresh_token', 'access_token', 'mine']) {
      const { id, access } = await connect(server);
      const form = { client_id: id, token: access, token_type_hint: hint };
      expect((await post(server, 'revoke', form)).status).toBe(200);
      expect(await server.show(access)).toBeUndefined();
    }
  }));

it('RFC 7009 section 2.2.1: revocation is answered to its client only', () =>
  started(async (server) => {
    const wrong = await post(server, 'revoke', { token: 'x' }, basic('vault', 'wrong'));
    expect([wrong.status, wrong.body['error']]).toEqual([401, 'invalid_client']);
    const nobody = await post(server, 'revoke', { token: 'x' });
    expect([nobody.status, nobody.body['error']]).toEqual([400, 'invalid_request']);
  }));

it('RFC 7662 section 2.2: a token that is unknown, expired, or of another kind is inactive, and nothing else is said', () =>
  started(async (server) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { id, access } = await connect(server);
    const ask = async (token: string): Promise<unknown> =>
      (await post(server, 'introspect', { client_id: id, token })).body;
    expect(await ask('x'.repeat(43))).toEqual({ active: false });
    expect(await ask('sxt_0000000000000000000000000000000000000000')).toEqual({ active: false });
    vi.setSystemTime(Date.now() + 3_600_001);
    expect(await ask(access)).toEqual({ active: false });
  }));

it('RFC 9728 section 3.3: the resource of a metadata document is the endpoint that was asked about, whatever Host says', () =>
  started(async (server) => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
    const answer = await server.fetch(`${origin}/.well-known/oauth-protected-resource/.api/mcp`, { headers });
    expect(await answer.json()).toMatchObject({ resource: mcp, authorization_servers: [origin] });
  }));
