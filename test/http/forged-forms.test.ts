import { Directory, Sessions } from '@sextant/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadPreset } from '../support/preset.ts';
import { externalURL, startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

/** Answer to whoever shows a token, a code or a signature of their own, and look at no cookie. */
const forPrograms =
  /^\/(\.auth\/idp\/oauth\/(token|register|revoke|introspect|device\/code|userinfo)|\.api\/|api\/.*(ingest|webhook|scip))/;

/** Has a session and a token of the protocol's library, which the tests of the device flow forge. */
const deviceForm = '/.auth/idp/oauth/device';

const plugins = await loadPreset();
const paths = plugins
  .flatMap(({ pages }) => pages)
  .filter(({ method, path }) => method !== 'GET' && !forPrograms.test(path) && path !== deviceForm)
  .map(({ method, path }) => ({ method, path: path.replaceAll(/:\w+|\*\*/g, '1') }));

let server: TestServer;
let cookie: string;
let csrf: string;
beforeAll(async () => {
  server = await startServer({ plugins });
  const { sessions, directory } = server.serving.current.assembly.services.resolve({
    sessions: Sessions,
    directory: Directory,
  });
  const admin = await directory.find('admin');
  const setCookie = await sessions.begin(admin?.id ?? 0, new Request(externalURL));
  cookie = setCookie.split(';')[0] ?? '';
  ({ csrfToken: csrf } = await sessions.formToken(new Request(externalURL, { headers: { cookie } })));
});
afterAll(() => server.close());

const send = ({ method, path }: { method: string; path: string }, headers: Record<string, string>, token: string) =>
  fetch(server.url + path, {
    method,
    redirect: 'manual',
    headers: { cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ csrf: token, name: 'stolen', decision: 'allow', everywhere: '1' }).toString(),
  });

test('there are forms', () => expect(paths.length).toBeGreaterThan(10));

describe.each(paths)('$method $path', (page) => {
  test.each([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another site that hides its origin', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['a site below this one', { origin: 'https://evil.code.example.com', 'sec-fetch-site': 'same-site' }],
    ['another port', { origin: 'https://code.example.com:8443', 'sec-fetch-site': 'same-site' }],
    ['a program that names no origin', {}],
    ['a link', { 'sec-fetch-site': 'none' }],
  ])('does nothing for %s, not even with the right token', async (_from, headers) => {
    const { status, headers: answer } = await send(page, headers, csrf);
    expect([status >= 400 && status < 500, answer.getSetCookie()]).toEqual([true, []]);
  });

  test('does nothing for a page of this server that does not know the token', async () => {
    const { status } = await send(page, { origin: externalURL, 'sec-fetch-site': 'same-origin' }, 'guess');
    expect(status >= 400 && status < 500).toBe(true);
  });
});

test('the session of the one who was attacked goes on, and no token was made', async () => {
  const page = await fetch(`${server.url}/access-tokens`, { headers: { cookie } });
  expect([page.status, (await page.text()).includes('stolen')]).toEqual([200, false]);
});
