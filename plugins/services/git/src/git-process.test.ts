import { join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
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
