import oauth from '@sextant/auth-oauth';
import { OAuthClients, Sessions } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { ServerSettings, builtInEndpoints, definePlugin, silentLogger } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import directory from '@sextant/service-directory';
import sessionsPlugin from '@sextant/service-sessions';
import sqlite from '@sextant/service-sqlite';
import { describe, expect, it } from 'vitest';
import plugin from './index.ts';

const origin = 'http://localhost';
const page = '/site-admin/oauth-clients';
const api = '/api/oauth-clients';
const redirectUri = 'https://desk.example/callback';

const settings = definePlugin({
  name: 'test-settings',
  provides: { settings: ServerSettings },
  start: async () => ({
    settings: {
      value: { isMcpEnabled: true, isClientRegistrationEnabled: true, endpoints: Object.values(builtInEndpoints) },
    },
  }),
});

/** All that is needed, as a process of its own, and the browser of the administrator. */
async function start(dataFolder: string) {
  const oauthClients = [{ clientId: 'kept', name: 'Kept', redirectUris: [redirectUri] }];
  const started = await startPlugins(dataFolder, [
    [sqlite],
    [directory],
    [settings],
    [sessionsPlugin],
    [oauth, { oauthClients }],
    [plugin],
  ]);
  const services = started.services.resolve({ sessions: Sessions, clients: OAuthClients });
  const caller = callerOf('admin', { isSiteAdmin: true });
  const cookie = (await services.sessions.begin(1, new Request(origin))).split(';')[0] ?? '';
  const { csrfToken } = await services.sessions.formToken(new Request(origin, { headers: { cookie } }));
  const send = (path: string, init: RequestInit = {}): Promise<Response> => {
    const request = new Request(origin + path, init);
    const { pathname } = new URL(request.url);
    const pattern = pathname.replace(/^(\/api\/oauth-clients)\/.*$/, '$1/:id');
    const found = plugin.pages.find((each) => each.method === request.method && each.path === pattern);
    if (!found) throw new Error(`there is no page ${request.method} ${path}`);
    return found.respond(request, started.services.resolve(found.needs), {
      caller,
      endpoint: found.path,
      signal: request.signal,
      log: silentLogger,
      reportProgress() {},
    });
  };
  return {
    ...started,
    ...services,
    by: { caller },
    send,
    sendJson: (path: string, body: unknown) => send(path, { method: 'POST', body: JSON.stringify(body) }),
    submit: (path: string, fields: Record<string, string>, csrf = csrfToken) =>
      send(path, {
        method: 'POST',
        body: new URLSearchParams({ csrf, ...fields }),
        headers: { origin, host: 'localhost', cookie },
      }),
  };
}

async function withPage(work: (started: Awaited<ReturnType<typeof start>>) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  await using started = await start(folder.path);
  await work(started);
}

