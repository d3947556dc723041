import { join } from 'node:path';
import { IndexStates } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { expect, it } from 'vitest';
import { startSearch } from '../testing/start-search.ts';

it('lists how far the index of each repository is that the caller may read', async () => {
  using folder = temporaryFolder();
  const repositories = Object.fromEntries(
    ['shop', 'vault'].map((name) => {
      const builder = new RepositoryBuilder({ folder: join(folder.path, `${name}.git`), isBare: true });
      builder.commit({ files: { 'a.ts': 'a\n', 'b.ts': 'b\n' } });
      return [name, builder.folder];
    }),
  );
  await using started = await startSearch({ folder: folder.path, repositories, hidden: ['vault'] });
  await started.ready();
  const { states } = started.services.resolve({ states: IndexStates });
  const updated = { at: expect.any(String), milliseconds: expect.any(Number) };
  const indexed = (repo: string) => ({ repo, state: 'indexed', files: 2, updated });
  await expect.poll(() => states.list(callerOf('alice'))).toEqual([indexed('shop')]);
  const root = callerOf('root', { isSiteAdmin: true });
  await expect.poll(() => states.list(root)).toEqual([indexed('shop'), indexed('vault')]);
});
