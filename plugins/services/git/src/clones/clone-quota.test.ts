import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, it, vi } from 'vitest';
import plugin from '../index.ts';
import { startGit } from '../testing/start-git.ts';
import type { StartedGit } from '../testing/start-git.ts';
import { ownClone } from './clone-ownership.ts';
import { AllInUse, CloneQuota, NoRoom, Retired } from './clone-quota.ts';
import type { ClonePlace } from './clone-quota.ts';
import { Clone } from './clone.ts';
import type { CloneOptions } from './clone.ts';
import { HostPauses } from './host-pauses.ts';
import { TransferSlots } from './transfer-slots.ts';

const root = callerOf('root', { isSiteAdmin: true });
const alice = callerOf('alice');
const passing = { isNamed: false };

/** Clones of 800 kB each, of which a quota of 2 MB holds two. */
function served(folder: string, names = ['a', 'b', 'c'], bytes = 800_000): { url: string; name: string }[] {
  return names.map((name) => {
    const upstream = new RepositoryBuilder({ folder: join(folder, name), isBare: true });
    upstream.commit();
    upstream.git('update-ref', 'refs/tags/large', upstream.writeObject('blob', randomBytes(bytes)));
    return { url: `file://${upstream.folder}`, name };
  });
}

async function named(git: StartedGit, wanted: string): Promise<string[]> {
  const all = await git.repositories.list(root);
  return all.flatMap(({ name, clone }) => (clone?.state === wanted ? name : []));
}

async function started(folder: string, settings: object, log?: Logger): Promise<StartedGit> {
  const git = await startGit(folder, { quotaBytes: 2_000_000, clonesAtOnce: 1, ...settings }, log);
  await git.ready();
  await expect.poll(() => git.status().isReady).toBe(true);
  return git;
}

const isOpen = (git: StartedGit, name: string): Promise<boolean> =>
  git.repositories.open(root, name).then(
    () => true,
    () => false,
  );

it('evicts the clone that was named least recently, and clones it again when a call names it', async () => {
  using folder = temporaryFolder();
  const logged: [object, string][] = [];
  const info: Logger['info'] = (fields, message) => void logged.push([fields, message]);
  const settings = { repositories: served(folder.path).map((each) => ({ ...each, access: { users: ['alice'] } })) };
  const restarted = { ...settings, keepSeconds: 0 };
  let [gone = '', kept = '', other = '']: string[] = [];
  {
    await using git = await started(folder.path, restarted, { ...silentLogger, info });
    // Nobody has named any: the last one found no room, and took none from the others.
    [gone = ''] = await named(git, 'evicted');
    [kept = '', other = ''] = await named(git, 'ready');
    expect(new Set([gone, kept, other])).toEqual(new Set(['a', 'b', 'c']));
    expect(git.status()).toMatchObject({ isReady: true, detail: { evicted: 1, evictions: 0, quotaBytes: 2_000_000 } });
    // Neither a list, the background, a look in passing nor who may not read it brings it back.
    expect(await git.store.find(gone)).toBeUndefined();
    expect((await git.store.whyAbsent(gone)).message).toMatch(/evicted to keep the quota of disk/);
    await expect(git.repositories.open(root, gone, passing)).rejects.toMatchObject({ code: 'unavailable' });
    await git.fetch('', root);
    await expect(git.repositories.open(callerOf('bob'), gone)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.not.stringContaining('evicted'),
    });
    expect(await named(git, 'evicted')).toEqual([gone]);
    await git.repositories.open(alice, kept);
    await git.repositories.open(alice, other, passing);
    await git.store.find(gone, { isNamed: true });
    await expect(git.repositories.open(alice, gone)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('cloned again'),
      retryAfterSeconds: 10,
    });
    await expect.poll(() => isOpen(git, gone)).toBe(true);
    expect(await named(git, 'evicted')).toEqual([other]);
    expect(logged).toContainEqual([
      expect.objectContaining({ repository: other, quotaBytes: 2_000_000, bytes: expect.any(Number) }),
      'a clone was evicted to keep the quota of disk',
    ]);
  }
  await using git = await started(folder.path, restarted);
  const evicted = (await git.repositories.list(root)).find(({ name }) => name === other);
  expect(evicted?.clone).toMatchObject({ state: 'evicted', evictedSince: expect.stringMatching(/^\d{4}-.*Z$/) });
  const context = {
    dataFolder: join(folder.path, 'data'),
    externalURL: '',
    configFolder: '',
    contributionsTo: () => [],
    isThorough: false,
  };
  expect(await plugin.diagnose(plugin.config.parse({ quotaBytes: 2_000_000 }), context)).toContainEqual({
    what: 'quota of clones',
    state: 'doubtful',
    text: expect.stringMatching(/^the quota of 2\.0 MB holds 2 clones; 1 more is evicted .* need at least 2\.[4-9] MB/),
  });
});

