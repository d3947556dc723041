import { temporaryFolder } from '@sextant/contracts/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import plugin from './index.ts';
import { redirectUri, startOidc } from './testing/start-oidc.ts';
import type { OidcOptions, StartedOidc } from './testing/start-oidc.ts';
import { startUpstream, visitUpstream } from './testing/upstream.ts';
import type { Upstream } from './testing/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream(redirectUri);
  upstream.people.set('u-1', { preferred_username: 'ann', email: 'ann@acme.example', email_verified: true });
  upstream.people.set('u-2', { preferred_username: 'ben', email: 'alice@acme.example', email_verified: false });
  upstream.people.set('u-3', { preferred_username: 'al', email: 'Alice@acme.example', email_verified: true });
  upstream.people.set('u-4', { preferred_username: 'other', email: 'alice@acme.example', email_verified: true });
  upstream.people.set('u-5', { preferred_username: 'admin' });
});
afterAll(() => upstream[Symbol.asyncDispose]());

const alice = { users: [{ name: 'alice', email: 'alice@acme.example' }] };

async function withOidc(options: Omit<OidcOptions, 'upstream'>, work: (started: StartedOidc) => Promise<void>) {
  using folder = temporaryFolder();
  await using started = await startOidc(folder.path, { upstream, ...options });
  await work(started);
}

describe('signing in through a provider', () => {
  it('goes there and back to where the person wanted to be, and makes a user of the name and verified address', () =>
    withOidc({}, async ({ signIn, directory, sessions, events }) => {
      expect(sessions.ways()).toEqual([{ name: 'oidc', title: 'Sign in with single sign-on', path: '/sign-in/oidc' }]);
      expect(await signIn('u-1', '?return=/access-tokens?a=b')).toMatchObject({
        status: 303,
        location: '/access-tokens?a=b',
        user: 'ann',
      });
      expect(await directory.find('ann')).toMatchObject({ email: 'ann@acme.example', isSiteAdmin: false, roles: [] });
      expect(events).toMatchObject([
        { action: 'user.added', target: 'ann', address: '192.0.2.1' },
        { action: 'sign-in.succeeded', actor: { name: 'ann' }, address: '192.0.2.1' },
      ]);
    }));

  it('asks for a code with state, nonce and PKCE, all of them new each time', () =>
    withOidc({}, async ({ visit }) => {
      const begin = async (): Promise<URLSearchParams> =>
        new URL((await visit('/sign-in/oidc')).headers.get('location') ?? '').searchParams;
      const [one, two] = [await begin(), await begin()];
      expect(Object.fromEntries(one)).toMatchObject({
        response_type: 'code',
        client_id: 'sextant',
        redirect_uri: redirectUri,
        scope: 'openid profile email',
        code_challenge_method: 'S256',
      });
      for (const name of ['state', 'nonce', 'code_challenge'])
        expect([one.get(name)?.length, one.get(name)]).not.toEqual([43, two.get(name)]);
      const again = await visit('/sign-in/oidc?again');
      expect(new URL(again.headers.get('location') ?? '').searchParams.get('prompt')).toBe('login');
    }));

  it('keeps the attempt in an HttpOnly cookie of ten minutes, and nowhere else', () =>
    withOidc({}, async ({ visit }) => {
      const cookie = (await visit('/sign-in/oidc')).headers.get('set-cookie');
      expect(cookie).toMatch(/^sextant-oidc=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/);
    }));

  it('asks for the discovery document once for many, and begins again after a failure', async () => {
    using folder = temporaryFolder();
    const gone = await startUpstream(redirectUri);
    await using started = await startOidc(folder.path, { upstream: gone });
    await Promise.all(Array.from({ length: 5 }, () => started.visit('/sign-in/oidc')));
    expect(gone.asked).toEqual(['/.well-known/openid-configuration']);
    await gone[Symbol.asyncDispose]();
    using other = temporaryFolder();
    await using late = await startOidc(other.path, { upstream: gone });
    const refused = await late.visit('/sign-in/oidc');
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('cannot be reached')]);
  });

  it('is off without an issuer, and offers nothing', () =>
    withOidc({ config: { issuer: undefined } }, async ({ visit, sessions }) => {
      expect(sessions.ways()).toEqual([]);
      expect((await visit('/sign-in/oidc')).status).toBe(404);
      expect((await visit('/sign-in/oidc/callback?code=a&state=b')).status).toBe(404);
    }));
});

