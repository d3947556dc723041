import { temporaryFolder } from '@sextant/contracts/testing';
import { contentsOf } from '@sextant/service-postgres/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { origin, startSessions } from './testing/start-sessions.ts';
import type { StartedSessions } from './testing/start-sessions.ts';

const minute = 60_000;
const cookieOf = (response: Response): string => response.headers.get('set-cookie')?.split(';')[0] ?? '';

async function linkFor(started: StartedSessions, input: object = { name: 'admin' }): Promise<string> {
  const link = (await started.run('user link', input)).split('\n')[0] ?? '';
  expect(link).toMatch(/\/sign-in\/link\/[\w-]{43}$/);
  return new URL(link).pathname;
}

/** Opens a link and presses its button. */
async function follow(started: StartedSessions, path: string): Promise<Response> {
  const opened = await started.visit(path);
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(await opened.text()) ?? [];
  const headers = { host: 'localhost', origin, cookie: cookieOf(opened) };
  return started.visit(path, { method: 'POST', body: new URLSearchParams({ csrf }), headers });
}

it('signs its user in once; opening it uses nothing up', async () => {
  using folder = temporaryFolder();
  await using started = await startSessions(folder.path);
  const path = await linkFor(started);
  expect((await started.visit(path)).status).toBe(200);
  const entered = await follow(started, path);
  expect([entered.status, entered.headers.get('location')]).toEqual([303, '/']);
  expect(await started.authenticate({ cookie: cookieOf(entered) })).toMatchObject({ user: { name: 'admin' } });
  const again = await follow(started, path);
  expect([again.status, await again.text()]).toEqual([403, expect.stringContaining('This link was used before')]);
});

it('cannot be followed by a form of another site, which does not use it up', async () => {
  using folder = temporaryFolder();
  await using started = await startSessions(folder.path);
  const path = await linkFor(started);
  const headers = { host: 'localhost', origin: 'https://evil.example' };
  expect((await started.visit(path, { method: 'POST', body: new URLSearchParams(), headers })).status).toBe(400);
  expect((await follow(started, path)).status).toBe(303);
});

it('ends after its minutes, with its user, and with a clock that was put back', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  using folder = temporaryFolder();
  await using started = await startSessions(folder.path);
  await started.directory.add({ name: 'ann' });
  const [late, disabled, early] = [
    await linkFor(started, { name: 'ann', minutes: 5 }),
    await linkFor(started, { name: 'ann' }),
    await linkFor(started),
  ];
  await started.directory.setDisabled('ann', true);
  expect((await follow(started, disabled)).status).toBe(403);
  await started.directory.setDisabled('ann', false);
  vi.setSystemTime(Date.now() + 5 * minute);
  expect((await follow(started, late)).status).toBe(403);
  vi.setSystemTime(Date.now() - 10 * minute);
  expect((await follow(started, early)).status).toBe(403);
});

it('is made for people who may sign in, and stored as a hash', async () => {
  using folder = temporaryFolder();
  await using started = await startSessions(folder.path);
  await started.directory.add({ name: 'bot', isServiceAccount: true });
  await started.directory.add({ name: 'ann' });
  await started.directory.setDisabled('ann', true);
  await expect(started.run('user link', { name: 'bot' })).rejects.toThrow('bot is a service account');
  await expect(started.run('user link', { name: 'ann' })).rejects.toThrow('ann is disabled');
  await expect(started.run('user link', { name: 'admni' })).rejects.toThrow('Did you mean "admin"?');
  const code = (await linkFor(started)).split('/').at(-1) ?? '';
  const files = await contentsOf(folder.path);
  expect(files.some((file) => file.includes('sign_in_link'))).toBe(true);
  expect(files.some((file) => file.includes(code))).toBe(false);
});
