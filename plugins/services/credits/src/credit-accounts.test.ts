import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Credits } from '@sextant/contracts';
import type { CreditHold } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { callerOf, startPlugins } from '@sextant/core/testing';
import { testDatabase } from '@sextant/service-postgres/testing';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import plugin from './index.ts';
import type { Spending, Spent } from './testing/spender.ts';

const spender = fileURLToPath(new URL('testing/spender.ts', import.meta.url));

const today = new Date().toISOString().slice(0, 10);
const root = callerOf('root', { id: 1, isSiteAdmin: true });
const alice = callerOf('alice', { id: 2 });
const bob = callerOf('bob', { id: 3 });
const request = { tool: 'code_finder', credits: 1 };

const bucket = (allocation: number, period: object = {}): object => ({
  name: 'now',
  allocation,
  startDate: today,
  endDate: today,
  ...period,
});

/** The service as a process of its own on a data folder. */
async function startCredits(dataFolder: string, settings: object): Promise<{ credits: Credits } & AsyncDisposable> {
  const started = await startPlugins(dataFolder, [[testDatabase], [plugin, settings]]);
  return {
    ...started.services.resolve({ credits: Credits }),
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}

async function creditsOf(settings: object): Promise<Credits> {
  const folder = temporaryFolder();
  const started = await startCredits(folder.path, settings);
  onTestFinished(async () => {
    await started[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });
  return started.credits;
}

const consumedOf = async (credits: Credits, caller = root): Promise<number[]> =>
  (await credits.buckets(caller, {})).map(({ consumed }) => consumed);

/** A call as a metered tool makes it. */
async function spend(credits: Credits, caller = alice): Promise<void> {
  await using hold = await credits.reserve({ caller }, request);
  await hold.settle();
}

describe('a bucket', () => {
  test('200 concurrent callers at a limit of 100: exactly 100 succeed', async () => {
    const credits = await creditsOf({ credits: [bucket(100)] });
    const results = await Promise.allSettled(
      Array.from({ length: 200 }, (_, number) => spend(credits, callerOf('x', { id: number }))),
    );
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused).toHaveLength(100);
    for (const reason of refused) expect(reason).toMatchObject({ code: 'exhausted' });
    expect(await consumedOf(credits)).toEqual([100]);
  });

  test('200 concurrent callers of two processes on one database at a limit of 100: exactly 100 succeed', async () => {
    using folder = temporaryFolder();
    const settings = { credits: [bucket(100)] };
    const processes = [fork(spender), fork(spender)];
    onTestFinished(() => processes.forEach((each) => each.disconnect()));
    await Promise.all(processes.map((each) => once(each, 'message')));
    const answers = processes.map((each) => once(each, 'message'));
    for (const each of processes) each.send({ dataFolder: folder.path, settings, callers: 100 } satisfies Spending);
    const spent: Spent[] = (await Promise.all(answers)).map(([answer]) => answer);
    expect(spent.flatMap(({ failed }) => failed)).toEqual([]);
    expect(spent.reduce((sum, { succeeded }) => sum + succeeded, 0)).toBe(100);
    await using after = await startCredits(folder.path, settings);
    expect(await consumedOf(after.credits)).toEqual([100]);
  });

  test('keeps what was consumed over a restart, and an unsettled call of before counts while it could still run', async () => {
    using folder = temporaryFolder();
    {
      await using before = await startCredits(folder.path, { credits: [bucket(3)] });
      await spend(before.credits);
      await before.credits.reserve({ caller: alice }, request);
    }
    await using after = await startCredits(folder.path, { credits: [bucket(3)] });
    expect(await consumedOf(after.credits)).toEqual([1]);
    await spend(after.credits);
    await expect(spend(after.credits)).rejects.toMatchObject({ code: 'exhausted' });
  });

  test('gets back what a call that failed has set aside, and settles once', async () => {
    const credits = await creditsOf({ credits: [bucket(1)] });
    const fail = async (): Promise<void> => {
      await using _hold = await credits.reserve({ caller: alice }, request);
      throw new Error('no answer');
    };
    await expect(fail()).rejects.toThrow('no answer');
    let noted = 0;
    const hold: CreditHold = await credits.reserve(
      { caller: alice, noteCredits: (spent) => void (noted += spent) },
      request,
    );
    await hold.settle();
    await hold.settle();
    await hold[Symbol.asyncDispose]();
    expect([noted, await consumedOf(credits)]).toEqual([1, [1]]);
  });

  test('that ends first pays first', async () => {
    const later = bucket(5, { name: 'later', endDate: '2999-12-31' });
    const credits = await creditsOf({ credits: [later, bucket(1)] });
    await spend(credits);
    await spend(credits);
    expect(Object.fromEntries((await credits.buckets(root, {})).map(({ name, consumed }) => [name, consumed]))).toEqual(
      {
        now: 1,
        later: 1,
      },
    );
  });

  test('is shown with what everyone consumed to administrators, and to others with what they did', async () => {
    const credits = await creditsOf({ credits: [bucket(9)] });
    await spend(credits, alice);
    await spend(credits, bob);
    expect([await consumedOf(credits, root), await consumedOf(credits, alice)]).toEqual([[2], [1]]);
  });

  test('is selected by a period that overlaps its own', async () => {
    const march = bucket(1, { name: 'march', startDate: '2026-03-01', endDate: '2026-03-31' });
    const april = bucket(1, { name: 'april', startDate: '2026-04-01', endDate: '2026-04-30' });
    const credits = await creditsOf({ credits: [april, march] });
    const names = async (period: object): Promise<string[]> =>
      (await credits.buckets(root, period)).map(({ name }) => name);
    expect(await names({})).toEqual(['march', 'april']);
    expect(await names({ endDate: '2026-03-31' })).toEqual(['march']);
    expect(await names({ startDate: '2026-03-31' })).toEqual(['march', 'april']);
    expect(await names({ startDate: '2026-05-01' })).toEqual([]);
  });
});

describe('a refusal says what and when it renews', () => {
  test.each([
    [
      [bucket(0), bucket(1, { name: 'next', startDate: '2999-01-01', endDate: '2999-12-31' })],
      'code_finder needs credits, and the credits of "now" (0) are used up; they renew on 2999-01-01, when the next bucket begins',
    ],
    [
      [bucket(1, { startDate: '2020-01-01', endDate: '2020-12-31' })],
      'code_finder needs credits, and no bucket of credits is active today; ask an administrator for more',
    ],
  ])('%j', async (buckets, message) => {
    const credits = await creditsOf({ credits: buckets });
    await expect(spend(credits)).rejects.toMatchObject({ code: 'exhausted', message });
  });

  test('of an hour: the time when the next call is possible', async () => {
    const credits = await creditsOf({ entitlements: { code_finder: { perUserPerHour: 2 } } });
    await spend(credits);
    await spend(credits);
    await expect(spend(credits)).rejects.toMatchObject({
      code: 'exhausted',
      message: expect.stringMatching(
        /^code_finder is limited to 2 calls an hour for each user, .* the next is possible at \d{4}-\d\d-\d\dT[\d:]{8}Z$/,
      ),
      retryAfterSeconds: 3600,
    });
    await spend(credits, bob);
  });
});

test('without buckets and limits everything is free', async () => {
  const credits = await creditsOf({});
  for (let call = 0; call < 5; call += 1) await spend(credits);
  expect(await credits.buckets(root, {})).toEqual([]);
});

test.each([
  [{ credits: [bucket(1, { endDate: '2020-01-01' })] }, 'must not be before startDate'],
  [{ credits: [bucket(1), bucket(1)] }, 'names must be unique'],
  [{ credits: [bucket(1, { startDate: '2026-02-30' })] }, 'must be a date such as'],
])('a bucket that cannot be is refused: %j', (settings, message) => {
  expect(plugin.config.safeParse(settings).error?.issues[0]?.message).toContain(message);
});

describe('a clock that is set', () => {
  const dayMs = 24 * 3600 * 1000;
  const start = Date.now();
  const setClock = (aheadMs: number): unknown => vi.setSystemTime(start + aheadMs);
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());
  const period = { startDate: '2000-01-01', endDate: '2999-12-31' };

  test('back by a year keeps nobody out whose calls of then lie ahead; back by a little it forgets none', async () => {
    const credits = await creditsOf({ entitlements: { code_finder: { perUserPerHour: 1 } } });
    setClock(365 * dayMs);
    await spend(credits);
    setClock(365 * dayMs - 300_000);
    await expect(spend(credits)).rejects.toMatchObject({ code: 'exhausted' });
    setClock(0);
    await spend(credits);
    await expect(spend(credits)).rejects.toMatchObject({ code: 'exhausted' });
  });

  test('back by a year frees what a process that died had set aside', async () => {
    const credits = await creditsOf({ credits: [bucket(1, period)] });
    setClock(365 * dayMs);
    await credits.reserve({ caller: alice }, request);
    setClock(0);
    await spend(credits);
    expect(await consumedOf(credits)).toEqual([1]);
  });
});
