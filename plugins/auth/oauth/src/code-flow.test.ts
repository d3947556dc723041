import { temporaryFolder } from '@sextant/contracts/testing';
import { describe, expect, it } from 'vitest';
import { Browser } from './testing/browser.ts';
import type { Shown } from './testing/browser.ts';
import { begin, callback, clientId, connect, consent, exchange, mcp, post } from './testing/client.ts';
import { origin, startOAuth } from './testing/start-oauth.ts';
import type { StartedOAuth } from './testing/start-oauth.ts';

const oauthClients = [
  {
    clientId: 'desk',
    name: 'Desk',
    redirectUris: ['https://desk.example/callback'],
    secret: 'a secret of thirty-two characters',
  },
];

async function started<T>(work: (server: StartedOAuth) => Promise<T>): Promise<T> {
  using folder = temporaryFolder();
  await using server = await startOAuth(folder.path, { oauthClients });
  return await work(server);
}

const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${encodeURIComponent(secret)}`).toString('base64')}`;
/** What the client is told; for response types that are not served, in the fragment. */
function errorIn({ url }: Shown): unknown {
  const told = new URLSearchParams(url.hash === '' ? url.search : url.hash.slice(1));
  return { error: told.get('error'), state: told.get('state'), iss: told.get('iss') };
}

