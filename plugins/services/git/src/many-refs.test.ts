import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RefList, RefType } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, it } from 'vitest';
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
    await expect.poll(() => git.status().isReady).toBe(true);
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

it.each([1, 10, 1200])('lists %i refs beside those whose objects are missing, which a note names', async (others) => {
  using folder = temporaryFolder();
  const made = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
  const commit = made.commit();
  const names = Array.from({ length: others - 1 }, (_, at) => `refs/heads/b${at}`);
  for (const name of names) writeFileSync(join(made.folder, name), `${commit}\n`);
  const gone = '1234567890'.repeat(4);
  writeFileSync(join(made.folder, 'refs/heads/broken'), `${gone}\n`);
  const target = made.commit({ branch: 'target' });
  made.git('tag', '-a', '-m', 'of what is gone', 'hollow', target);
  made.git('branch', '-D', 'target');
  rmSync(join(made.folder, 'objects', target.slice(0, 2), target.slice(2)));
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
  const repository = await git.open('r');
  const list = (types: readonly RefType[]): Promise<RefList> => repository.listRefs({ types, limit: 2000 }, signal);
  for (const _ of ['read', 'remembered']) {
    const all = await list(['branch', 'tag']);
    expect(all.refs.map(({ name }) => name).sort()).toEqual(['main', ...names.map((name) => name.slice(11))].sort());
    expect(all.notes).toEqual([
      expect.stringMatching(new RegExp(`^2 refs are left out.*branch broken \\(object ${gone}\\)`)),
    ]);
    expect(all.notes?.[0]).toContain(`tag hollow (object ${target})`);
  }
  expect((await list(['tag'])).notes).toEqual([expect.stringContaining('tag hollow')]);
  await expect((await git.store.find('r'))?.refs(signal)).rejects.toThrow(`object ${gone}`);
  expect(await repository.resolve('main', signal)).toBe(commit);
});

it('says which object is missing where refs that contain a commit may be left out', async () => {
  using folder = temporaryFolder();
  const made = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
  const [first, second] = [made.commit(), made.commit()];
  made.git('branch', 'old', first);
  made.commit();
  rmSync(join(made.folder, 'objects', second.slice(0, 2), second.slice(2)));
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
  const repository = await git.open('r');
  const { refs, notes } = await repository.listRefs({ types: ['branch'], containsCommit: first, limit: 9 }, signal);
  expect(refs.map(({ name }) => name)).toEqual(['old']);
  expect(notes).toEqual([expect.stringContaining(`lacks object ${second}`)]);
});