describe('who comes back', () => {
  it('is never another user by an e-mail address that the provider has not verified', () =>
    withOidc({ directory: alice }, async ({ signIn, directory }) => {
      expect(await signIn('u-2')).toMatchObject({ user: 'ben' });
      expect(await directory.find('ben')).not.toHaveProperty('email');
    }));

  it('is the one user with the verified address, from then on by issuer and subject alone', () =>
    withOidc({ directory: alice }, async ({ signIn }) => {
      expect(await signIn('u-3')).toMatchObject({ user: 'alice' });
      // Whoever is given the address later is someone else.
      expect(await signIn('u-4')).toMatchObject({ user: 'other' });
      upstream.people.set('u-3', { preferred_username: 'renamed' });
      expect(await signIn('u-3')).toMatchObject({ user: 'alice' });
      upstream.people.set('u-3', { preferred_username: 'al', email: 'Alice@acme.example', email_verified: true });
    }));

  it('is not linked by address where that is switched off, or where two users have it', async () => {
    await withOidc({ directory: alice, config: { linkByEmail: false } }, async ({ signIn }) =>
      expect(await signIn('u-3')).toMatchObject({ user: 'al' }),
    );
    const twins = { users: [...alice.users, { name: 'twin', email: 'ALICE@acme.example' }] };
    await withOidc({ directory: twins }, async ({ signIn }) =>
      expect(await signIn('u-3')).toMatchObject({ user: 'al' }),
    );
  });

  it('is not a user for having the same name, until an operator says so', () =>
    withOidc({}, async ({ signIn, run }) => {
      const refused = await signIn('u-5');
      expect(refused).toMatchObject({ status: 403, user: undefined });
      expect(refused.text).toContain('There is a user admin here already');
      expect(await run('oidc link', { name: 'ADMIN', subject: 'u-5' })).toContain('admin signs in');
      expect(await signIn('u-5')).toMatchObject({ user: 'admin' });
      await expect(run('oidc link', { name: 'admin', subject: 'u-9' })).rejects.toMatchObject({ code: 'conflict' });
      await run('oidc unlink', { name: 'admin' });
      expect(await signIn('u-5')).toMatchObject({ status: 403 });
      await expect(run('oidc unlink', { name: 'admin' })).rejects.toMatchObject({ code: 'not_found' });
    }));

  it('is let in only with a verified address of an allowed domain', () =>
    withOidc({ config: { allowedEmailDomains: ['acme.example'] } }, async ({ signIn, events }) => {
      expect(await signIn('u-1')).toMatchObject({ user: 'ann' });
      const refused = await signIn('u-2');
      expect(refused).toMatchObject({ status: 403, user: undefined });
      expect(refused.text).toContain('verified e-mail address at acme.example');
      expect(events.at(-1)).toMatchObject({ action: 'sign-in.failed', outcome: 'failure', address: '192.0.2.1' });
    }));

  it('must be a user already where users are not created, and an enabled one', () =>
    withOidc({ config: { createUsers: false } }, async ({ signIn, directory }) => {
      expect((await signIn('u-1')).text).toContain('There is no user for you here');
      await directory.add({ name: 'annie', email: 'ann@acme.example' });
      expect(await signIn('u-1')).toMatchObject({ user: 'annie' });
      await directory.setDisabled('annie', true);
      expect(await signIn('u-1')).toMatchObject({ status: 403, user: undefined });
    }));

  it('has the roles of its groups, those that come and those that go, and keeps others', () => {
    const role = { permissions: ['MCP#ACCESS'] };
    const directory = { roles: { 'team-shop': role, 'team-till': role, auditors: role } };
    const config = { roles: { shop: 'team-shop', till: 'team-till' } };
    return withOidc({ directory, config }, async ({ signIn, directory: users, events }) => {
      const rolesWith = async (groups: unknown): Promise<readonly string[] | undefined> => {
        upstream.people.set('u-6', { preferred_username: 'cleo', groups });
        await signIn('u-6');
        return (await users.find('cleo'))?.roles;
      };
      expect(await rolesWith(['shop', 'unknown'])).toEqual(['team-shop']);
      await users.setRoles('cleo', ['team-shop', 'auditors']);
      expect(await rolesWith(['till'])).toEqual(['auditors', 'team-till']);
      expect(await rolesWith('shop')).toEqual(['auditors', 'team-shop']);
      expect(await rolesWith(undefined)).toEqual(['auditors']);
      expect(events.findLast(({ action }) => action === 'roles.changed')).toMatchObject({
        actor: { name: 'cleo' },
        target: 'cleo',
        detail: 'auditors',
      });
    });
  });

  it('is told, not let in, where a group is given a role that there is not', () =>
    withOidc({ config: { roles: { shop: 'missing' } } }, async ({ signIn }) => {
      upstream.people.set('u-7', { preferred_username: 'dora', groups: ['shop'] });
      expect(await signIn('u-7')).toMatchObject({ status: 503, user: undefined });
    }));
});

