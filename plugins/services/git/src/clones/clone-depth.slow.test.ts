import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { silentLogger } from '@sextant/core';
import type { ServiceFailure } from '@sextant/core';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, it } from 'vitest';
import { maxShallowBytes } from '../storage/shallow-file.ts';
import { startGit } from '../testing/start-git.ts';

it('refuses a history with too many first commits, and tries it again a day later', async () => {
  using folder = temporaryFolder();
  const upstream = new RepositoryBuilder({ folder: join(folder.path, 'upstream'), isBare: true });
  upstream.commit({ files: { a: 'x\n' } });
  const commitOf = (branch: number): string =>
    `commit refs/heads/b${branch}\ncommitter a <a@b> ${branch} +0000\ndata 0\n\n`;
  const tooMany = Math.ceil(maxShallowBytes / 41);
  const input = Array.from({ length: tooMany }, (_, branch) => commitOf(branch).repeat(2)).join('');
  execFileSync('git', ['-C', upstream.folder, 'fast-import', '--quiet'], { input });
  upstream.git('pack-refs', '--all');
  const repositories = [{ url: `file://${upstream.folder}`, name: 'r', depth: 1 }];
  await using git = await startGit(folder.path, { repositories }, silentLogger);
  await git.ready();
  const failure = (): ServiceFailure | undefined => git.status().failures?.[0];
  await expect.poll(() => failure()?.reason).toContain('begins with too many commits');
  const halfADay = 12 * 3_600_000;
  await expect.poll(() => Date.parse(failure()?.nextTry ?? '') - Date.now() > halfADay).toBe(true);
});
