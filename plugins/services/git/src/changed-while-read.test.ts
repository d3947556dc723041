import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isSextantError } from '@sextant/core';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, it } from 'vitest';
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
  let answers = 0;
  const read = async (): Promise<void> => {
    while (!stopping.signal.aborted)
      try {
        const commit = await r.resolve('main', signal);
        expect((await r.readText(commit, 'a', signal)).text).toMatch(/^\d\n$|^pushed\n$/);
        await r.listRefs({ types: ['branch'], limit: 9 }, signal);
        await git.store.find('r')?.refs(signal);
        answers += 1;
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
    await expect.poll(() => answers, { timeout: 20_000 }).toBeGreaterThan(before);
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
    expect((await beside.readText(healthy, 'a', signal)).text).toBe('healthy\n');
    await expect(r.resolve('main', signal)).rejects.toMatchObject({ code: 'unavailable' });
    builder = fill();
    const again = answers;
    await expect.poll(() => answers, { timeout: 20_000 }).toBeGreaterThan(again);
  }
  stopping.abort();
  await Promise.all(readers);
  expect(problems).toEqual([]);
  expect(await r.resolve('main', signal)).toBe(builder.git('rev-parse', 'main'));
});
