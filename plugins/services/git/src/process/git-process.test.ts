import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { commitTreeBomb, RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, it } from 'vitest';
import { GitProgram } from './git-process.ts';
import { Slots } from './slots.ts';

const { signal } = new AbortController();
// Waits for input that never comes: a command that takes for ever.
const endless = ['-c', 'alias.endless=!sleep 60 #', 'endless'];

it('ends a command that takes too long, and one that nobody waits for', async () => {
  using folder = temporaryFolder();
  const gitFolder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true }).folder;
  const git = new GitProgram({ processes: 1, seconds: 0.2 });
  await expect(git.run({ gitFolder, args: endless, signal })).rejects.toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('0.2 s'),
  });
  const controller = new AbortController();
  const patient = new GitProgram({ processes: 1, seconds: 60 });
  const running = patient.run({ gitFolder, args: endless, signal: controller.signal });
  const waiting = patient.run({ gitFolder, args: ['rev-parse', '--git-dir'], signal });
  controller.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
  expect((await waiting).toString().trim()).toBe(gitFolder);
});

it('refuses more output than fits, and tells a failure with its cause for the log only', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
  builder.commit({ files: { a: 'x'.repeat(1000) } });
  const git = new GitProgram({ processes: 1, seconds: 60 });
  await expect(git.run({ gitFolder: builder.folder, args: ['show', 'HEAD:a'], signal }, 999)).rejects.toMatchObject({
    code: 'too_large',
  });
  const failure: unknown = await git
    .run({ gitFolder: builder.folder, args: ['show', 'none'], signal })
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'unavailable', cause: { message: expect.stringContaining('git exited 128') } });
  expect(String(failure)).not.toContain(folder.path);
});

it('gives what failed before the last slot, and never all of them', async () => {
  const slots = new Slots(2);
  const one = await slots.take(signal, 'failed');
  let isIn = false;
  const waiting = slots.take(signal, 'failed').then((release) => {
    isIn = true;
    return release;
  });
  const other = await slots.take(signal);
  other();
  await Promise.resolve();
  expect([isIn, slots.isWanted('new'), slots.isWanted('failed')]).toEqual([false, false, true]);
  one();
  (await waiting)();
});

it('gives slots in the order of asking, and none to those who left', async () => {
  const slots = new Slots(1);
  const release = await slots.take(signal);
  const order: string[] = [];
  const leaving = new AbortController();
  const left = slots.take(leaving.signal);
  const taken = ['first', 'second'].map(async (name) => {
    const give = await slots.take(signal);
    order.push(name);
    give();
  });
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  expect(order).toEqual([]);
  release();
  release();
  await Promise.all(taken);
  expect(order).toEqual(['first', 'second']);
});

it('ends a command that prints nothing for too long, and none whose output nobody reads', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
  builder.commit({ files: { a: 'x'.repeat(3_000_000) } });
  const git = new GitProgram({ processes: 1, seconds: 60, silentSeconds: 0.5 });
  await expect(git.run({ gitFolder: builder.folder, args: endless, signal })).rejects.toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('nothing for 0.5 s'),
  });
  let length = 0;
  for await (const piece of git.stream({ gitFolder: builder.folder, args: ['show', 'HEAD:a'], signal })) {
    if (length === 0) await setTimeout(1000);
    length += piece.length;
  }
  expect(length).toBe(3_000_000);
});

it('lets others have the slot of a command that goes on and on, what failed before last', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
  const tree = commitTreeBomb(builder, { levels: 10, width: 10 });
  const git = new GitProgram({ processes: 1, seconds: 60 });
  const leaving = new AbortController();
  const gitFolder = builder.folder;
  const began = Promise.withResolvers<void>();
  const listing = (async (): Promise<void> => {
    for await (const _ of git.stream({ gitFolder, args: ['ls-tree', '-r', tree], signal: leaving.signal }))
      began.resolve();
  })();
  await began.promise;
  const order: string[] = [];
  const run = async (name: string, isRetry: boolean): Promise<void> => {
    await git.run({ gitFolder, args: ['rev-parse', 'HEAD'], signal, isRetry });
    order.push(name);
  };
  const failed = run('failed', true);
  await Promise.all([run('one', false), run('two', false)]);
  expect(order).toEqual(['one', 'two']);
  leaving.abort(new Error('enough'));
  await expect(listing).rejects.toThrow('enough');
  await failed;
  expect(order).toEqual(['one', 'two', 'failed']);
});
