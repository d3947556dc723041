import { temporaryFolder } from '@sextant/contracts/testing';
import { describe, expect, it } from 'vitest';
import { Browser } from '../testing/browser.ts';
import { begin, clientId, connect, consent, post, register } from '../testing/client.ts';
import { startOAuth } from '../testing/start-oauth.ts';

const oauthClients = [{ clientId: 'web', name: 'Web', redirectUris: ['https://web.example/callback'] }];
const web = { redirect_uri: 'https://web.example/callback' };

describe('the consent page', () => {
  it('names client, scope and redirect host, and warns of clients that registered themselves and run on this computer', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const browser = new Browser(server);
    await browser.signIn('alice');
    const { text } = await browser.open(begin(await clientId(server)).url);
    for (const part of [
      'Agent',
      '127.0.0.1:4711',
      'mcp, for http://localhost/.api/mcp',
      'registered itself',
      'runs on your computer',
    ])
      expect(text).toContain(part);
  });

  it('does not warn of a client of the configuration that is elsewhere', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path, { oauthClients });
    const browser = new Browser(server);
    await browser.signIn('alice');
    const { text } = await browser.open(begin('web', web).url);
    expect(text).toContain('web.example');
    expect(text).not.toMatch(/registered itself|your computer/);
  });

  it('tells whoever may not use MCP that the client will be refused, and whom to ask', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const text = async (): Promise<string> => {
      const browser = new Browser(server);
      await browser.signIn('alice');
      return (await browser.open(begin(await clientId(server)).url)).text;
    };
    expect(await text()).not.toContain('MCP#ACCESS');
    await server.directory.saveRole({ name: 'User', permissions: [] });
    expect(await text()).toContain('Ask an administrator for a role with the permission MCP#ACCESS');
  });

  it('has no script of its own, stands in no frame, and sends its form here and to the client only', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path, { oauthClients });
    const browser = new Browser(server);
    await browser.signIn('alice');
    const { response, text } = await browser.open(begin('web', web).url);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("form-action 'self' https://web.example;");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(text).not.toMatch(/<script(?!(?: type="module")? src="\/)/);
  });

  it('shows a hostile name as text', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { body } = await register(server, { client_name: '</h1><script>alert(1)</script>' });
    const browser = new Browser(server);
    await browser.signIn('alice');
    const { text } = await browser.open(begin(String(body['client_id'])).url);
    expect(text).toContain('Let &lt;/h1>&lt;script>alert(1)&lt;/script> in?');
  });

  it('comes after signing in, with a way back that is a path of this server', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { response } = await new Browser(server).open(begin(await clientId(server)).url);
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toMatch(/^\/sign-in\?return=%2F\.auth%2Fidp%2Fconsent%2F[\w-]+$/);
  });

  it('RFC 6749 section 4.1.2.1: a person who denies sends the client access_denied', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const browser = new Browser(server);
    await browser.signIn('alice');
    const asked = await browser.open(begin(await clientId(server)).url);
    const { url } = await browser.send(asked, { decision: 'deny' });
    expect([url.searchParams.get('error'), url.searchParams.get('code')]).toEqual(['access_denied', null]);
    expect(server.events.at(-1)).toMatchObject({ action: 'authorization.denied', outcome: 'failure', detail: 'Agent' });
  });

  it('takes no answer without its token, from another browser, or twice', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const [mine, other] = [new Browser(server), new Browser(server)];
    await mine.signIn('alice');
    await other.signIn('bob');
    const asked = await mine.open(begin(await clientId(server)).url);
    await expect(mine.send(asked, { decision: 'allow', csrf: 'guess' })).rejects.toMatchObject({ code: 'forbidden' });
    expect((await other.open(asked.url)).response.status).toBe(400);
    expect((await mine.send(asked, { decision: 'allow' })).url.searchParams.get('code')).not.toBeNull();
    expect((await mine.send(asked, { decision: 'allow' })).text).toContain('This request is over');
  });
});

