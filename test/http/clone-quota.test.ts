import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { call, post } from '../support/rpc.ts';
import { loadPreset } from '../support/preset.ts';
import { startServer } from './support/server.ts';

const plugins = await loadPreset(['service-git', 'service-search-index', 'tool-keyword-search', 'page-home']);
const timeout = 20_000;

test('a search over all names what a quota has evicted, and one that names it brings it back', async () => {
  using folder = temporaryFolder();
  const repositories = ['a', 'b', 'c'].map((name) => {
    const upstream = new RepositoryBuilder({ folder: join(folder.path, name), isBare: true });
    upstream.commit({ files: { 'a.txt': 'alpha\n' } });
    upstream.git('update-ref', 'refs/tags/large', upstream.writeObject('blob', randomBytes(800_000)));
    return { url: `file://${upstream.folder}`, name, access: { users: ['alice'] } };
  });
  const quota = { quotaBytes: 2_000_000, keepSeconds: 0, clonesAtOnce: 1 };
  await using server = await startServer({ plugins, configs: { 'service-git': { repositories, ...quota } } });
  await server.serving.current.assembly.ready();
  const search = async (query: string, token = 'alice-token'): Promise<string> => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await post(server.url, call('keyword_search', { query }), { path: '/.api/mcp/all', headers });
    return response.text();
  };
  const evicted = async (): Promise<string | undefined> =>
    /Not searched: ([abc]) \(its clone was evicted to keep the quota of disk; it is fetched again/.exec(
      await search('alpha'),
    )?.[1];
  await expect.poll(evicted, { timeout }).toMatch(/^[abc]$/);
  const [first = ''] = [await evicted()];
  const home = await fetch(server.url, { headers: { authorization: 'Bearer alice-token' } });
  expect(await home.text()).toContain('Evicted');
  expect(await search('alpha', 'bob-token')).not.toMatch(/evicted/);
  // None of this has brought it back.
  expect(await evicted()).toBe(first);
  expect(server.serving.current.status()['repositories']).toMatchObject({ detail: { evicted: 1, evictions: 0 } });
  expect(await search(`repo:^${first}$ alpha`)).toMatch(/is still being cloned again, after it was evicted/);
  await expect.poll(() => search(`repo:^${first}$ alpha`), { timeout }).toContain('a.txt');
  await expect.poll(evicted, { timeout }).toMatch(/^[abc]$/);
  expect(await evicted()).not.toBe(first);
});
