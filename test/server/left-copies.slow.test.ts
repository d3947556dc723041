import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { Load, callTool } from '../prove/support/calls.ts';
import { CodeNodes, until } from '../support/code-nodes.ts';

const names = Array.from({ length: 12 }, (_, index) => `part-${index}`);

test('nodes remove clones that they no longer own once the owners have them, and no call fails meanwhile', async () => {
  using folder = temporaryFolder();
  const repositories = join(folder.path, 'git');
  mkdirSync(repositories);
  for (const name of names) {
    const builder = new RepositoryBuilder({ folder: join(repositories, `${name}.git`), isBare: true });
    builder.commit({ files: { 'a.ts': `export const needle = '${name}';\n` } });
  }
  await using nodes = new CodeNodes({ folder: folder.path, repositories, cloned: names });
  await nodes.configure(['a', 'b']);
  await Promise.all(['a', 'b'].map((name) => nodes.start(name)));
  const clones = (): number[] => ['a', 'b'].map((name) => nodes.clonesOf(name).length);
  await until(async () => clones().every((count) => count === names.length));
  const host = await nodes.startHost();
  try {
    const isRead = async (repo: string): Promise<boolean> =>
      (await callTool(host, { name: 'read_file', arguments: { repo, path: 'a.ts' } })).kind === 'answered';
    for (const repo of names) await until(() => isRead(repo));
    const reads = names.map((repo) => ({ name: 'read_file', arguments: { repo, path: 'a.ts' } }));
    const load = new Load(host, reads, { callers: 2, pauseMs: 50 });

    // The third does not answer yet: nothing is removed for a node that cannot be asked.
    await nodes.configure(['a', 'b', 'c']);
    await nodes.start('c');
    // Each repository has two copies, and none is anywhere else.
    await until(
      async () => [...clones(), nodes.clonesOf('c').length].reduce((sum, each) => sum + each, 0) === 2 * names.length,
    );
    expect(Math.min(...clones())).toBeLessThan(names.length);
    for (const repo of names) await until(() => isRead(repo));
    const outcomes = await load.stop();
    expect(outcomes.filter(({ kind, detail }) => kind === 'broken' || detail.includes('not found'))).toEqual([]);
  } finally {
    await host.stop();
  }
});
