import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { Audit, Directory, Sessions } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { silentLogger } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import audit from '@sextant/service-audit';
import directoryPlugin from '@sextant/service-directory';
import sessionsPlugin from '@sextant/service-sessions';
import { contentsOf, testDatabase } from '@sextant/service-postgres/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import plugin from './index.ts';
import { PasswordHash } from './password-hash.ts';
import { passwords } from './passwords.ts';

const origin = 'http://localhost';
const right = 'correct horse battery';
const sender = '192.0.2.1';

async function start(dataFolder: string) {
  const users = [{ name: 'alice' }, { name: 'bob' }, { name: 'bot', serviceAccount: true }];
  const started = await startPlugins(dataFolder, [
    [testDatabase],
    [directoryPlugin, { users }],
    [sessionsPlugin],
    [audit],
    [plugin],
  ]);
  const services = started.services.resolve({ audit: Audit, directory: Directory, sessions: Sessions, passwords });
  const respond = async (init: RequestInit, query = ''): Promise<Response> => {
    const request = new Request(`${origin}/sign-in/password${query}`, init);
    const page = plugin.pages.find(({ method }) => method === request.method);
    if (!page) throw new Error(`there is no page ${request.method}`);
    return page.respond(request, started.services.resolve(page.needs), {
      caller: callerOf('anyone'),
      endpoint: page.path,
      remoteAddress: '192.0.2.1',
      signal: request.signal,
      log: silentLogger,
      reportProgress() {},
    });
  };
  const submit = async (fields: Record<string, string>): Promise<Response> => {
    const { csrfToken, setCookie = '' } = await services.sessions.formToken(new Request(origin));
    const headers = { origin, host: 'localhost', cookie: setCookie.split(';')[0] ?? '' };
    return respond({ method: 'POST', body: new URLSearchParams({ csrf: csrfToken, ...fields }), headers });
  };
  return { ...started, ...services, respond, submit };
}

describe('a password', () => {
  it('is set by a person at the terminal, and signs in', async () => {
    using folder = temporaryFolder();
    await using started = await start(folder.path);
    await started.passwords.set('ALICE', right);
    const response = await started.submit({ name: ' Alice ', password: right, return: '/access-tokens' });
    expect([response.status, response.headers.get('location')]).toEqual([303, '/access-tokens']);
    const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect(await started.authenticate({ cookie })).toMatchObject({ user: { name: 'alice' } });
  });

  it('is stored as a hash that says how it was made', async () => {
    using folder = temporaryFolder();
    await using started = await start(folder.path);
    await started.passwords.set('alice', right);
    const files = await contentsOf(folder.path);
    expect(files.some((file) => file.includes('scrypt$32768$8$3$'))).toBe(true);
    expect(files.some((file) => file.includes(right))).toBe(false);
  });

  it('has 10 to 200 characters, and is not for programs or nobody', async () => {
    using folder = temporaryFolder();
    await using started = await start(folder.path);
    for (const wrong of ['', '123456789', 'x'.repeat(201)])
      await expect(started.passwords.set('alice', wrong)).rejects.toThrow('a password has 10 to 200 characters');
    await expect(started.passwords.set('bot', right)).rejects.toThrow('bot is a service account');
    await expect(started.passwords.set('alcie', right)).rejects.toThrow('Did you mean "alice"?');
    await expect(started.run('user password', { name: 'alcie' })).rejects.toThrow('Did you mean "alice"?');
  });

  it('ends all sessions of before when it changes', async () => {
    using folder = temporaryFolder();
    await using started = await start(folder.path);
    const { id = 0 } = (await started.directory.find('alice')) ?? {};
    const cookie = (await started.sessions.begin(id, new Request(origin))).split(';')[0] ?? '';
    await started.passwords.set('alice', right);
    expect(await started.authenticate({ cookie })).toBeUndefined();
  });

  it('is the same in another normal form, and no other', async () => {
    const hash = new PasswordHash();
    const stored = await hash.hash('pa\u00DFwort-\u00E9t\u00E9');
    expect(await hash.matches('pa\u00DFwort-e\u0301te\u0301', { stored, sender })).toBe(true);
    expect(await hash.matches('passwort-\u00E9t\u00E9', { stored, sender })).toBe(false);
    expect(await hash.matches('anything', { sender })).toBe(false);
  });
});

