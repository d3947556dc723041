import { generateKeyPairSync } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { temporaryFolder } from '@sextant/contracts/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startHostileProvider } from './testing/hostile-provider.ts';
import type { HostileProvider, IdToken, Lies } from './testing/hostile-provider.ts';
import { startOidc } from './testing/start-oidc.ts';
import type { OidcOptions, StartedOidc } from './testing/start-oidc.ts';
import { upstreamClient } from './testing/upstream.ts';

let provider: HostileProvider;
/** What a provider's documents would make this server ask for. */
let internal: HostileProvider;
beforeAll(async () => {
  provider = await startHostileProvider();
  internal = await startHostileProvider();
});
beforeEach(() => {
  provider.lies = {};
  provider.asked.length = 0;
  internal.asked.length = 0;
});
afterAll(async () => {
  await provider[Symbol.asyncDispose]();
  await internal[Symbol.asyncDispose]();
});

async function withOidc(work: (started: StartedOidc) => Promise<void>, options: Partial<OidcOptions> = {}) {
  using folder = temporaryFolder();
  await using started = await startOidc(folder.path, { upstream: provider, ...options });
  await work(started);
}

/** Begins a sign-in and comes back with a code, and with whatever else the answer is given. */
async function arrive(started: StartedOidc, changes: (answer: URLSearchParams) => void = () => undefined) {
  const begun = await started.visit('/sign-in/oidc');
  const asked = new URL(begun.headers.get('location') ?? 'http://refused.invalid').searchParams;
  const answer = new URLSearchParams({ code: asked.get('nonce') ?? '', state: asked.get('state') ?? '' });
  changes(answer);
  const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
  const response = await started.visit(`/sign-in/oidc/callback?${answer}`, cookie);
  const cookies = response.headers.getSetCookie().map((each) => each.split(';')[0]);
  const caller = await started.authenticate({ cookie: cookies.join('; ') });
  return { status: response.status, text: await response.text(), user: caller?.user.name };
}

const refused = { status: 403, user: undefined };

const withClaims =
  (claims: Record<string, unknown>) =>
  (honest: IdToken): IdToken => ({ ...honest, claims: { ...honest.claims, ...claims } });

const without =
  (claim: string) =>
  (honest: IdToken): IdToken => ({
    ...honest,
    claims: Object.fromEntries(Object.entries(honest.claims).filter(([name]) => name !== claim)),
  });

const withHeader =
  (header: Record<string, unknown>, more: Partial<IdToken> = {}) =>
  (honest: IdToken): IdToken => ({ ...honest, ...more, header: { ...honest.header, ...header } });

const seconds = (from: number): number => Math.floor(Date.now() / 1000) + from;
const stolenKey = (): Partial<IdToken> => ({ key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey });

it('an honest answer lets a person in', () =>
  withOidc(async (started) => expect(await arrive(started)).toMatchObject({ status: 303, user: 'ann' })));