it('evicts none that a call named a moment ago: the new one waits, and says so', async () => {
  using folder = temporaryFolder();
  await using git = await started(folder.path, { repositories: served(folder.path) });
  for (const name of await named(git, 'ready')) await git.open(name);
  const [gone = ''] = await named(git, 'evicted');
  await expect(git.open(gone)).rejects.toMatchObject({ retryAfterSeconds: 10 });
  await expect
    .poll(() => git.status().failures)
    .toMatchObject([
      { name: gone, reason: expect.stringContaining('all of the 2000000 bytes'), nextTry: expect.any(String) },
    ]);
  await expect(git.open(gone)).rejects.toThrow(/the clones take all of the disk that they may, and all are in use/);
  expect(await named(git, 'failed')).toEqual([gone]);
});

it('first removes what is no longer served, and never what stands elsewhere', async () => {
  using folder = temporaryFolder();
  const repositories = served(folder.path, ['a', 'b']);
  const clones = join(folder.path, 'data', 'clones');
  const left = join(clones, '0'.repeat(32));
  mkdirSync(left, { recursive: true });
  writeFileSync(join(left, 'pack'), Buffer.alloc(1_500_000));
  symlinkSync(join(folder.path, 'a'), join(left, 'elsewhere'));
  await using git = await started(folder.path, { repositories: [...repositories, { path: 'a', name: 'in-place' }] });
  expect(await named(git, 'ready')).toEqual(['a', 'b']);
  expect(readdirSync(clones)).not.toContain('0'.repeat(32));
  expect(await isOpen(git, 'in-place')).toBe(true);
});

it('fails by name and limit where a clone is larger than the quota, and takes from the others once at most', async () => {
  using folder = temporaryFolder();
  const repositories = [...served(folder.path, ['a']), ...served(folder.path, ['large'], 2_500_000)];
  await using git = await started(folder.path, { repositories, keepSeconds: 0 });
  const isNamed = [{ name: 'large', reason: expect.stringMatching(/more than 2000000 bytes.*"quotaBytes"/) }];
  if ((await named(git, 'evicted')).includes('large')) await git.open('large').catch(() => undefined);
  await expect.poll(() => git.status().failures).toMatchObject(isNamed);
  await expect(git.open('large')).rejects.toThrow(/more disk than the server gives to a clone/);
  await expect.poll(() => isOpen(git, 'a')).toBe(true);
  await git.fetch('', root);
  await expect.poll(() => git.status().isReady).toBe(true);
  expect(await named(git, 'ready')).toEqual(['a']);
});

it('clones again what another generation of the server has evicted', async () => {
  using folder = temporaryFolder();
  const settings = { repositories: served(folder.path), keepSeconds: 0 };
  await using before = await started(folder.path, settings);
  const there = await named(before, 'ready');
  const [gone = ''] = await named(before, 'evicted');
  await using after = await started(folder.path, settings);
  expect(await named(after, 'ready')).toEqual(there);
  // The one before leaves it to the newer one.
  await expect(before.open(gone)).rejects.toMatchObject({ retryAfterSeconds: 10 });
  await before.fetch('', root);
  await after.open(gone).catch(() => undefined);
  await expect.poll(() => isOpen(after, gone)).toBe(true);
  expect(before.status()).toMatchObject({ detail: { evictions: 0 } });
  await expect.poll(() => isOpen(before, gone)).toBe(true);
  const [evicted = ''] = await named(after, 'evicted');
  const isRead = async (): Promise<boolean> => {
    const repository = await after.open(evicted);
    return (await repository.resolve(undefined, new AbortController().signal)) !== '';
  };
  await expect.poll(() => isRead().catch(() => false)).toBe(true);
});

