import { Secrets } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { contentsOf } from '@sextant/service-postgres/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ArtifactKeys, hashOf } from './artifact-keys.ts';
import { readKeys, rotateKeys } from './server-keys.ts';
import { begin, connect, mcp, post, register } from '../testing/client.ts';
import { Browser } from '../testing/browser.ts';
import { origin, startOAuth } from '../testing/start-oauth.ts';

const introspect = (server: Awaited<ReturnType<typeof startOAuth>>, id: string, token: string) =>
  post(server, 'introspect', { client_id: id, token });

describe('an access token', () => {
  it('stands for its user with the scope mcp, at its endpoint only, under both schemes', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { access } = await connect(server, { resource: `${mcp}/review` });
    const caller = await server.show(access, '/.api/mcp/review');
    expect(caller).toMatchObject({ user: { name: 'alice' }, scopes: new Set(['mcp']) });
    for (const path of ['/.api/mcp', '/.api/mcp/all'])
      await expect(server.show(access, path)).rejects.toMatchObject({
        code: 'unauthenticated',
        message: `this token is for ${mcp}/review; ask for one with resource=${mcp}${path.replace('/.api/mcp', '')}, or without resource for all MCP endpoints`,
      });
    for (const path of ['/.api/mcp/nothing', '/api/credits', '/settings/authorizations', '/'])
      expect([path, await server.show(access, path)]).toEqual([path, undefined]);
    expect(await server.show(access, '/.api/mcp/review/')).toBeDefined();
    const schemes = ['bearer', 'TOKEN', 'Token'].map((scheme) => ({ authorization: `${scheme} ${access}` }));
    for (const headers of schemes)
      expect(await server.showIn(headers, '/.api/mcp/review')).toMatchObject({ user: { name: 'alice' } });
  });

  it('is good for all MCP endpoints, and nothing else, where no resource was asked for', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { access } = await connect(server, { resource: '' });
    for (const path of ['/.api/mcp', '/.api/mcp/all', '/.api/mcp/review', '/.api/mcp/review/'])
      expect([path, await server.show(access, path)]).toMatchObject([path, { user: { name: 'alice' } }]);
    for (const path of ['/.api/mcp/nothing', '/api/credits', '/'])
      expect([path, await server.show(access, path)]).toEqual([path, undefined]);
  });

  it('lives one hour', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { access } = await connect(server);
    const issued = Date.now();
    vi.setSystemTime(issued + 3_590_000);
    expect(await server.show(access)).toBeDefined();
    vi.setSystemTime(issued + 3_600_000);
    expect(await server.show(access)).toBeUndefined();
  });

  it('dies with its user, at once, and cannot be renewed', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    await server.directory.add({ name: 'carol' });
    const { access, id, refresh } = await connect(server, { name: 'carol' });
    expect(await server.show(access)).toBeDefined();
    await server.directory.setDisabled('carol', true);
    expect(await server.show(access)).toBeUndefined();
    const renewed = await post(server, 'token', { grant_type: 'refresh_token', client_id: id, refresh_token: refresh });
    expect(renewed.body['error']).toBe('invalid_grant');
  });

  it('is nothing when it is malformed, unknown, or of another kind', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { access, refresh, code } = await connect(server);
    for (const token of ['', 'x', `${access}x`, access.slice(1), 'x'.repeat(43), refresh, code, `${access} ${access}`])
      expect([token, await server.show(token)]).toEqual([token, undefined]);
  });
});

describe('a thief of the data folder', () => {
  it('finds no credential in the database: tokens, codes and secrets are stored as hashes', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { access, refresh, code } = await connect(server);
    const { body } = await register(server, { token_endpoint_auth_method: 'client_secret_basic' });
    const device = await post(server, 'device/code', {
      client_id: String(
        (await register(server, { grant_types: [grantOfDevices], response_types: [], redirect_uris: [] })).body[
          'client_id'
        ],
      ),
    });
    const pending = begin(String(body['client_id']));
    await new Browser(server).open(pending.url);
    const contents = await contentsOf(folder.path, ['oauth-keys.json']);
    const holds = (what: unknown): boolean => contents.some((content) => content.includes(String(what)));
    expect(holds('127.0.0.1/callback')).toBe(true);
    const secrets = [
      access,
      refresh,
      code,
      body['client_secret'],
      device.body['device_code'],
      device.body['user_code'],
      String(device.body['user_code']).replace('-', ''),
    ];
    expect(secrets.map(holds)).toEqual(secrets.map(() => false));
  });

  it('has no use for a hash, nor for a reference to it that was made without the keys', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { id, refresh } = await connect(server);
    const key = hashOf(refresh);
    for (const made of [key, new ArtifactKeys('another').referenceTo(key), `ref.${key}.${'x'.repeat(43)}`]) {
      const form = { grant_type: 'refresh_token', client_id: id, refresh_token: made };
      expect((await post(server, 'token', form)).body['error']).toBe('invalid_grant');
    }
  });
});

const grantOfDevices = 'urn:ietf:params:oauth:grant-type:device_code';

