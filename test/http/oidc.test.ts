import { expect, test } from 'vitest';
import { startUpstream, upstreamClient, visitUpstream } from '../../plugins/auth/oidc/src/testing/upstream.ts';
import { loadPreset } from '../support/preset.ts';
import { externalURL, startServer } from './support/server.ts';

const names = [
  'service-sqlite',
  'service-directory',
  'service-sessions',
  'auth-access-token',
  'auth-oidc',
  'page-access-tokens',
];
const plugins = await loadPreset(names);

test('a person who opens a page is led to the provider and back to the page, signed in', async () => {
  await using upstream = await startUpstream(`${externalURL}/sign-in/oidc/callback`);
  upstream.people.set('u-1', { preferred_username: 'ann' });
  const oidc = { issuer: upstream.issuer, ...upstreamClient };
  await using server = await startServer({ plugins, configs: { 'auth-oidc': oidc } });
  const cookies = new Map<string, string>();
  const open = async (path: string): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(server.url + path, { redirect: 'manual', headers: { cookie, accept: 'text/html' } });
    for (const each of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
  const follow = async (path: string): Promise<string> => (await open(path)).headers.get('location') ?? '';

  const choice = await follow('/access-tokens');
  expect(choice).toBe('/sign-in?return=%2Faccess-tokens');
  const button = await follow(choice);
  expect(button).toBe('/sign-in/oidc?return=%2Faccess-tokens');
  const begun = await open(button);
  // The prefix binds the cookie to exactly this host (RFC 6265bis section 4.1.3.2).
  expect(begun.headers.get('set-cookie')).toMatch(/^__Host-sextant-oidc=.*; Path=\/; HttpOnly; SameSite=Lax; Secure/);
  const back = await visitUpstream(begun.headers.get('location') ?? '', 'u-1');
  expect(back.origin).toBe(externalURL);
  expect(await follow(back.pathname + back.search)).toBe('/access-tokens');
  expect(cookies.get('__Host-sextant-oidc')).toBe('');
  expect(await (await open('/access-tokens')).text()).toContain('ann');
});
