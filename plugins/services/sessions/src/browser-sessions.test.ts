import { temporaryFolder } from '@sextant/contracts/testing';
import { contentsOf } from '@sextant/service-postgres/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { origin, startSessions } from './testing/start-sessions.ts';
import type { StartedSessions } from './testing/start-sessions.ts';

const day = 86_400_000;
const adminId = 1;

/** What a browser sends back of a `Set-Cookie`. */
const sentBack = (setCookie: string): string => setCookie.split(';')[0] ?? '';
const withCookie = (cookie: string): Headers => new Headers({ cookie });
const request = (headers: HeadersInit = {}): Request => new Request(`${origin}/sign-in/test`, { headers });

const begin = async ({ sessions }: StartedSessions, userId = adminId): Promise<string> =>
  sentBack(await sessions.begin(userId, request()));

function stopClock(): void {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** A form as a page of this server sends it, unless changed. */
const formOf = (fields: Record<string, string>, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body: new URLSearchParams(fields),
  headers: { host: 'localhost', origin, 'sec-fetch-site': 'same-origin', ...headers },
});

describe('a session', () => {
  it('says who is signed in, with the rights of now, under every scope', async () => {
    using folder = temporaryFolder();
    await using started = await startSessions(folder.path);
    const cookie = await begin(started);
    expect(await started.authenticate({ cookie })).toMatchObject({
      user: { name: 'admin', isSiteAdmin: true },
      scopes: new Set(['all']),
    });
    expect(await started.authenticate({})).toBeUndefined();
    expect(await started.authenticate({ cookie: cookie.slice(0, -1) })).toBeUndefined();
  });

  it('is listed of its user, without what it is, while it has not ended', async () => {
    using folder = temporaryFolder();
    await using started = await startSessions(folder.path);
    const cookie = await begin(started);
    await begin(started);
    const listed = await started.sessions.ofUser(adminId);
    expect(listed).toEqual([1, 2].map(() => ({ signedInAt: expect.any(String), seenAt: expect.any(String) })));
    await started.sessions.end(withCookie(cookie));
    expect(await started.sessions.ofUser(adminId)).toHaveLength(1);
    expect(await started.sessions.ofUser(adminId + 1)).toEqual([]);
    expect((await started.sessions.list()).map(({ userId }) => userId)).toEqual([adminId]);
    stopClock();
    vi.setSystemTime(Date.now() + 8 * day);
    expect(await started.sessions.ofUser(adminId)).toEqual([]);
  });

  it('is stored as a hash: a thief of the database has no usable cookie', async () => {
    using folder = temporaryFolder();
    await using started = await startSessions(folder.path);
    const [, secret = ''] = (await begin(started)).split('=');
    const files = await contentsOf(folder.path);
    const holds = (what: string | Buffer): boolean => files.some((file) => file.includes(what));
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect([holds('session'), holds(secret), holds(Buffer.from(secret, 'base64url'))]).toEqual([true, false, false]);
  });

  it('gets a new id whatever the request carried, and the old one ends', async () => {
    using folder = temporaryFolder();
    await using started = await startSessions(folder.path);
    const before = await begin(started);
    const after = sentBack(await started.sessions.begin(adminId, request({ cookie: before })));
    expect(after).not.toBe(before);
    expect(await started.sessions.find(withCookie(before))).toBeUndefined();
    expect(await started.sessions.find(withCookie(after))).toBeDefined();
  });

  it('ends on signing out, here or everywhere, and with its user', async () => {
    using folder = temporaryFolder();
    await using started = await startSessions(folder.path);
    const { sessions, directory } = started;
    const bob = await directory.add({ name: 'bob' });
    const cookies = [await begin(started), await begin(started), await begin(started), await begin(started, bob.id)];
    const alive = async (): Promise<boolean[]> =>
      Promise.all(cookies.map(async (cookie) => Boolean(await sessions.find(withCookie(cookie)))));
    expect(await sessions.end(withCookie(cookies[0] ?? ''))).toMatch(/^sextant-session=;.*Max-Age=0$/);
    expect(await alive()).toEqual([false, true, true, true]);
    await sessions.endAll(adminId);
    expect(await alive()).toEqual([false, false, false, true]);
    await directory.setDisabled('bob', true);
    expect(await alive()).toEqual([false, false, false, false]);
  });

  it('ends when it is not used for a week, and a month after signing in although it is used', async () => {
    stopClock();
    using folder = temporaryFolder();
    await using started = await startSessions(folder.path);
    const [idle, used] = [await begin(started), await begin(started)];
    for (let days = 6; days < 30; days += 6) {
      vi.setSystemTime(Date.now() + 6 * day);
      expect(await started.sessions.find(withCookie(used)), `${days} days`).toBeDefined();
    }
    expect(await started.sessions.find(withCookie(idle))).toBeUndefined();
    vi.setSystemTime(Date.now() + 6 * day);
    expect(await started.sessions.find(withCookie(used))).toBeUndefined();
  });
});