describe('the page', () => {
  it('is for those who may manage clients only', () => {
    for (const { access } of plugin.pages) expect(access).toEqual({ scope: 'all', permission: 'OAUTH_CLIENTS#MANAGE' });
  });

  it('names a confidential client and shows its secret once', () =>
    withPage(async ({ submit, send, clients, by }) => {
      const fields = { name: 'Desk', kind: 'confidential', id: 'desk', redirects: `${redirectUri}\r\n\r\ndesk:/cb ` };
      const created = await submit(page, fields);
      const [, secret = ''] = /id="new-secret">([\w-]{43})</.exec(await created.text()) ?? [];
      expect([created.status, created.headers.get('cache-control'), secret.length]).toEqual([200, 'no-store', 43]);
      expect(await clients.find(by, 'desk')).toMatchObject({
        name: 'Desk',
        isConfidential: true,
        redirectUris: [redirectUri, 'desk:/cb'],
      });
      const text = await (await send(page)).text();
      expect(text).toContain('Desk');
      expect(text).not.toContain(secret);
    }));

  it('makes up an id for a public client, which has no secret', () =>
    withPage(async ({ submit }) => {
      const text = await (await submit(page, { name: 'Cli', kind: 'public', id: '', redirects: '' })).text();
      expect(text).toMatch(/id="new-client">[0-9a-f-]{36}</);
      expect(text).not.toContain('new-secret');
    }));

  it('keeps what was typed beside what is wrong with it, and nobody’s text becomes markup', () =>
    withPage(async ({ submit }) => {
      const fields = { name: '<b>Desk</b>', kind: 'public', id: '', redirects: 'http://"><script>alert(1)</script>' };
      const refused = await submit(page, fields);
      const text = await refused.text();
      expect([refused.status, text.includes('redirectUris 1 must be https')]).toEqual([400, true]);
      expect(text).toContain('value="&lt;b>Desk&lt;/b>"');
      expect(text).not.toMatch(/<script>|<b>Desk/);
    }));

  it('changes where a client may send people, and removes it', () =>
    withPage(async ({ submit, send, clients, by }) => {
      await clients.create(by, { clientId: 'desk', name: 'Desk', redirectUris: [], isConfidential: false });
      expect(await (await send(`${page}/edit?client=desk`)).text()).toContain('Where it may send people');
      const changed = await submit(`${page}/edit`, { client: 'desk', redirects: redirectUri });
      expect([changed.status, changed.headers.get('location')]).toEqual([303, `${page}?done=changed`]);
      expect(await clients.find(by, 'desk')).toMatchObject({ redirectUris: [redirectUri] });
      const refused = await submit(`${page}/edit`, { client: 'desk', redirects: 'ftp://desk.example' });
      expect([refused.status, (await refused.text()).includes('ftp://desk.example')]).toEqual([400, true]);
      const removed = await submit(`${page}/remove`, { client: 'desk' });
      expect(removed.headers.get('location')).toBe(`${page}?done=removed`);
      await expect(clients.find(by, 'desk')).rejects.toMatchObject({ code: 'not_found' });
      expect((await submit(`${page}/remove`, { client: 'desk' })).status).toBe(404);
    }));

  it('shows those of the configuration as managed there, and lets nobody change them', () =>
    withPage(async ({ send, submit }) => {
      expect(await (await send(page)).text()).toContain('managed in the configuration');
      const text = await (await send(`${page}/edit?client=kept`)).text();
      expect(text).not.toMatch(/<textarea|Remove client/);
      const refused = await submit(`${page}/remove`, { client: 'kept' });
      expect([refused.status, (await refused.text()).includes('change it there')]).toEqual([400, true]);
    }));

  it.each([
    ['', {}],
    ['/edit', { client: 'kept' }],
    ['/remove', { client: 'kept' }],
  ])('refuses a form at %s that is not of this session', (path, fields) =>
    withPage(async ({ submit }) =>
      expect(submit(page + path, fields, 'forged')).rejects.toMatchObject({ code: 'forbidden' }),
    ),
  );
});

describe('the API', () => {
  it('creates, lists, changes and removes clients', () =>
    withPage(async ({ send, sendJson }) => {
      const created = await sendJson(api, { clientId: 'a~b', name: 'Desk', confidential: true });
      expect([created.status, created.headers.get('cache-control')]).toEqual([201, 'no-store']);
      expect(await created.json()).toMatchObject({ clientId: 'a~b', isConfidential: true, secret: expect.any(String) });
      expect(await (await send(api)).json()).toMatchObject({
        total: 2,
        clients: [{ clientId: 'kept', managedBy: 'config' }, { clientId: 'a~b' }],
      });
      expect(await (await send(`${api}?registered=true`)).json()).toEqual({ clients: [], total: 0 });
      const changed = await sendJson(`${api}/a%7Eb`, { redirectUris: [redirectUri] });
      expect(await changed.json()).toMatchObject({ redirectUris: [redirectUri] });
      expect((await send(`${api}/a~b`, { method: 'DELETE' })).status).toBe(204);
      await expect(send(`${api}/a~b`, { method: 'DELETE' })).rejects.toMatchObject({ code: 'not_found' });
    }));

  it.each([
    ['not JSON', '{', /no JSON/],
    ['an unknown key', '{"name":"a","secret":"b"}', /allowed are clientId, name, redirectUris, confidential/],
    ['no name', '{}', /^name: /],
    ['a redirect URI that is none', '{"name":"a","redirectUris":["x"]}', /redirectUris 1 must be https/],
  ])('says what is wrong with %s', (_what, body, message) =>
    withPage(async ({ send }) =>
      expect(send(api, { method: 'POST', body })).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringMatching(message),
      }),
    ),
  );
});