it('brings back what was evicted where the quota is larger than before', async () => {
  using folder = temporaryFolder();
  const settings = { repositories: served(folder.path), keepSeconds: 0 };
  await using before = await started(folder.path, settings);
  expect(await named(before, 'evicted')).toHaveLength(1);
  await using after = await started(folder.path, { ...settings, quotaBytes: 3_000_000 });
  await expect.poll(() => named(after, 'ready')).toEqual(['a', 'b', 'c']);
  expect(after.status()).toMatchObject({ isReady: true, detail: { evicted: 0, evictions: 0 } });
});

it('brings back what fits where others take less or are no longer served, the one that a call named last first', async () => {
  using folder = temporaryFolder();
  const quota = quotaOf(folder.path);
  await quota.measure();
  const returned: string[] = [];
  const placeOf = (name: string, { bytes = 0, needed = 0, changed = '' }): ClonePlace => {
    const place = quota.placeOf(join(folder.path, name));
    place.onEvicted = () => undefined;
    place.onRoom = () => void returned.push(name);
    Object.assign(place, { bytes, needed, changed });
    if (bytes === 0) place.leave();
    return place;
  };
  const [large, other] = [placeOf('large', { bytes: 600 }), placeOf('other', { bytes: 350 })];
  const named = placeOf('named', { needed: 150 });
  named.touch();
  placeOf('old', { needed: 100, changed: '2025-01-01T00:00:00Z' });
  placeOf('new', { needed: 400, changed: '2026-02-01T00:00:00Z' });
  placeOf('newer', { needed: 150, changed: '2026-03-01T00:00:00Z' });
  quota.bringBack();
  await quota.claim(other, 350);
  expect(returned).toEqual([]);
  // A tenth stays free: there is room for 250, and what comes back is counted as if it were there.
  large.bytes = 300;
  await quota.claim(other, 350);
  expect(returned).toEqual(['named', 'old']);
  large.onEvicted = undefined;
  quota.bringBack();
  await quota.claim(other, 350);
  expect(returned).toEqual(['named', 'old', 'newer']);
});

it('keeps free what a call waits for, and takes nothing served for what comes back', async () => {
  using folder = temporaryFolder();
  const quota = quotaOf(folder.path);
  await quota.measure();
  const placeOf = (name: string, bytes: number, needed = bytes): ClonePlace => {
    const place = quota.placeOf(join(folder.path, name));
    Object.assign(place, { bytes, needed, onEvicted: () => undefined });
    if (bytes === 0) place.leave();
    return place;
  };
  const [served, waited, back] = [placeOf('served', 450), placeOf('waited', 0, 400), placeOf('back', 0, 200)];
  let returns = 0;
  back.onRoom = () => void (returns += 1);
  waited.want();
  quota.bringBack();
  await quota.claim(served, 450);
  expect([returns, back.isReturning]).toEqual([0, false]);
  // It has failed.
  waited.expected = 0;
  quota.bringBack();
  await quota.claim(served, 450);
  expect([returns, back.isReturning]).toEqual([1, true]);
  // It was named later than what is served, and is larger than it was.
  back.touch();
  await expect(quota.claim(back, 600)).rejects.toThrow(NoRoom);
  expect(served.bytes).toBe(450);
});

