import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, it, vi } from 'vitest';
import { startGit } from './testing/start-git.ts';

const { signal } = new AbortController();

it.each(['packed', 'loose'])(
  'a repository with more %s refs than the limit is named, and the others are served',
  async (kind) => {
    using folder = temporaryFolder();
    const many = new RepositoryBuilder({ folder: join(folder.path, 'srv', 'many'), isBare: true });
    const commit = many.commit();
    const names = Array.from({ length: 1000 }, (_, at) => `refs/heads/deep/b${at}`);
    mkdirSync(join(many.folder, 'refs', 'heads', 'deep'));
    if (kind === 'loose') for (const name of names) writeFileSync(join(many.folder, name), `${commit}\n`);
    else
      appendFileSync(
        join(many.folder, 'packed-refs'),
        `# pack-refs with: peeled fully-peeled sorted \n${names
          .map((name) => `${commit} ${name}\n`)
          .sort()
          .join('')}`,
      );
    new RepositoryBuilder({ folder: join(folder.path, 'srv', 'few'), isBare: true }).commit();
    const repositories = [{ path: 'srv' }];
    await using git = await startGit(folder.path, { repositories, refs: 500 });
    await git.ready();
    await vi.waitFor(() => expect(git.status().isReady).toBe(true));
    expect(git.status().failures).toMatchObject([
      { name: 'many', reason: expect.stringContaining('more than 500 refs') },
    ]);
    await expect((await git.open('many')).resolve('main', signal)).rejects.toMatchObject({ code: 'unavailable' });
    expect((await git.store.list()).map(({ name }) => name)).toEqual(['few']);
    expect(await (await git.open('few')).resolve('main', signal)).toHaveLength(40);
    await using enough = await startGit(folder.path, { repositories, refs: 1010 });
    const { refs } = await (await enough.open('many')).listRefs({ types: ['branch'], limit: 2000 }, signal);
    expect(refs).toHaveLength(1001);
  },
);

it.each([1, 10])('a ref whose object is missing is named where refs are listed, beside %i others', async (others) => {
  using folder = temporaryFolder();
  const made = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
  const commit = made.commit();
  for (let at = 1; at < others; at += 1) made.git('update-ref', `refs/heads/b${at}`, commit);
  const gone = '1234567890'.repeat(4);
  writeFileSync(join(made.folder, 'refs/heads/broken'), `${gone}\n`);
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
  const repository = await git.open('r');
  await expect(repository.listRefs({ types: ['branch'], limit: 20 }, signal)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining(`refs/heads/broken names object ${gone}, which the repository lacks`),
  });
  expect(await repository.resolve('main', signal)).toBe(commit);
});
