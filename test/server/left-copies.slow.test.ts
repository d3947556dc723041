import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { Load, callTool } from '../prove/support/calls.ts';
import { CodeNodes, until } from '../support/code-nodes.ts';
import type { Started } from '../support/processes.ts';

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
  /**
   * How many clones of each repository there are. Only the third node makes any, so it is looked at last: what is removed
   * for its sake meanwhile, it has.
   */
  const copies = (): number[] => {
    const clones = ['a', 'b', 'c'].flatMap((name) => nodes.clonesOf(name).map((clone) => basename(clone)));
    return [...Map.groupBy(clones, (clone) => clone).values()].map(({ length }) => length);
  };
  const areAll = (count: number): boolean => copies().filter((each) => each === count).length === names.length;
  await nodes.configure(['a', 'b']);
  await Promise.all(['a', 'b'].map((name) => nodes.start(name)));
  await until(async () => areAll(2));
  const host = await nodes.startHost();
  try {
    const isRead = async (repo: string): Promise<boolean> =>
      (await callTool(host, { name: 'read_file', arguments: { repo, path: 'a.ts' } })).kind === 'answered';
    for (const repo of names) await until(() => isRead(repo));
    const reads = names.map((repo) => ({ name: 'read_file', arguments: { repo, path: 'a.ts' } }));
    const load = new Load(host, reads, { callers: 2, pauseMs: 50 });
    const seen: number[][] = [];
    const watching = setInterval(() => seen.push(copies()), 20);
    try {
      await nodes.configure(['a', 'b', 'c']);
      // The host has the new list, and the third node does not answer: nothing is removed for it until it does.
      await until(async () => (await told(host, '/readyz')).includes('"c"'));
      await nodes.start('c');
      await until(async () => nodes.clonesOf('c').length > 0 && areAll(2));
      for (const repo of names) await until(() => isRead(repo));
      expect(seen.filter((each) => each.length < names.length || Math.min(...each) < 2)).toEqual([]);
      const outcomes = await load.stop();
      expect(outcomes.filter(({ kind, detail }) => kind === 'broken' || detail.includes('not found'))).toEqual([]);
    } finally {
      clearInterval(watching);
      await load.stop();
    }
  } finally {
    await host.stop();
  }
});

const told = async ({ url, token }: Started, path: string): Promise<string> =>
  (await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })).text();
