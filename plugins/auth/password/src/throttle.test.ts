import { Counters, Database, Secrets } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { startPlugins } from '@sextant/core/testing';
import { contentsOf, testDatabase } from '@sextant/service-postgres/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Throttle } from './throttle.ts';

const day = 86_400_000;

/** A throttle as a process of its own on a data folder. */
async function startThrottle(dataFolder: string): Promise<{ throttle: Throttle; secrets: Secrets } & AsyncDisposable> {
  const started = await startPlugins(dataFolder, [[testDatabase]]);
  const services = started.services.resolve({ database: Database, secrets: Secrets });
  const counters = await Counters.open({ ...services, name: 'password' });
  return {
    throttle: new Throttle(counters),
    secrets: services.secrets,
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}

interface Surroundings {
  dataFolder: string;
  secrets: Secrets;
}

async function withThrottle(work: (throttle: Throttle, surroundings: Surroundings) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  await using started = await startThrottle(folder.path);
  await work(started.throttle, { dataFolder: folder.path, secrets: started.secrets });
}

/** How many attempts are let through. */
async function attempts(
  throttle: Throttle,
  attemptOf: (n: number) => { account: string; address: string },
): Promise<number> {
  for (let n = 0; ; n += 1)
    try {
      await throttle.attempt(attemptOf(n));
    } catch {
      return n;
    }
}

test.each([
  ['ten for an account from an address', () => ({ account: 'a', address: '1' }), 10],
  ['100 for one account', (n: number) => ({ account: 'a', address: String(n) }), 100],
  ['100 from one address', (n: number) => ({ account: String(n), address: '1' }), 100],
  [
    'ten from the addresses of one IPv6 network',
    (n: number) => ({ account: 'a', address: `2001:db8::${n.toString(16)}` }),
    10,
  ],
])('failures in a minute: %s', (_what, attemptOf, count) =>
  withThrottle(async (throttle) => expect(await attempts(throttle, attemptOf)).toBe(count)),
);

test('processes on one data folder count together, and a start forgets nothing', () =>
  withThrottle(async (throttle, { dataFolder }) => {
    const attempt = { account: 'a', address: '1' };
    await using beside = await startThrottle(dataFolder);
    for (let n = 0; n < 5; n += 1) for (const each of [throttle, beside.throttle]) await each.attempt(attempt);
    await using later = await startThrottle(dataFolder);
    for (const each of [throttle, beside.throttle, later.throttle])
      await expect(each.attempt(attempt)).rejects.toMatchObject({ code: 'exhausted' });
  }));

test('attempts at the same moment, of two processes, are ten all the same', () =>
  withThrottle(async (throttle, { dataFolder }) => {
    await using beside = await startThrottle(dataFolder);
    const answers = await Promise.allSettled(
      Array.from({ length: 40 }, (_, n) =>
        (n % 2 ? throttle : beside.throttle).attempt({ account: 'a', address: '1' }),
      ),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  }));

test('success is not counted', () =>
  withThrottle(async (throttle) => {
    const attempt = { account: 'a', address: '1' };
    for (let n = 0; n < 150; n += 1) {
      await throttle.attempt(attempt);
      await throttle.succeeded(attempt);
    }
  }));

test('guesses from elsewhere lock nobody out where they have signed in before, and guesses from there do', () =>
  withThrottle(async (throttle) => {
    const home = { account: 'a', address: 'home' };
    await throttle.attempt(home);
    await throttle.succeeded(home);
    expect(await attempts(throttle, (n) => ({ account: 'a', address: String(n) }))).toBe(100);
    await expect(throttle.attempt({ account: 'a', address: 'hotel' })).rejects.toMatchObject({ code: 'exhausted' });
    expect(await attempts(throttle, () => home)).toBe(10);
  }));

test('a minute after the first failure all begins again', () =>
  withThrottle(async (throttle) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const attempt = { account: 'a', address: '1' };
    expect(await attempts(throttle, () => attempt)).toBe(10);
    vi.setSystemTime(Date.now() + 59_999);
    await expect(throttle.attempt(attempt)).rejects.toThrow('Wait a minute');
    vi.setSystemTime(Date.now() + 1);
    expect(await attempts(throttle, () => attempt)).toBe(10);
  }));

test.each([-365 * day, -day, day, 365 * day])('a clock that jumps by %d ms locks nobody out', (jump) =>
  withThrottle(async (throttle) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const attempt = { account: 'a', address: '1' };
    expect(await attempts(throttle, () => attempt)).toBe(10);
    vi.setSystemTime(Date.now() + jump);
    expect(await attempts(throttle, () => attempt)).toBe(10);
    vi.setSystemTime(Date.now() + 60_000);
    expect(await attempts(throttle, () => attempt)).toBe(10);
  }),
);

test('a thief of the database can try no guess at what was typed: the key of its hashes lies apart', () =>
  withThrottle(async (throttle, { dataFolder, secrets }) => {
    await throttle.attempt({ account: 'my password, in the wrong field', address: '192.0.2.1' });
    const key = await secrets.readOrMake('counters-key', () => 'none was made');
    const database = await contentsOf(dataFolder, ['counters-key']);
    const holds = (what: string): boolean => database.some((content) => content.includes(what));
    expect(['counter_window', 'my password', '192.0.2.1', key].map(holds)).toEqual([true, false, false, false]);
  }));
