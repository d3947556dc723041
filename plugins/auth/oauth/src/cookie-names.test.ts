import { expect, it } from 'vitest';
import { cookieNames } from './cookie-names.ts';

it('are bound to this host on https, and to this port where cookies are shared', () => {
  expect(cookieNames('https://code.example.com')).toEqual({
    session: '__Host-sextant-oauth',
    interaction: '__Secure-sextant-oauth-consent',
    resume: '__Secure-sextant-oauth-resume',
  });
  expect(cookieNames('http://127.0.0.1:7080').session).toBe('sextant-oauth-7080');
  expect(cookieNames('http://localhost').session).toBe('sextant-oauth');
});