describe('an authorization request', () => {
  it('comes back with a code, the state and the issuer (RFC 6749 section 4.1.2, RFC 9207 section 2)', () =>
    started(async (server) => {
      const { url } = await consent(server, begin(await clientId(server)));
      expect(url.href.startsWith(`${callback}?`)).toBe(true);
      expect(Object.fromEntries(url.searchParams)).toEqual({
        code: expect.stringMatching(/^[\w-]{43}$/),
        state: 'xyz',
        iss: origin,
      });
    }));

  it.each([
    ['RFC 6749 section 4.1.2.1: a scope that the resource does not allow', { scope: 'mcp admin' }, 'invalid_scope'],
    ['RFC 6749 section 4.1.2.1: a scope of OpenID Connect', { scope: 'openid' }, 'invalid_scope'],
    [
      'RFC 6749 section 4.1.2.1: a response type other than code',
      { response_type: 'token' },
      'unsupported_response_type',
    ],
    ['RFC 6749 section 4.1.2.1: no response type', { response_type: '' }, 'invalid_request'],
    ['RFC 7636 section 4.4.1: no code challenge', { code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
    ['RFC 7636 section 4.4.1: the method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['RFC 7636 section 4.3: the method left out, which means plain', { code_challenge_method: '' }, 'invalid_request'],
    ['RFC 7636 section 4.2: a challenge that is none', { code_challenge: 'short' }, 'invalid_request'],
    ['RFC 8707 section 2: a resource elsewhere', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    [
      'RFC 8707 section 2: a path of this server that is no endpoint',
      { resource: `${origin}/.api/mcp/other` },
      'invalid_target',
    ],
    ['RFC 8707 section 2: a resource that is no URI', { resource: 'mcp' }, 'invalid_target'],
    ['RFC 8707 section 2: a resource with a fragment', { resource: `${mcp}#all` }, 'invalid_target'],
    ['OpenID Connect Core section 3.1.2.6: prompt none without a session', { prompt: 'none' }, 'login_required'],
  ])('%s is %j, told to the client', (_what, changes, error) =>
    started(async (server) => {
      const shown = await new Browser(server).open(begin(await clientId(server), changes).url);
      expect(errorIn(shown)).toEqual({ error, state: 'xyz', iss: origin });
    }),
  );

  it.each([
    ['another path', { redirect_uri: 'http://127.0.0.1:4711/other' }],
    ['another host', { redirect_uri: 'https://evil.example/callback' }],
    ['a host that begins alike', { redirect_uri: 'http://127.0.0.1.evil.example/callback' }],
    ['user information', { redirect_uri: 'http://127.0.0.1@evil.example/callback' }],
    ['a path that climbs', { redirect_uri: 'http://127.0.0.1/callback/../other' }],
    ['another loopback name', { redirect_uri: 'http://localhost:4711/callback' }],
    ['no redirect URI', { redirect_uri: '' }],
    ['an unknown client', { client_id: 'nobody' }],
    ['no client', { client_id: '' }],
  ])('RFC 6749 section 4.1.2.1: %s is shown to the person and never redirected to', (_what, changes) =>
    started(async (server) => {
      const { response, text } = await new Browser(server).open(begin(await clientId(server), changes).url);
      expect([response.status, response.headers.get('location')]).toEqual([400, null]);
      expect(text).toContain('This did not work');
    }),
  );

  it.each(['form_post', 'fragment', 'web_message'])('is never answered by %s, which would need a script', (mode) =>
    started(async (server) => {
      const { url, text } = await new Browser(server).open(begin(await clientId(server), { response_mode: mode }).url);
      expect(text + url.href).toMatch(/invalid_request|unsupported_response_mode/);
      expect(text).not.toContain('<script>');
    }),
  );

  it('RFC 8252 section 7.3: a loopback redirect URI matches any port', () =>
    started(async (server) => {
      const id = await clientId(server);
      for (const port of [1024, 50_000]) {
        const flow = begin(id, { redirect_uri: `http://127.0.0.1:${port}/callback` });
        expect((await consent(server, flow)).url.port).toBe(String(port));
      }
    }));

  it('means the scope mcp and the endpoint /.api/mcp when it names none', () =>
    started(async (server) => {
      const flow = begin(await clientId(server), { scope: '', resource: '' });
      const code = (await consent(server, flow)).url.searchParams.get('code') ?? '';
      const { body } = await post(server, 'token', exchange(flow, code));
      expect(body).toMatchObject({ scope: 'mcp', token_type: 'Bearer', expires_in: 3600 });
      expect(await server.show(String(body['access_token']))).toMatchObject({ user: { name: 'alice' } });
    }));
});

describe('a token request', () => {
  it.each([
    ['RFC 6749 section 5.2: an unknown code', { code: 'x'.repeat(43) }, 400, 'invalid_grant'],
    [
      'RFC 6749 section 5.2: another redirect URI',
      { redirect_uri: 'http://127.0.0.1:1/callback' },
      400,
      'invalid_grant',
    ],
    ['RFC 6749 section 5.2: an unknown client', { client_id: 'nobody' }, 401, 'invalid_client'],
    ['RFC 6749 section 5.2: a grant type of its own', { grant_type: 'mine' }, 400, 'unsupported_grant_type'],
    ['RFC 6749 section 5.2: the password grant', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['RFC 6749 section 5.2: no grant type', { grant_type: '' }, 400, 'invalid_request'],
    ['RFC 6749 section 5.2: no code', { code: '' }, 400, 'invalid_request'],
    ['RFC 7636 section 4.6: another verifier', { code_verifier: 'v'.repeat(43) }, 400, 'invalid_grant'],
    ['RFC 7636 section 4.6: no verifier', { code_verifier: '' }, 400, 'invalid_grant'],
    ['RFC 8707 section 2.2: a resource that was not granted', { resource: `${mcp}/all` }, 400, 'invalid_target'],
  ])('%s', (_what, changes, status, error) =>
    started(async (server) => {
      const flow = begin(await clientId(server));
      const code = (await consent(server, flow)).url.searchParams.get('code') ?? '';
      const all = Object.entries(exchange(flow, code, changes)).filter(([, value]) => value !== '');
      const answer = await post(server, 'token', Object.fromEntries(all));
      expect([answer.status, answer.body['error']]).toEqual([status, error]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }),
  );

  it('RFC 6749 section 4.1.2: a code that is used again revokes all that was issued for it', () =>
    started(async (server) => {
      const { flow, code, access, refresh, id } = await connect(server);
      expect(await server.show(access)).toBeDefined();
      expect((await post(server, 'token', exchange(flow, code))).body['error']).toBe('invalid_grant');
      expect(await server.show(access)).toBeUndefined();
      const again = await post(server, 'token', { grant_type: 'refresh_token', client_id: id, refresh_token: refresh });
      expect(again.body['error']).toBe('invalid_grant');
    }));

  it('a code that is used twice at the same moment leaves no token that works', () =>
    started(async (server) => {
      const flow = begin(await clientId(server));
      const code = (await consent(server, flow)).url.searchParams.get('code') ?? '';
      const answers = await Promise.all([1, 2].map(() => post(server, 'token', exchange(flow, code))));
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
      expect((await post(server, 'token', exchange(flow, code))).status).toBe(400);
      for (const { body } of answers) expect(await server.show(String(body['access_token']))).toBeUndefined();
    }));

  it('RFC 6749 section 5.2: a code of another client is no good', () =>
    started(async (server) => {
      const flow = begin(await clientId(server));
      const code = (await consent(server, flow)).url.searchParams.get('code') ?? '';
      const stolen = exchange(flow, code, { client_id: await clientId(server) });
      expect((await post(server, 'token', stolen)).body['error']).toBe('invalid_grant');
    }));
});

describe('a refresh token', () => {
  const renew = (server: StartedOAuth, id: string, token: string, more: Record<string, string> = {}) =>
    post(server, 'token', { grant_type: 'refresh_token', client_id: id, refresh_token: token, ...more });

  it('is rotated, and good once; used again it revokes its family (RFC 9700 section 4.14.2)', () =>
    started(async (server) => {
      const { id, refresh } = await connect(server);
      const second = await renew(server, id, refresh);
      expect(second.body['refresh_token']).not.toBe(refresh);
      const access = String(second.body['access_token']);
      expect(await server.show(access)).toMatchObject({ user: { name: 'alice' } });
      expect((await renew(server, id, refresh)).body['error']).toBe('invalid_grant');
      expect(await server.show(access)).toBeUndefined();
      expect((await renew(server, id, String(second.body['refresh_token']))).body['error']).toBe('invalid_grant');
    }));

  it('that is used at the same moment in two processes leaves no token that works', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    await using beside = await startOAuth(folder.path);
    const { id, refresh } = await connect(server);
    const answers = await Promise.all([server, beside, server, beside].map((each) => renew(each, id, refresh)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    for (const { body } of answers) {
      expect(await beside.show(String(body['access_token']))).toBeUndefined();
      expect((await renew(server, id, String(body['refresh_token']))).status).toBe(400);
    }
  });

  it.each([
    ['RFC 6749 section 6: more scope than was granted', { scope: 'mcp admin' }, 'invalid_scope'],
    ['RFC 8707 section 2.2: another resource', { resource: `${mcp}/all` }, 'invalid_target'],
    ['RFC 6749 section 5.2: another client', { client_id: 'desk' }, 'invalid_client'],
    ['RFC 6749 section 5.2: an unknown token', { refresh_token: 'x'.repeat(43) }, 'invalid_grant'],
  ])('%s', (_what, changes, error) =>
    started(async (server) => {
      const { id, refresh } = await connect(server);
      expect((await renew(server, id, refresh, changes)).body['error']).toBe(error);
    }),
  );

  it('stays within the resource that was granted, and says so', () =>
    started(async (server) => {
      const { id, refresh } = await connect(server, { resource: `${mcp}/all` });
      const renewed = (await renew(server, id, refresh)).body;
      const access = String(renewed['access_token']);
      expect(await server.show(access, '/.api/mcp/all')).toBeDefined();
      await expect(server.show(access)).rejects.toMatchObject({ code: 'unauthenticated' });
      // The token is used up by that.
      const other = await renew(server, id, String(renewed['refresh_token']), { resource: mcp });
      expect(other.body['error_description']).toBe(
        'this grant is for another resource; ask for authorization with this one',
      );
    }));
});

describe('a confidential client of the configuration', () => {
  const redirect = { redirect_uri: 'https://desk.example/callback' };
  const codeOf = async (server: StartedOAuth, changes: Record<string, string> = {}) => {
    const flow = begin('desk', { ...redirect, ...changes });
    return { flow, code: (await consent(server, flow)).url.searchParams.get('code') ?? '' };
  };

  it('shows its secret, and may do without PKCE', () =>
    started(async (server) => {
      const { flow, code } = await codeOf(server, { code_challenge: '', code_challenge_method: '' });
      const { client_id: _id, code_verifier: _verifier, ...form } = exchange(flow, code, redirect);
      const answer = await post(server, 'token', form, basic('desk', 'a secret of thirty-two characters'));
      expect(answer.status).toBe(200);
    }));

  it('RFC 6749 section 5.2: is refused without its secret or with another', () =>
    started(async (server) => {
      const { flow, code } = await codeOf(server);
      const { client_id: _id, ...form } = exchange(flow, code, redirect);
      const wrong = await post(server, 'token', form, basic('desk', 'another'));
      expect([wrong.status, wrong.body['error']]).toEqual([401, 'invalid_client']);
      expect((await post(server, 'token', { ...form, client_id: 'desk' })).body['error']).toBe('invalid_client');
    }));
});