describe('signing in', () => {
  it('tells nobody which users exist, are disabled or have a password: the same answer after the same work', async () => {
    using folder = temporaryFolder();
    await using started = await start(folder.path);
    await started.directory.add({ name: 'carol' });
    for (const name of ['alice', 'carol']) await started.passwords.set(name, right);
    await started.directory.setDisabled('carol', true);
    const derive = vi.spyOn(crypto, 'scrypt');
    syncBuiltinESMExports();
    onTestFinished(() => {
      derive.mockRestore();
      syncBuiltinESMExports();
    });
    const answers = new Set<string>();
    for (const [name, password] of [
      ['alice', 'wrong password'],
      ['bob', right],
      ['bot', right],
      ['carol', right],
      ['nobody', right],
    ] as const) {
      const response = await started.submit({ name, password });
      const text = (await response.text()).replaceAll(name, 'NAME').replace(/name="csrf" value="[^"]*"/, '');
      answers.add(`${response.status} ${text}`);
    }
    expect([...answers]).toEqual([expect.stringMatching(/^403 .*Wrong name or password\./s)]);
    const owasp = { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 26 };
    expect(derive.mock.calls.map(([, , ...work]) => work.slice(0, 2))).toEqual(
      Array.from({ length: 5 }, () => [32, owasp]),
    );
  });

  it('is refused after ten failures a minute, also with the right password, and others go on', async () => {
    using folder = temporaryFolder();
    await using started = await start(folder.path);
    for (const name of ['alice', 'bob']) await started.passwords.set(name, right);
    for (let n = 0; n < 10; n += 1)
      expect((await started.submit({ name: n % 2 ? 'alice' : 'ALICE', password: 'wrong' })).status).toBe(403);
    const refused = await started.submit({ name: 'alice', password: right });
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect(await refused.text()).toContain('Too many attempts.');
    expect((await started.submit({ name: 'bob', password: right })).status).toBe(303);
  });

  it('is no failure where the password was not checked because too many wait', async () => {
    using folder = temporaryFolder();
    await using started = await start(folder.path);
    await started.passwords.set('alice', right);
    // One is derived after the other: all wait for the first.
    const first = Promise.withResolvers<() => void>();
    const derive = vi.spyOn(crypto, 'scrypt').mockImplementation((_password, _salt, length, _options, callback) => {
      first.resolve(() => callback(null, Buffer.alloc(length, 1)));
    });
    syncBuiltinESMExports();
    const flood = Array.from({ length: 21 }, (_, n) => started.submit({ name: `nobody${n}`, password: 'wrong' }));
    // The others wait.
    expect((await Promise.race(flood)).status).toBe(429);
    for (let n = 0; n < 10; n += 1)
      expect(await (await started.submit({ name: 'alice', password: right })).text()).toContain('too many people');
    derive.mockImplementation((_password, _salt, length, _options, callback) =>
      callback(null, Buffer.alloc(length, 1)),
    );
    (await first.promise)();
    await Promise.all(flood);
    derive.mockRestore();
    syncBuiltinESMExports();
    expect((await started.submit({ name: 'alice', password: right })).status).toBe(303);
  });

  it('is recorded, with who and from where, without the password', async () => {
    using folder = temporaryFolder();
    await using started = await start(folder.path);
    await started.passwords.set('alice', right);
    await started.submit({ name: 'alice', password: 'wrong password' });
    await started.submit({ name: 'ALICE', password: right });
    await started.submit({ name: 'my secret, in the wrong field', password: '' });
    const { events } = await started.audit.list({ limit: 9 });
    expect(events).toMatchObject([
      { action: 'sign-in.failed', address: '192.0.2.1', detail: 'password, unknown user' },
      { action: 'sign-in.succeeded', outcome: 'success', actor: { name: 'alice' }, address: '192.0.2.1' },
      { action: 'sign-in.failed', outcome: 'failure', target: 'alice', address: '192.0.2.1' },
      { action: 'password.changed', target: 'alice' },
    ]);
    expect(JSON.stringify(events)).not.toMatch(/wrong password|correct horse|my secret/);
  });

  it('is recorded when there were too many attempts', async () => {
    using folder = temporaryFolder();
    await using started = await start(folder.path);
    for (let n = 0; n < 11; n += 1) await started.submit({ name: 'alice', password: 'wrong password' });
    const { events } = await started.audit.list({ limit: 1 });
    expect(events).toMatchObject([
      { action: 'sign-in.failed', target: 'alice', detail: 'password: too many attempts' },
    ]);
  });

  it('leads to no other server, and needs the token of its page', async () => {
    using folder = temporaryFolder();
    await using started = await start(folder.path);
    await started.passwords.set('alice', right);
    const entered = await started.submit({ name: 'alice', password: right, return: '//evil.example' });
    expect(entered.headers.get('location')).toBe('/');
    const forged = await started.submit({ name: 'alice', password: right, csrf: 'forged' });
    expect([forged.status, forged.headers.get('set-cookie')]).toEqual([400, expect.not.stringContaining('session')]);
    const page = await (await started.respond({}, '?return=/a%22%3E%3Cscript%3E')).text();
    expect(page).toContain('name="return" value="/a%22%3E%3Cscript%3E"');
  });
});

// The last: of the flood some are still checked when it ends.
it('a password is checked in turns by sender, and a flood of one sender is refused alone', async () => {
  const hash = new PasswordHash();
  const ended: string[] = [];
  let refused = 0;
  const check = (from: string): Promise<unknown> =>
    hash.matches('wrong', { sender: from }).then(
      () => ended.push(from),
      () => (refused += 1),
    );
  for (let n = 0; n < 60; n += 1) void check('flood');
  await Promise.all(['b', 'c', 'b'].map(check));
  expect(refused).toBe(40);
  expect(ended.filter((from) => from !== 'flood')).toEqual(['b', 'c', 'b']);
  // One of the flood was being checked, and each turn of b gave it one.
  expect(ended.length).toBeLessThan(7);
});