describe('an ID token is refused', () => {
  it.each<[string, (honest: IdToken) => IdToken | undefined]>([
    ['when there is none', () => undefined],
    ['without a nonce', without('nonce')],
    ['with the nonce of another sign-in', withClaims({ nonce: 'n'.repeat(43) })],
    ['with a list that has the nonce', (honest) => withClaims({ nonce: [honest.claims['nonce']] })(honest)],
    ['that is signed by nobody', withHeader({ alg: 'none' }, { signature: 'none' })],
    ['that is signed by nobody, under the name of an algorithm', withHeader({}, { signature: 'none' })],
    ['with HS256 and the public key as PEM', (honest) => hs256(provider.publicPem)(honest)],
    ['with HS256 and the public key as JWK', (honest) => hs256(JSON.stringify(provider.publicKey))(honest)],
    ['with HS256 and the secret of the client', (honest) => hs256(upstreamClient.clientSecret)(honest)],
    ['that another key signed under the same name', withHeader({}, stolenKey())],
    ['that a key signed which the provider does not have', withHeader({ kid: 'second' })],
    [
      'that brings the key that signed it',
      (honest) => withHeader({ jwk: provider.publicKey, jku: `${internal.issuer}/jwks` }, stolenKey())(honest),
    ],
    ['with an extension that must be understood', withHeader({ crit: ['exp'], exp: 1 })],
    ['of another issuer', withClaims({ iss: 'https://login.example' })],
    ['of an issuer that begins alike', (honest) => withClaims({ iss: `${provider.issuer}/` })(honest)],
    ['without an issuer', without('iss')],
    ['for another client', withClaims({ aud: 'another' })],
    ['for nobody', without('aud')],
    ['for several clients that does not say who asked', withClaims({ aud: ['sextant', 'another'] })],
    ['that another client asked for', withClaims({ aud: ['sextant', 'another'], azp: 'another' })],
    ['that expired an hour ago', withClaims({ exp: seconds(-3600) })],
    ['that never expires', without('exp')],
    ['that is good from tomorrow on', withClaims({ nbf: seconds(86_400) })],
    ['of nobody', without('sub')],
    ['of a number', withClaims({ sub: 1 })],
    ['of an empty name', withClaims({ sub: '' })],
    ['of someone else than the access token', withClaims({ sub: 'u-2' })],
  ])('%s', (_what, idToken) =>
    withOidc(async (started) => {
      provider.lies = { idToken };
      expect(await arrive(started)).toMatchObject(refused);
      expect(internal.asked).toEqual([]);
      expect(started.events.at(-1)).toMatchObject({ action: 'sign-in.failed' });
    }),
  );

  const hs256 =
    (secret: string) =>
    (honest: IdToken): IdToken =>
      withHeader({ alg: 'HS256' }, { signature: 'HS256', key: secret })(honest);

  it.each(['none', 'HS256'] as const)('with %s although the provider says that it signs so', (alg) =>
    withOidc(async (started) => {
      provider.lies = {
        metadata: { id_token_signing_alg_values_supported: [alg] },
        idToken: withHeader({ alg }, { signature: alg, key: provider.publicPem }),
      };
      expect(await arrive(started)).toMatchObject(refused);
    }),
  );

  it('in the second sign-in with it, also by the same person', () =>
    withOidc(async (started) => {
      let first: IdToken | undefined;
      provider.lies = { idToken: (honest) => (first ??= honest) };
      expect(await arrive(started)).toMatchObject({ user: 'ann' });
      expect(await arrive(started)).toMatchObject(refused);
    }));
});

describe('an answer is refused', () => {
  it.each<[string, (answer: URLSearchParams) => void]>([
    ['of another issuer', (answer) => answer.set('iss', 'https://login.example')],
    ['of an issuer that begins alike', (answer) => answer.set('iss', `${provider.issuer}/`)],
    ['of two issuers', (answer) => [provider.issuer, 'https://login.example'].map((iss) => answer.append('iss', iss))],
    ['with an ID token in the URL', (answer) => answer.set('id_token', 'e30.e30.')],
    ['without a code', (answer) => answer.delete('code')],
    ['with two codes', (answer) => answer.append('code', 'x')],
    ['with two states', (answer) => answer.append('state', 'x')],
    ['without a state', (answer) => answer.delete('state')],
  ])('%s', (_what, change) =>
    withOidc(async (started) => expect(await arrive(started, change)).toMatchObject(refused)),
  );

  it('without its issuer, of a provider that names it (RFC 9207 section 2.4)', () =>
    withOidc(async (started) => {
      provider.lies = { metadata: { authorization_response_iss_parameter_supported: true } };
      expect(await arrive(started)).toMatchObject(refused);
      expect(await arrive(started, (answer) => answer.set('iss', provider.issuer))).toMatchObject({ user: 'ann' });
    }));
});

it('who brings many wrong answers makes no more requests to the provider, and keeps nobody out for long', () =>
  withOidc(async (started) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const denied = (answer: URLSearchParams): void => answer.set('error', 'access_denied');
    expect(await arrive(started)).toMatchObject({ user: 'ann' });
    for (let count = 0; count < 100; count += 1) expect((await arrive(started, denied)).status).toBe(403);
    provider.asked.length = 0;
    expect(await arrive(started)).toMatchObject({ status: 429, user: undefined });
    expect(provider.asked).toEqual([]);
    vi.setSystemTime(Date.now() + 60_000);
    expect(await arrive(started)).toMatchObject({ user: 'ann' });
  }));

