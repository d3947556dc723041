import { Identities } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import plugin from './index.ts';
import { startGitHubUpstream } from './testing/github-upstream.ts';
import type { GitHubPerson, GitHubUpstream } from './testing/github-upstream.ts';
import { startOidc } from './testing/start-oidc.ts';
import type { StartedOidc } from './testing/start-oidc.ts';
import { visitUpstream } from './testing/upstream.ts';

const ann: GitHubPerson = {
  id: 583231,
  login: 'ann-hub',
  emails: [
    { email: 'old@elsewhere.example', primary: false, verified: true },
    { email: 'ann@acme.example', primary: true, verified: true },
  ],
  memberships: { acme: 'active' },
};

let github: GitHubUpstream;
beforeAll(async () => {
  github = await startGitHubUpstream(ann);
});
afterAll(() => github[Symbol.asyncDispose]());

async function withGitHub(config: object, work: (started: StartedOidc) => Promise<void>, directory: object = {}) {
  using folder = temporaryFolder();
  await using started = await startOidc(folder.path, {
    upstream: github,
    config: { provider: 'github', ...config },
    directory,
  });
  await work(started);
}

describe('signing in with GitHub', () => {
  it('makes a user of login and verified address, known by the number of the account for permissions', () =>
    withGitHub({ organizations: ['acme'] }, async (started) => {
      github.person = ann;
      expect(await started.signIn('', '?return=/access-tokens')).toMatchObject({
        status: 303,
        location: '/access-tokens',
        user: 'ann-hub',
      });
      expect(github.scope).toBe('read:user user:email read:org');
      const user = await started.directory.find('ann-hub');
      expect(user).toMatchObject({ email: 'ann@acme.example' });
      const { identities } = started.services.resolve({ identities: Identities });
      expect(await identities.of(user?.id ?? 0)).toEqual([{ issuer: github.issuer, subject: '583231' }]);
      github.person = { ...ann, login: 'renamed' };
      expect((await started.signIn('')).user).toBe('ann-hub');
      // Whoever takes the old login is somebody else.
      github.person = { ...ann, id: 7, emails: [] };
      expect((await started.signIn('')).status).toBe(403);
    }));

  it('lets in members only, and not those who were only invited', () =>
    withGitHub({ organizations: ['acme', 'umbrella'] }, async ({ signIn }) => {
      for (const memberships of [{}, { acme: 'pending' as const }, { other: 'active' as const }]) {
        github.person = { ...ann, memberships };
        const refused = await signIn('');
        expect(refused).toMatchObject({ status: 403, user: undefined });
        expect(refused.text).toContain('Only members of acme or umbrella at GitHub are let in here.');
      }
      github.person = { ...ann, memberships: { umbrella: 'active' } };
      expect((await signIn('')).user).toBe('ann-hub');
    }));

  it('takes no address that GitHub has not verified, or that is not the first', () =>
    withGitHub({ allowedEmailDomains: ['acme.example'] }, async ({ signIn }) => {
      for (const given of [
        { email: 'ann@acme.example', primary: true, verified: false },
        { email: 'ann@acme.example', primary: false, verified: true },
      ]) {
        github.person = { ...ann, emails: [given] };
        expect((await signIn('')).status).toBe(403);
      }
      expect(github.scope).toBe('read:user user:email');
    }));

  it('gives roles by organisation, and asks for another account where that is wanted', () =>
    withGitHub(
      { organizations: ['acme'], roles: { acme: 'team' } },
      async ({ signIn, directory, visit }) => {
        github.person = ann;
        await signIn('');
        expect(await directory.find('ann-hub')).toMatchObject({ roles: ['team'] });
        const again = await visit('/sign-in/oidc?again');
        const query = new URL(again.headers.get('location') ?? '').searchParams;
        expect([query.get('prompt'), query.get('nonce')]).toEqual(['select_account', null]);
      },
      { roles: { team: { permissions: [] } } },
    ));

  it('ends where state, browser or code is another', () =>
    withGitHub({ organizations: ['acme'] }, async ({ visit }) => {
      github.person = ann;
      const begin = async () => {
        const begun = await visit('/sign-in/oidc');
        const back = await visitUpstream(begun.headers.get('location') ?? '', '');
        return { back, cookie: begun.headers.get('set-cookie')?.split(';')[0] ?? '' };
      };
      const [mine, other] = [await begin(), await begin()];
      const status = async (back: URL, cookie: string) => (await visit(back.pathname + back.search, cookie)).status;
      expect(await status(mine.back, other.cookie)).toBe(403);
      // A code of another attempt has another verifier.
      const swapped = new URL(mine.back);
      swapped.searchParams.set('code', other.back.searchParams.get('code') ?? '');
      expect(await status(swapped, mine.cookie)).toBe(403);
      const third = await begin();
      expect(await status(third.back, third.cookie)).toBe(303);
      expect(await status(third.back, third.cookie)).toBe(403);
    }));

  it('is not configured so that everyone at GitHub is let in', () => {
    const check = (keys: object) =>
      plugin.config.safeParse({ provider: 'github', issuer: 'https://github.com', clientId: 'a', ...keys }).error
        ?.issues[0];
    expect(check({ clientSecret: 'b' })?.message).toContain('everyone can have an account at GitHub');
    expect(check({ organizations: ['acme'] })?.message).toBe('is needed by GitHub');
    for (const keys of [{ organizations: ['acme'] }, { allowedEmailDomains: ['a.example'] }, { createUsers: false }])
      expect(check({ clientSecret: 'b', ...keys })).toBeUndefined();
  });
});