describe('consent', () => {
  it('is remembered for its client and its endpoint', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { id } = await connect(server);
    const browser = new Browser(server);
    await browser.signIn('alice');
    expect((await browser.open(begin(id).url)).url.searchParams.get('code')).not.toBeNull();
    for (const changes of [{ resource: 'http://localhost/.api/mcp/all' }, { prompt: 'consent' }])
      expect((await browser.open(begin(id, changes).url)).text).toContain('Let Agent in?');
    expect((await browser.open(begin(await clientId(server)).url)).text).toContain('Let Agent in?');
  });

  it('RFC 8252 section 8.6: is asked for again when the answer goes to another port or another address', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const redirect_uris = ['http://127.0.0.1/callback', 'http://127.0.0.1/other', 'https://agent.example/callback'];
    const id = String((await register(server, { redirect_uris })).body['client_id']);
    const browser = new Browser(server);
    await browser.signIn('alice');
    await browser.send(await browser.open(begin(id).url), { decision: 'allow' });
    expect((await browser.open(begin(id).url)).url.searchParams.get('code')).not.toBeNull();
    for (const redirect_uri of [
      'http://127.0.0.1:4712/callback',
      'http://127.0.0.1:4711/other',
      redirect_uris[2] ?? '',
    ]) {
      const asked = await browser.open(begin(id, { redirect_uri }).url);
      expect(asked.text).toContain('Let Agent in?');
      await browser.send(asked, { decision: 'allow' });
      expect((await browser.open(begin(id, { redirect_uri }).url)).url.searchParams.get('code')).not.toBeNull();
    }
  });

  it('is a person’s own: the next one at the same browser is asked, and gets tokens of their own', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { id } = await connect(server);
    const browser = new Browser(server);
    await browser.signIn('alice');
    await browser.open(begin(id).url);
    await browser.signIn('bob');
    expect((await browser.open(begin(id).url)).text).toContain('Let Agent in?');
    const { access } = await connect(server, { id, name: 'bob' });
    expect(await server.show(access)).toMatchObject({ user: { name: 'bob' } });
  });

  it('of somebody who signed out is not used again', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { id } = await connect(server);
    const browser = new Browser(server);
    await browser.signIn('alice');
    await browser.open(begin(id).url);
    await server.sessions.endAll(2);
    expect((await browser.open(begin(id).url)).response.headers.get('location')).toMatch(/^\/sign-in/);
  });
});

describe('/settings/authorizations', () => {
  it('lists the clients of a person and removes one at once', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path, { oauthClients });
    const { id, access, refresh } = await connect(server);
    const others = await connect(server, { id, name: 'bob' });
    await consent(server, begin('web', web));
    const browser = new Browser(server);
    await browser.signIn('alice');
    const page = await browser.open('/settings/authorizations');
    expect([page.text.includes('Agent'), page.text.includes('Web')]).toEqual([true, true]);
    const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(page.text) ?? [];
    const after = await browser.open('/settings/authorizations', { client: id, csrf });
    expect([after.text.includes('Agent'), after.text.includes('Web')]).toEqual([false, true]);
    const said = server.events.map(({ action, outcome, address }) => [action, outcome, address]);
    expect(said.slice(0, 2)).toEqual([
      ['client.registered', 'success', '192.0.2.1'],
      ['authorization.granted', 'success', '192.0.2.1'],
    ]);
    expect(server.events.at(-1)).toMatchObject({ action: 'authorization.revoked', client: id });
    expect(await server.show(access)).toBeUndefined();
    expect(await server.show(others.access)).toMatchObject({ user: { name: 'bob' } });
    const renewed = await post(server, 'token', { grant_type: 'refresh_token', client_id: id, refresh_token: refresh });
    expect(renewed.body['error']).toBe('invalid_grant');
    expect((await browser.open(begin(id).url)).text).toContain('Let Agent in?');
  });

  it('sends away who is not signed in, and takes no form of another page', async () => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const { id } = await connect(server);
    const browser = new Browser(server);
    for (const form of [undefined, { client: id }])
      expect((await browser.open('/settings/authorizations', form)).response.headers.get('location')).toBe(
        '/sign-in?return=%2Fsettings%2Fauthorizations',
      );
    await browser.signIn('alice');
    const forged = browser.open('/settings/authorizations', { client: id, csrf: 'guess' });
    await expect(forged).rejects.toMatchObject({ code: 'forbidden' });
  });
});