describe('a clock that jumps', () => {
  it.each([-365 * day, -day])(
    'back by %d ms makes sessions of before no longer, and lets people sign in anew',
    async (ms) => {
      stopClock();
      using folder = temporaryFolder();
      await using started = await startSessions(folder.path);
      const cookie = await begin(started);
      vi.setSystemTime(Date.now() + ms);
      expect(await started.sessions.find(withCookie(cookie))).toBeUndefined();
      expect(await started.sessions.find(withCookie(await begin(started)))).toBeDefined();
    },
  );

  it.each([8 * day, 365 * day])('on by %d ms and back again brings back no session that had ended', async (ms) => {
    stopClock();
    using folder = temporaryFolder();
    await using started = await startSessions(folder.path);
    const cookie = await begin(started);
    vi.setSystemTime(Date.now() + ms);
    expect(await started.sessions.find(withCookie(cookie))).toBeUndefined();
    vi.setSystemTime(Date.now() - ms);
    expect(await started.sessions.find(withCookie(cookie))).toBeUndefined();
    expect(await started.sessions.find(withCookie(await begin(started)))).toBeDefined();
  });

  it('back within a session makes the time that it may be idle no longer', async () => {
    stopClock();
    using folder = temporaryFolder();
    await using started = await startSessions(folder.path);
    const cookie = await begin(started);
    vi.setSystemTime(Date.now() + 5 * day);
    expect(await started.sessions.find(withCookie(cookie))).toBeDefined();
    vi.setSystemTime(Date.now() - 4 * day);
    expect(await started.sessions.find(withCookie(cookie))).toBeDefined();
    vi.setSystemTime(Date.now() + 8 * day);
    expect(await started.sessions.find(withCookie(cookie))).toBeUndefined();
  });
});

describe('a form', () => {
  it('is read with the token of the session or of the browser before it', async () => {
    using folder = temporaryFolder();
    await using started = await startSessions(folder.path);
    const { sessions } = started;
    const read = (csrf: string, cookie: string): Promise<URLSearchParams> =>
      sessions.readForm(new Request(`${origin}/x`, formOf({ csrf, name: 'a b' }, { cookie })));

    const fresh = await sessions.formToken(request());
    const formCookie = sentBack(fresh.setCookie ?? '');
    expect((await read(fresh.csrfToken, formCookie)).get('name')).toBe('a b');
    const again = await sessions.formToken(request({ cookie: formCookie }));
    // Another text each time, or the length of a compressed page would tell it (BREACH).
    expect([again.setCookie, again.csrfToken === fresh.csrfToken]).toEqual([undefined, false]);
    expect((await read(again.csrfToken, formCookie)).get('name')).toBe('a b');

    const cookie = await begin(started);
    const { csrfToken, setCookie } = await sessions.formToken(request({ cookie }));
    expect([setCookie, (await read(csrfToken, cookie)).get('name')]).toEqual([undefined, 'a b']);
    const stale = { code: 'forbidden', message: expect.stringContaining('reload the page') };
    await expect(read(fresh.csrfToken, `${cookie}; ${formCookie}`)).rejects.toMatchObject(stale);
    await expect(read(csrfToken, await begin(started))).rejects.toMatchObject(stale);
    for (const wrong of ['', 'x', csrfToken.slice(1)]) await expect(read(wrong, cookie)).rejects.toMatchObject(stale);
    await expect(read(csrfToken, '')).rejects.toMatchObject(stale);
  });

  it.each([
    ['another origin', { origin: 'https://evil.example' }, 'forbidden'],
    ['another port of this machine', { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }, 'forbidden'],
    ['another site that hides its origin', { origin: 'null', 'sec-fetch-site': 'cross-site' }, 'forbidden'],
    ['a link', { 'sec-fetch-site': 'none' }, 'forbidden'],
    ['a script that sends text', { 'content-type': 'text/plain' }, 'invalid_argument'],
  ])('is refused from %s although its token is right', async (_from, headers, code) => {
    using folder = temporaryFolder();
    await using started = await startSessions(folder.path);
    const cookie = await begin(started);
    const { csrfToken: csrf } = await started.sessions.formToken(request({ cookie }));
    const sent = new Request(`${origin}/x`, formOf({ csrf }, { cookie, ...headers }));
    await expect(started.sessions.readForm(sent)).rejects.toMatchObject({ code });
  });

  it('has at most 64 KiB', async () => {
    using folder = temporaryFolder();
    await using started = await startSessions(folder.path);
    const sent = new Request(`${origin}/x`, formOf({ a: 'x'.repeat(65_537) }));
    await expect(started.sessions.readForm(sent)).rejects.toMatchObject({ code: 'too_large' });
  });
});