describe('revocation (RFC 7009) and introspection (RFC 7662)', () => {
  it('ends an access token for the next call', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { id, access } = await connect(server);
    expect((await introspect(server, id, access)).body).toMatchObject({
      active: true,
      client_id: id,
      scope: 'mcp',
      aud: mcp,
      iss: origin,
    });
    expect((await post(server, 'revoke', { client_id: id, token: access })).status).toBe(200);
    expect(await server.show(access)).toBeUndefined();
    expect((await introspect(server, id, access)).body).toEqual({ active: false });
  });

  it('of a refresh token ends the access tokens as well', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { id, access, refresh } = await connect(server);
    await post(server, 'revoke', { client_id: id, token: refresh });
    expect(await server.show(access)).toBeUndefined();
  });

  it('RFC 7009 section 2.2: an unknown token is no error; section 2.1: one of another client goes on', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { access } = await connect(server);
    const other = String((await register(server)).body['client_id']);
    expect((await post(server, 'revoke', { client_id: other, token: 'x' })).status).toBe(200);
    await post(server, 'revoke', { client_id: other, token: access });
    expect(await server.show(access)).toBeDefined();
    expect((await introspect(server, other, access)).body).toEqual({ active: false });
  });

  it.each(['revoke', 'introspect'])(
    '%s: an unknown client is invalid_client, no token invalid_request',
    async (path) => {
      using folder = temporaryFolder();
      await using server = await startOAuth(folder.path);
      const { id } = await connect(server);
      const unknown = await post(server, path, { client_id: 'nobody', token: 'x' });
      expect([unknown.status, unknown.body['error']]).toEqual([401, 'invalid_client']);
      expect((await post(server, path, { client_id: id })).body['error']).toBe('invalid_request');
    },
  );

  it('is seen by another process', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    await using beside = await startOAuth(folder.path);
    const { id, access } = await connect(server);
    expect(await beside.show(access)).toBeDefined();
    await post(server, 'revoke', { client_id: id, token: access });
    expect(await beside.show(access)).toBeUndefined();
  });
});

describe('userinfo', () => {
  it('says who the token stands for, and nothing to others', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { access } = await connect(server);
    const ask = (authorization?: string) =>
      server.fetch(`${origin}/.auth/idp/oauth/userinfo`, {
        headers: authorization === undefined ? {} : { authorization },
      });
    expect(await (await ask(`Bearer ${access}`)).json()).toEqual({ sub: '2', preferred_username: 'alice' });
    for (const authorization of [undefined, 'Bearer x', `Bearer ${'x'.repeat(43)}`]) {
      const { status, headers } = await ask(authorization);
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"']);
    }
  });
});

describe('the keys', () => {
  it('are made at the first start, and stay', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { secrets } = server.services.resolve({ secrets: Secrets });
    const keys = await readKeys(secrets);
    await using another = await startOAuth(folder.path);
    expect(await readKeys(another.services.resolve({ secrets: Secrets }).secrets)).toEqual(keys);
  });

  it('are refused by name where they are damaged', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    await server.services.resolve({ secrets: Secrets }).secrets.replace('oauth-keys.json', '{');
    await expect(startOAuth(folder.path)).rejects.toThrow('the secret oauth-keys.json is damaged; restore it');
  });

  it('are rotated by a command; the three newest are kept, and what was issued goes on', async () => {
    using folder = temporaryFolder();
    let tokens: { id: string; refresh: string };
    {
      await using server = await startOAuth(folder.path);
      tokens = await connect(server);
      expect(await server.run('oauth keys rotate', {})).toMatch(/^signing with key [\w-]{36} from the next start on$/);
    }
    {
      await using rotating = await startOAuth(folder.path);
      const { secrets } = rotating.services.resolve({ secrets: Secrets });
      const kids = (await rotateKeys(secrets)).signing.map(({ kid }) => kid);
      expect((await rotateKeys(secrets)).signing.map(({ kid }) => kid).slice(1)).toEqual(kids.slice(0, 2));
    }
    await using server = await startOAuth(folder.path);
    const renewed = await post(server, 'token', {
      grant_type: 'refresh_token',
      client_id: tokens.id,
      refresh_token: tokens.refresh,
    });
    expect(renewed.status).toBe(200);
  });
});

describe('oauth client', () => {
  it('names, lists and removes clients without a registration', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path, {
      oauthClients: [{ clientId: 'web', name: 'Web', redirectUris: ['https://web.example/'] }],
    });
    expect(await server.run('oauth client add', { id: 'desk', redirectUri: ['http://127.0.0.1/callback'] })).toBe(
      'client desk may connect',
    );
    const { access } = await connect(server, { id: 'desk' });
    expect(await server.show(access)).toBeDefined();
    await register(server);
    expect(await server.run('oauth client list', {})).toBe(
      [
        'CLIENT  NAME  KIND    MANAGED BY  REDIRECTS TO',
        'web     Web   public  config      https://web.example/',
        'desk    desk  public  operator    http://127.0.0.1/callback',
      ].join('\n'),
    );
    expect(await server.run('oauth client list', { all: true })).toContain('registered');
    await server.run('oauth client remove', { id: 'desk' });
    expect(await server.show(access)).toBeUndefined();
    await expect(server.run('oauth client remove', { id: 'wbe' })).rejects.toThrow(
      'there is no client "wbe". Did you mean "web"?',
    );
    await expect(server.run('oauth client remove', { id: 'web' })).rejects.toMatchObject({ code: 'conflict' });
    await expect(server.run('oauth client add', { id: 'web' })).rejects.toMatchObject({ code: 'conflict' });
  });
});
