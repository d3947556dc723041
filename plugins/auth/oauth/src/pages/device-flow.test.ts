import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Browser } from '../testing/browser.ts';
import { mcp, post, register } from '../testing/client.ts';
import { startOAuth } from '../testing/start-oauth.ts';
import type { StartedOAuth } from '../testing/start-oauth.ts';

const grant = 'urn:ietf:params:oauth:grant-type:device_code';

async function begin(server: StartedOAuth, more: Record<string, string> = {}) {
  const { body } = await register(server, {
    grant_types: [grant, 'refresh_token'],
    response_types: [],
    redirect_uris: [],
  });
  const id = String(body['client_id']);
  const answer = await post(server, 'device/code', { client_id: id, resource: mcp, ...more });
  const poll = () =>
    post(server, 'token', { grant_type: grant, client_id: id, device_code: String(answer.body['device_code']) });
  return { id, answer, poll, userCode: String(answer.body['user_code']) };
}

it('RFC 8628: a person types in the code, compares it, lets the client in, and the device has its tokens', async () => {
  using folder = temporaryFolder();
  await using server = await startOAuth(folder.path);
  const { answer, poll, userCode } = await begin(server);
  expect(answer.body).toMatchObject({
    user_code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
    verification_uri: 'http://localhost/.auth/idp/oauth/device',
    verification_uri_complete: `http://localhost/.auth/idp/oauth/device?user_code=${userCode}`,
    expires_in: 600,
  });
  expect((await poll()).body['error']).toBe('authorization_pending');
  const browser = new Browser(server);
  await browser.signIn('alice');
  const typed = await browser.open(String(answer.body['verification_uri_complete']));
  expect(typed.text).toContain(`value="${userCode}"`);
  const compared = await browser.send(typed, { user_code: userCode.toLowerCase() });
  expect(compared.text).toContain(userCode);
  const asked = await browser.send(compared, { confirm: 'yes' });
  expect(asked.text).toContain('nowhere: it runs on another device');
  expect((await browser.send(asked, { decision: 'allow' })).text).toContain('Your device is connected');
  const { body } = await poll();
  expect(body).toMatchObject({ token_type: 'Bearer', scope: 'mcp', expires_in: 3600 });
  expect(await server.show(String(body['access_token']))).toMatchObject({ user: { name: 'alice' } });
  expect((await poll()).body['error']).toBe('invalid_grant');
  expect(await server.show(String(body['access_token']))).toBeUndefined();
});

it('RFC 8628 section 3.5: access_denied when the person stops at the code, or at the consent', async () => {
  using folder = temporaryFolder();
  await using server = await startOAuth(folder.path);
  for (const stopsAtCode of [true, false]) {
    const { poll, userCode } = await begin(server);
    const browser = new Browser(server);
    await browser.signIn('alice');
    const typed = await browser.open('/.auth/idp/oauth/device');
    const compared = await browser.send(typed, { user_code: userCode });
    const stopped = stopsAtCode
      ? await browser.send(compared, { abort: 'yes' })
      : await browser.send(await browser.send(compared, { confirm: 'yes' }), { decision: 'deny' });
    expect(stopped.text).toContain('The device was not connected.');
    expect((await poll()).body['error']).toBe('access_denied');
  }
});

it('RFC 8628 section 3.5: expired_token after ten minutes', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  using folder = temporaryFolder();
  await using server = await startOAuth(folder.path);
  const { poll, userCode } = await begin(server);
  vi.setSystemTime(Date.now() + 601_000);
  expect((await poll()).body['error']).toBe('expired_token');
  const browser = new Browser(server);
  const shown = await browser.send(await browser.open('/.auth/idp/oauth/device'), { user_code: userCode });
  expect(shown.text).toContain('unknown, used or expired');
});

it.each([
  ['RFC 6749 section 5.2: a foreign scope', { scope: 'admin' }, 'invalid_scope'],
  ['RFC 8707 section 2: a foreign resource', { resource: 'https://elsewhere.example/' }, 'invalid_target'],
  ['RFC 6749 section 5.2: an unknown client', { client_id: 'nobody' }, 'invalid_client'],
])('%s gets no code', async (_what, changes, error) => {
  using folder = temporaryFolder();
  await using server = await startOAuth(folder.path);
  expect((await begin(server, changes)).answer.body['error']).toBe(error);
});

it('an unknown code, one in hostile letters and a form of another page are explained, and change nothing', async () => {
  using folder = temporaryFolder();
  await using server = await startOAuth(folder.path);
  const { userCode, poll } = await begin(server);
  const browser = new Browser(server);
  const page = await browser.open('/.auth/idp/oauth/device?user_code="><script>alert(1)</script>');
  expect(page.text).not.toContain('<script>');
  expect((await browser.send(page, { user_code: 'AAAA-AAAA' })).text).toContain('unknown, used or expired');
  const forged = await browser.open('/.auth/idp/oauth/device', { user_code: userCode, confirm: 'yes', xsrf: 'guess' });
  expect(forged.text).toContain('That did not work');
  expect((await poll()).body['error']).toBe('authorization_pending');
});

it('a form that the browser was not shown is over: 400, and a link to a new one', async () => {
  using folder = temporaryFolder();
  await using server = await startOAuth(folder.path);
  const { userCode } = await begin(server);
  for (const path of ['device', 'device/code', 'device/%00']) {
    const form = path === 'device' ? { user_code: userCode, confirm: 'yes', xsrf: '' } : undefined;
    const { response, text } = await new Browser(server).open(`/.auth/idp/oauth/${path}`, form);
    expect([path, response.status]).toEqual([path, 400]);
    expect(text).toContain('<a href="/.auth/idp/oauth/device">Open it again</a>');
  }
});

it('RFC 8628 section 5.4: consent is asked for every device, also of a client that the person knows', async () => {
  using folder = temporaryFolder();
  const oauthClients = [{ clientId: 'cli', name: 'Cli' }];
  await using server = await startOAuth(folder.path, { oauthClients });
  const browser = new Browser(server);
  await browser.signIn('alice');
  for (let time = 0; time < 2; time += 1) {
    const { body } = await post(server, 'device/code', { client_id: 'cli' });
    const compared = await browser.send(await browser.open('/.auth/idp/oauth/device'), {
      user_code: String(body['user_code']),
    });
    const asked = await browser.send(compared, { confirm: 'yes' });
    expect(asked.text).toContain('Let Cli in?');
    await browser.send(asked, { decision: 'allow' });
  }
});