describe('an attacker', () => {
  it('cannot make a browser finish a sign-in that it did not begin (login forgery)', () =>
    withOidc({}, async ({ visit }) => {
      const attacker = await visit('/sign-in/oidc');
      const back = await visitUpstream(attacker.headers.get('location') ?? '', 'u-1');
      const victim = (await visit('/sign-in/oidc')).headers.get('set-cookie')?.split(';')[0] ?? '';
      for (const cookie of ['', victim]) {
        const response = await visit(back.pathname + back.search, cookie);
        expect([response.status, response.headers.getSetCookie()]).toEqual([
          403,
          [expect.stringContaining('Max-Age=0')],
        ]);
        expect(await response.text()).toContain('began in another browser');
      }
    }));

  it('cannot finish a sign-in twice, or with an answer of another issuer (RFC 9207)', () =>
    withOidc({}, async ({ visit }) => {
      const begin = async (): Promise<{ back: URL; cookie: string }> => {
        const begun = await visit('/sign-in/oidc');
        const back = await visitUpstream(begun.headers.get('location') ?? '', 'u-1');
        return { back, cookie: begun.headers.get('set-cookie')?.split(';')[0] ?? '' };
      };
      const first = await begin();
      expect((await visit(first.back.pathname + first.back.search, first.cookie)).status).toBe(303);
      expect((await visit(first.back.pathname + first.back.search, first.cookie)).status).toBe(403);
      const mixed = await begin();
      mixed.back.searchParams.set('iss', 'https://evil.example');
      expect((await visit(mixed.back.pathname + mixed.back.search, mixed.cookie)).status).toBe(403);
    }));

  it.each(['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)'])(
    'cannot have a person sent to %s afterwards',
    (target) =>
      withOidc({}, async ({ signIn }) => {
        expect(await signIn('u-1', `?return=${encodeURIComponent(target)}`)).toMatchObject({ location: '/' });
      }),
  );

  it('cannot write into the page that tells what the provider said', () =>
    withOidc({}, async ({ signIn }) => {
      const refused = await signIn('', '?return=/access-tokens');
      expect(refused.status).toBe(403);
      expect(refused.text).toContain('href="/sign-in/oidc?return=%2Faccess-tokens"');
      expect(refused.text).toContain('The provider did not let you in (access_denied): nobody &lt;b>you&lt;/b> know');
    }));
});

describe('the configuration', () => {
  const check = (config: object): string | undefined => plugin.config.safeParse(config).error?.issues[0]?.message;

  it('needs https, but for a provider on this machine, and a clientId', () => {
    expect(check({ issuer: 'http://login.example', clientId: 'a' })).toBe('must begin with https://');
    const gitlab = { issuer: 'https://gitlab.com', clientId: 'a' };
    expect(check(gitlab)).toContain('everyone can have an account at gitlab.com');
    for (const keys of [{ allowedEmailDomains: ['acme.example'] }, { createUsers: false }])
      expect(check({ ...gitlab, ...keys })).toBeUndefined();
    expect(check({ issuer: 'https://gitlab.example.com', clientId: 'a' })).toBeUndefined();
    expect(check({ issuer: 'http://127.0.0.1:9', clientId: 'a' })).toBeUndefined();
    expect(check({ issuer: 'https://login.example' })).toBe('is needed with an issuer');
    expect(check({ issuer: 'https://login.example', clientId: 'a', scopes: ['email'] })).toBe('must have "openid"');
    expect(check({})).toBeUndefined();
  });
});
