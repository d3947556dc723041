import { describe, expect, it } from 'vitest';
import { Cookie, newSecret } from './cookie.ts';

describe('the cookie', () => {
  it('is bound to exactly this host on https', () => {
    expect(new Cookie('session', 'https://code.example.com').set('x', 60)).toBe(
      '__Host-sextant-session=x; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=60',
    );
  });

  it('has the port in its name on http, where all servers of a machine share their cookies', () => {
    expect(new Cookie('session', 'http://127.0.0.1:7080').set('x')).toBe(
      'sextant-session-7080=x; Path=/; HttpOnly; SameSite=Lax',
    );
  });

  it('is read among others, and only when it was made here', () => {
    const cookie = new Cookie('session', 'http://127.0.0.1:7080');
    const secret = newSecret();
    const read = (text: string): string | undefined => cookie.read(new Headers({ cookie: text }));
    expect(read(`a=b; sextant-session-7080=${secret}; c=d`)).toBe(secret);
    for (const text of [
      '',
      'a=b',
      'sextant-session-7080=',
      `sextant-session-7081=${secret}`,
      `x-sextant-session-7080=${secret}`,
    ])
      expect(read(text)).toBeUndefined();
    for (const value of ['x'.repeat(42), 'x'.repeat(44), `"${'x'.repeat(43)}"`, `${'x'.repeat(42)}%`])
      expect(read(`sextant-session-7080=${value}`)).toBeUndefined();
  });
});