it('gives what comes back the room of what is no longer served', async () => {
  using folder = temporaryFolder();
  const quota = quotaOf(folder.path);
  let returns = 0;
  const clone = cloneIn(folder.path, quota, async () => {
    returns += 1;
    await quota.claim(back, 200);
  });
  const back = quota.placeOf(join(folder.path, '1'.repeat(32)));
  Object.assign(back, { needed: 200 }).leave();
  const [unserved, served] = ['2', '3'].map((name) => quota.placeOf(join(folder.path, name.repeat(32))));
  if (!unserved || !served) throw new Error('a place is missing');
  Object.assign(served, { bytes: 380, onEvicted: () => undefined });
  quota.bringBack();
  await quota.claim(unserved, 600);
  expect(back.isReturning).toBe(false);
  await quota.measure();
  await expect.poll(() => [returns, clone.evictedSince, clone.fetched === undefined]).toEqual([1, undefined, false]);
  expect([unserved.bytes, served.bytes]).toEqual([0, 380]);
  await clone.close();
});

const quotaOf = (root: string, bytes = 1000, keepSeconds = 0): CloneQuota =>
  new CloneQuota({ root, bytes, keepSeconds, log: silentLogger });

/** A clone whose fetches are what a test says. */
function cloneIn(root: string, quota: CloneQuota, connect: CloneOptions['connect']): Clone {
  const path = join(root, '1'.repeat(32));
  const shared = { slots: new TransferSlots(1), hosts: new HostPauses(silentLogger), interval: 300, log: silentLogger };
  const of = { of: quota, place: quota.placeOf(path) };
  return new Clone({ ...shared, origin: { name: 'r', url: '/r' }, path, connect, quota: of });
}

it('gives a clone free that cannot be removed', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, '1'.repeat(32));
  mkdirSync(path);
  const quota = quotaOf(join(folder.path, 'not there'));
  const place = quota.placeOf(path);
  await expect(quota.evict(place)).rejects.toThrow(/ENOENT/);
  expect(place.evictedSince).toBeUndefined();
  expect(ownClone(`${path}.owner`)).toBeTypeOf('function');
});

it('counts no fetch as done that found no room, whoever names the clone while it is removed', async () => {
  using folder = temporaryFolder();
  new RepositoryBuilder({ folder: join(folder.path, '1'.repeat(32)), isBare: true }).commit();
  const quota = quotaOf(folder.path);
  const again = Promise.withResolvers<void>();
  let fetches = 0;
  const clone = cloneIn(folder.path, quota, async () => {
    fetches += 1;
    if (fetches > 1) return again.promise;
    throw new NoRoom('the quota of disk is used up');
  });
  const place = quota.placeOf(join(folder.path, '1'.repeat(32)));
  const evicted = place.onEvicted;
  place.onEvicted = () => {
    evicted?.();
    clone.touch();
  };
  await clone.update();
  await expect.poll(() => fetches).toBe(2);
  expect([clone.fetched, clone.folder()]).toEqual([undefined, undefined]);
  again.reject(new Error('it ends'));
  await clone.close();
});

it('takes room for a push from what changed less recently, where no call has named either', async () => {
  using folder = temporaryFolder();
  const repositories = served(folder.path, ['a', 'b']);
  await using git = await started(folder.path, { repositories });
  const upstream = new RepositoryBuilder({ folder: join(folder.path, 'a'), isBare: true });
  upstream.git('update-ref', 'refs/tags/pushed', upstream.writeObject('blob', randomBytes(800_000)));
  await git.fetch('{"repository":"a"}', root);
  await expect.poll(() => named(git, 'evicted')).not.toEqual([]);
  expect(await named(git, 'ready')).toEqual(['a']);
});