describe('the page to sign in', () => {
  const way = (name: string) => ({ name, title: `Sign in with ${name}`, path: `/sign-in/${name}` });

  it('opens the only way at once, offers several by title, and those withdrawn no more', async () => {
    using folder = temporaryFolder();
    await using started = await startSessions(folder.path);
    const { sessions, visit } = started;
    expect(await (await visit('/sign-in')).text()).toContain('No way to sign in is switched on');
    const withdraw = sessions.offer(way('zeta'));
    const alone = await visit('/sign-in?return=/a?b');
    expect([alone.status, alone.headers.get('location')]).toEqual([303, '/sign-in/zeta?return=%2Fa%3Fb']);
    sessions.offer(way('alpha'));
    const text = await (await visit('/sign-in?return=//evil.example')).text();
    expect([...text.matchAll(/href="(\/sign-in[^"]*)"/g)].map(([, href]) => href)).toEqual([
      '/sign-in/alpha?return=%2F',
      '/sign-in/zeta?return=%2F',
    ]);
    withdraw();
    expect((await visit('/sign-in')).headers.get('location')).toBe('/sign-in/alpha');
    const signedOut = await visit('/sign-in?signed-out');
    expect([signedOut.status, await signedOut.text()]).toEqual([
      200,
      expect.stringMatching(/You are signed out[^]*Sign in with alpha/),
    ]);
  });

  it('leads back who is signed in already, and never to another server', async () => {
    using folder = temporaryFolder();
    await using started = await startSessions(folder.path);
    const cookie = await begin(started);
    const visit = (path: string): Promise<Response> => started.visit(path, { headers: { cookie } });
    expect((await visit('/sign-in?return=/a')).headers.get('location')).toBe('/a');
    expect((await visit('/sign-in?return=https://evil.example')).headers.get('location')).toBe('/');
    expect(await (await visit('/sign-in')).text()).toContain('As <strong>admin</strong>');
  });

  it('signs out by a form only, here or everywhere', async () => {
    using folder = temporaryFolder();
    await using started = await startSessions(folder.path);
    const [here, there] = [await begin(started), await begin(started)];
    const out = async (cookie: string, fields: object): Promise<Response> => {
      const { csrfToken: csrf } = await started.sessions.formToken(request({ cookie }));
      return started.visit('/sign-out', formOf({ csrf, ...fields }, { cookie }));
    };
    await expect(started.visit('/sign-out', formOf({}, { cookie: here }))).rejects.toMatchObject({ code: 'forbidden' });
    const response = await out(here, {});
    expect([response.status, response.headers.get('location')]).toEqual([303, '/sign-in?signed-out']);
    expect(response.headers.get('set-cookie')).toContain('Max-Age=0');
    expect(await started.authenticate({ cookie: here })).toBeUndefined();
    expect(await started.authenticate({ cookie: there })).toBeDefined();
    await out(await begin(started), { everywhere: '1' });
    expect(await started.authenticate({ cookie: there })).toBeUndefined();
  });
});
