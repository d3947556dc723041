import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isSextantError } from '@sextant/core';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Boundary } from './storage/boundary.ts';
import { GitFolder } from './storage/git-folder.ts';
import { GitProgram } from './process/git-process.ts';
import { ObjectReader } from './objects/object-reader.ts';
import { PreparedFolders } from './storage/prepared-folder.ts';
import { RepositoryFormats } from './storage/repository-format.ts';
import { RevisionResolver } from './refs/revision-resolver.ts';
import { ServedStorage } from './storage/served-storage.ts';
import { startGit } from './testing/start-git.ts';

const { signal } = new AbortController();

it('a repository that is rewritten, pruned, removed and replaced while many read it answers what it has, or why not', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'srv', 'r');
  const fill = (): RepositoryBuilder => {
    const builder = new RepositoryBuilder({ folder: path, isBare: true });
    for (let at = 0; at < 5; at += 1) builder.commit({ files: { a: `${at}\n` } });
    return builder;
  };
  let builder = fill();
  const other = new RepositoryBuilder({ folder: join(folder.path, 'srv', 'healthy'), isBare: true });
  const healthy = other.commit({ files: { a: 'healthy\n' } });
  await using git = await startGit(folder.path, { repositories: [{ path: 'srv' }] });
  const [r, beside] = await Promise.all([git.open('r'), git.open('healthy')]);
  const problems: unknown[] = [];
  const stopping = new AbortController();
  // Where an expectation fails, too: a reader that goes on keeps the test from ending.
  onTestFinished(() => stopping.abort());
  let answers = 0;
  const read = async (): Promise<void> => {
    while (!stopping.signal.aborted)
      try {
        const commit = await r.resolve('main', signal);
        expect((await r.readText(commit, 'a', signal)).text).toMatch(/^\d\n$|^pushed\n$/);
        await r.listRefs({ types: ['branch'], limit: 9 }, signal);
        await (await git.store.find('r'))?.refs(signal);
        answers += 1;
        // What is remembered is answered without waiting: six readers would keep the event loop for themselves.
        await new Promise((resolve) => setImmediate(resolve));
      } catch (error) {
        if (!isSextantError(error)) problems.push(error);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
  };
  const readers = Array.from({ length: 6 }, read);
  for (let round = 0; round < 2; round += 1) {
    const before = answers;
    builder.commit({ parents: [], files: { a: 'pushed\n' } });
    builder.git('-c', 'gc.pruneExpire=now', 'gc', '--quiet', '--prune=now');
    await expect.poll(() => answers).toBeGreaterThan(before);
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
    expect((await beside.readText(healthy, 'a', signal)).text).toBe('healthy\n');
    await expect(r.resolve('main', signal)).rejects.toMatchObject({ code: 'unavailable' });
    builder = fill();
    const again = answers;
    await expect.poll(() => answers).toBeGreaterThan(again);
  }
  stopping.abort();
  await Promise.all(readers);
  expect(problems).toEqual([]);
  expect(await r.resolve('main', signal)).toBe(builder.git('rev-parse', 'main'));
});

/** Runs something between the look at a repository's files and its end. */
class InterruptedFormats extends RepositoryFormats {
  interrupt = (): void => undefined;

  override async of(config: Buffer, gitFolder: string): Promise<string> {
    this.interrupt();
    return super.of(config, gitFolder);
  }
}

describe('a folder that is exchanged for a hidden repository while it is read', () => {
  it.each(['folder', 'its parent'])('and back (%s) shows nothing of it', async (what) => {
    using temporary = temporaryFolder();
    const own = join(temporary.path, 'open');
    const path = join(own, 'group', 'r');
    const commit = new RepositoryBuilder({ folder: path, isBare: true }).commit({ files: { a: 'open\n' } });
    mkdirSync(join(temporary.path, 'team'));
    const secret = new RepositoryBuilder({ folder: join(temporary.path, 'team', 'r'), isBare: true });
    secret.commit({ files: { a: 'hidden\n' } });
    const [at, other] = what === 'folder' ? [path, secret.folder] : [join(own, 'group'), join(temporary.path, 'team')];
    const exchange = (): void => {
      renameSync(at, `${temporary.path}/away`);
      symlinkSync(other, at);
    };
    const putBack = (): void => {
      rmSync(at);
      renameSync(`${temporary.path}/away`, at);
    };
    const formats = new InterruptedFormats(new GitProgram({ processes: 1, seconds: 10 }));
    const folders = await PreparedFolders.open(join(temporary.path, 'prepared'));
    const storage = new ServedStorage({
      place: { ownPath: path, commonPath: path, boundary: new Boundary({ own: [own], foreign: [] }) },
      limits: { refs: 100, files: 1000 },
      formats,
      folder: folders.make(),
      onChange: () => undefined,
    });
    const folder = new GitFolder(path, storage);
    const objects = new ObjectReader({ processes: 2, idleSeconds: 60 });
    const revisions = new RevisionResolver(objects);
    const resolve = async (revision: string): Promise<string> => {
      await folder.prepare();
      return revisions.resolve({ folder, key: folder.cacheKey(), revision, signal, namesToSuggest: async () => [] });
    };
    try {
      formats.interrupt = () => {
        formats.interrupt = () => undefined;
        exchange();
      };
      await expect(folder.prepare()).rejects.toMatchObject({ code: 'unavailable' });
      putBack();
      expect(await resolve('main')).toBe(commit);

      let reads = 0;
      await folder.steadily(async () => {
        reads += 1;
        if (reads === 1) exchange();
        await objects.info(folder, 'refs/heads/main^{commit}', signal);
        if (reads === 1) putBack();
      });
      // The first was in vain, whatever it read; nor does the process that read it answer any more.
      expect(reads).toBe(2);
      const hidden = secret.git('rev-parse', 'main');
      for (const revision of [hidden, hidden.slice(0, 7)])
        await expect(resolve(revision)).rejects.toMatchObject({ code: 'not_found' });
      expect(await resolve('main')).toBe(commit);
    } finally {
      objects.close();
      await folder.close();
      await folders.close();
    }
  });
});

it('a commit that was removed and pruned is not found any more by its hash', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
  builder.commit({ files: { a: 'kept\n' } });
  const removed = builder.commit({ branch: 'wrong', parents: [], files: { a: 'a password\n' } });
  builder.git('repack', '-adq');
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
  const r = await git.open('r');
  expect((await r.readText(await r.resolve(removed, signal), 'a', signal)).text).toBe('a password\n');
  builder.git('branch', '-D', 'wrong');
  builder.git('gc', '--quiet', '--prune=now');
  await expect(r.resolve(removed, signal)).rejects.toMatchObject({ code: 'not_found' });
});