describe('the documents of a provider', () => {
  const big = 'x'.repeat(2 * 1024 * 1024);
  const sendTo =
    (status: number, location: string) =>
    (response: ServerResponse): void =>
      void response.writeHead(status, { location }).end();
  const send =
    (body: string | Buffer, headers: Record<string, string> = {}) =>
    (response: ServerResponse): void =>
      void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);

  it.each<[string, () => Lies]>([
    ['the metadata of another issuer', () => ({ metadata: { issuer: internal.issuer } })],
    ['metadata of 2 MiB', () => ({ metadata: { big } })],
    [
      'metadata that is much longer than what was sent',
      () => ({
        at: { [discovery]: send(gzipSync(JSON.stringify({ issuer: big })), { 'content-encoding': 'gzip' }) },
      }),
    ],
    ['metadata that is a page', () => ({ at: { [discovery]: send('<html>', { 'content-type': 'text/html' }) } })],
    ['metadata that is somewhere else', () => ({ at: { [discovery]: sendTo(302, internal.issuer + discovery) } })],
    ['metadata that is nowhere', () => ({ at: { [discovery]: sendTo(302, discovery) } })],
    ['keys of 2 MiB', () => ({ keys: [provider.publicKey, { kty: 'RSA', n: big }] })],
    ['keys that are somewhere else', () => ({ at: { '/jwks': sendTo(302, `${internal.issuer}/jwks`) } })],
    ['no keys', () => ({ keys: [] })],
    ['tokens that are somewhere else', () => ({ at: { '/token': sendTo(307, `${internal.issuer}/token`) } })],
    ['claims that are somewhere else', () => ({ at: { '/me': sendTo(302, `${internal.issuer}/me`) } })],
    ['claims of 2 MiB', () => ({ userInfo: { big } })],
    ['claims of someone else', () => ({ userInfo: { sub: 'u-2' } })],
  ])('are not believed, and not followed: %s', (_what, lies) =>
    withOidc(async (started) => {
      provider.lies = lies();
      const { status, user } = await arrive(started);
      expect([user, [403, 503].includes(status)]).toEqual([undefined, true]);
      expect(internal.asked).toEqual([]);
      expect(provider.asked.length).toBeLessThan(6);
    }),
  );
});

const discovery = '/.well-known/openid-configuration';

describe('who someone is', () => {
  const users = { users: [{ name: 'kate', email: 'kate@acme.example' }] };
  const domain = { allowedEmailDomains: ['acme.example'] };

  it.each<[string, Lies]>([
    ['an address that is not verified', { userInfo: { email: 'kate@acme.example' } }],
    ['one that is verified by anything but true', { userInfo: { email: 'kate@acme.example', email_verified: 1 } }],
    [
      'an address of one document and the proof of another',
      { idToken: withClaims({ email: 'kate@acme.example' }), userInfo: { email_verified: true } },
    ],
    // Kelvin sign: a k only when it is written small.
    ['a letter that becomes another', { userInfo: { email: '\u212Aate@acme.example', email_verified: true } }],
    ['a list', { userInfo: { email: ['kate@acme.example'], email_verified: true } }],
    ['two addresses', { userInfo: { email: 'eve@evil.example,kate@acme.example', email_verified: true } }],
    ['a name and an address', { userInfo: { email: 'Eve <kate@acme.example>', email_verified: true } }],
    ['spaces around it', { userInfo: { email: ' kate@acme.example', email_verified: true } }],
  ])('is no other user by %s', (_what, lies) =>
    withOidc(
      async (started) => {
        provider.lies = lies;
        expect((await arrive(started)).user).toBe('ann');
      },
      { directory: users },
    ),
  );

  it.each<[string, Lies]>([
    ['that is not verified', { userInfo: { email: 'kate@acme.example' } }],
    ['that only ends alike', { userInfo: { email: 'kate@evil-acme.example', email_verified: true } }],
    ['below it', { userInfo: { email: 'kate@evil.acme.example', email_verified: true } }],
    ['beside another', { userInfo: { email: 'eve@evil.example,eve@acme.example', email_verified: true } }],
    ['in quotes', { userInfo: { email: '"eve@evil.example"@acme.example', email_verified: true } }],
  ])('is not of a domain by an address %s', (_what, lies) =>
    withOidc(
      async (started) => {
        provider.lies = lies;
        expect(await arrive(started)).toMatchObject(refused);
      },
      { config: domain },
    ),
  );

  it('is someone else for another issuer under the same subject', async () => {
    using folder = temporaryFolder();
    {
      await using started = await startOidc(folder.path, { upstream: provider });
      expect(await arrive(started)).toMatchObject({ user: 'ann' });
    }
    await using other = await startHostileProvider();
    other.lies = { idToken: withClaims({ preferred_username: 'eve' }) };
    await using started = await startOidc(folder.path, { upstream: other });
    expect(await arrive(started)).toMatchObject({ user: 'eve' });
  });

  it('stays the same user when the provider gives them the address or the name of another', () =>
    withOidc(
      async (started) => {
        expect(await arrive(started)).toMatchObject({ user: 'ann' });
        provider.lies = {
          userInfo: { email: 'kate@acme.example', email_verified: true },
          idToken: withClaims({ preferred_username: 'admin' }),
        };
        expect(await arrive(started)).toMatchObject({ user: 'ann' });
        expect(await started.directory.find('ann')).not.toHaveProperty('email');
      },
      { directory: users },
    ));
});
