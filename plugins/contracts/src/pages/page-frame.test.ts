import { silentLogger } from '@sextant/core';
import type { Call, Caller } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { expect, it } from 'vitest';
import { isAnonymous, pageFrame } from './page-frame.ts';
import { memorySessions } from '../testing/index.ts';

const callOf = (caller: Caller): Call => ({
  caller,
  endpoint: '/reports',
  signal: new AbortController().signal,
  log: silentLogger,
  navigation: [{ title: 'Home', path: '/' }],
  reportProgress() {},
});
const nobody = callOf(callerOf('', { id: 0, scopes: [], permissions: [] }));
const way = { name: 'password', title: 'Password', path: '/sign-in/password' };

it('has the token that signs out, for someone with a session', async () => {
  const sessions = memorySessions();
  const cookie = await sessions.begin(1, new Request('http://localhost/'));
  const request = new Request('http://localhost/reports', { headers: { cookie } });
  const frame = await pageFrame(request, callOf(callerOf('alice')), sessions);
  expect(frame).toEqual({
    path: '/reports',
    navigation: [{ title: 'Home', path: '/' }],
    person: { name: 'alice', csrfToken: expect.any(String) },
  });
});

it('has no such token for someone who showed an access token', async () => {
  const { person } = await pageFrame(new Request('http://localhost/x'), callOf(callerOf('alice')), memorySessions());
  expect(person).toEqual({ name: 'alice' });
});

it('leads who is not signed in there and back, where there is a way to sign in', async () => {
  const request = new Request('http://localhost/reports?from=2026-01-01');
  expect(isAnonymous(nobody)).toBe(true);
  expect(await pageFrame(request, nobody, memorySessions())).not.toHaveProperty('signInPath');
  expect(await pageFrame(request, nobody, undefined)).not.toHaveProperty('signInPath');
  const sessions = { ...memorySessions(), ways: () => [way] };
  const { signInPath } = await pageFrame(request, nobody, sessions);
  expect(signInPath).toBe('/sign-in?return=%2Freports%3Ffrom%3D2026-01-01');
});

it('puts pages below another one into a section of that one', async () => {
  const links = ['/', '/admin', '/admin/users', '/admin/audit', '/administrators'].map((path) => ({
    title: path,
    path,
  }));
  const frameOf = (endpoint: string) =>
    pageFrame(
      new Request('http://localhost/'),
      { ...callOf(callerOf('root')), endpoint, navigation: links },
      undefined,
    );
  const paths = (given: readonly { path: string }[] = []): string[] => given.map(({ path }) => path);
  const inside = await frameOf('/admin/users');
  expect(paths(inside.navigation)).toEqual(['/', '/admin', '/administrators']);
  expect(paths(inside.section)).toEqual(['/admin', '/admin/users', '/admin/audit']);
  expect((await frameOf('/admin')).section).toEqual(inside.section);
  for (const endpoint of ['/', '/administrators', '/other'])
    expect(await frameOf(endpoint)).not.toHaveProperty('section');
});