it('gives room to what a call waits for, also where the others were named later', async () => {
  using folder = temporaryFolder();
  const quota = quotaOf(folder.path);
  const [a, b, c] = ['a', 'b', 'c'].map((name) => quota.placeOf(join(folder.path, name)));
  if (!a || !b || !c) throw new Error('a place is missing');
  c.touch();
  c.isWanted = true;
  for (const each of [a, b]) {
    each.onEvicted = () => undefined;
    await quota.claim(each, 450);
    each.touch();
  }
  quota.begin(c);
  await quota.claim(c, 500);
  expect([a.bytes, b.bytes, c.bytes]).toEqual([0, 450, 500]);
  // While they are in use it is not even begun.
  const keeping = quotaOf(folder.path, 1000, 600);
  const [used, wanted] = [keeping.placeOf(join(folder.path, 'd')), keeping.placeOf(join(folder.path, 'e'))];
  await keeping.claim(used, 800);
  for (const each of [used, wanted]) each.touch();
  used.onEvicted = () => undefined;
  await expect(keeping.claim(wanted, 500)).rejects.toThrow(AllInUse);
  wanted.bytes = 0;
  expect(() => keeping.begin(wanted)).toThrow(/all of the 1000 bytes.*named by a call in the last 600 s/);
});

it('tries again at the next call where a clone waited for room', async () => {
  using folder = temporaryFolder();
  let [tries, isFull] = [0, true];
  const clone = cloneIn(folder.path, quotaOf(folder.path), async () => {
    tries += 1;
    if (isFull) throw new AllInUse('the clones take all of the 1000 bytes that they may');
  });
  // By now it would wait for minutes.
  for (let times = 0; times < 6; times += 1) await clone.update();
  isFull = false;
  clone.touch();
  await expect.poll(() => tries).toBe(7);
  await clone.close();
});

it('tries again soon where a newer configuration was to make room, and at once when a call names it', async () => {
  using folder = temporaryFolder();
  using timers = new DisposableStack();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  timers.defer(() => vi.useRealTimers());
  let tries = 0;
  const clone = cloneIn(folder.path, quotaOf(folder.path), async () => {
    tries += 1;
    throw new Retired('a newer configuration has started');
  });
  await clone.update();
  expect([tries, clone.failure]).toEqual([1, undefined]);
  // The interval is 300 s.
  await vi.advanceTimersByTimeAsync(10_000);
  await expect.poll(() => tries).toBe(2);
  const triesOnceNamed = (): number => {
    clone.touch();
    return tries;
  };
  await expect.poll(triesOnceNamed).toBeGreaterThan(2);
  await clone.close();
});

it('knows after a restart when calls named a clone, also later ones', async () => {
  using folder = temporaryFolder();
  const clone = cloneIn(folder.path, quotaOf(folder.path, 1000, 600), async () => undefined);
  const path = join(folder.path, '1'.repeat(32));
  const first = new Date(Date.now() - 1000);
  writeFileSync(`${path}.named`, first.toISOString());
  const place = quotaOf(folder.path, 1000, 600).placeOf(path);
  expect(place.named).toBe(first.getTime());
  place.touch();
  expect(quotaOf(folder.path).placeOf(path).named).toBe(first.getTime());
  place.save();
  expect(quotaOf(folder.path).placeOf(path).named).toBe(place.named);
  // One that was named before that does not know better.
  writeFileSync(`${path}.named`, new Date(Date.now() + 3_600_000).toISOString());
  const later = quotaOf(folder.path).placeOf(path).named;
  clone.touch();
  await clone.close();
  expect(quotaOf(folder.path).placeOf(path).named).toBe(later);
});

it('measures before it gives room, and forgets evictions of what is no longer configured', async () => {
  using folder = temporaryFolder();
  const left = join(folder.path, '0'.repeat(32));
  mkdirSync(left);
  writeFileSync(join(left, 'pack'), Buffer.alloc(800));
  const gone = join(folder.path, `${'2'.repeat(32)}.evicted`);
  const kept = join(folder.path, `${'1'.repeat(32)}.evicted`);
  for (const file of [gone, kept]) writeFileSync(file, `${new Date().toISOString()} 500`);
  const quota = quotaOf(folder.path);
  const clone = cloneIn(folder.path, quota, async () => undefined);
  await quota.forgetUnserved();
  expect([existsSync(gone), existsSync(kept)]).toEqual([false, true]);
  void quota.measure();
  await quota.claim(quota.placeOf(join(folder.path, '3'.repeat(32))), 500);
  expect([existsSync(left), quota.bytes]).toEqual([false, 500]);
  await clone.close();
});
