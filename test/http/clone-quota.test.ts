import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Fetches, IndexStates } from '@sextant/contracts';
import { RepositoryBuilder, memorySessions, temporaryFolder } from '@sextant/contracts/testing';
import { silentLogger } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { expect, test } from 'vitest';
import { call, post } from '../support/rpc.ts';
import { loadPreset } from '../support/preset.ts';
import { externalURL, startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const tools = ['tool-keyword-search', 'tool-find-references'];
const plugins = await loadPreset(['service-git', 'service-search-index', 'service-symbols', 'page-home', ...tools]);
const administration = (await loadPreset(['page-site-admin'])).flatMap(({ pages }) => pages);

test('what a quota has evicted is told by calls over all, and comes back by those that name it', async () => {
  using folder = temporaryFolder();
  const repositories = ['a', 'b', 'c'].map((name) => {
    const upstream = new RepositoryBuilder({ folder: join(folder.path, name), isBare: true });
    const manifest = `{ "name": "@acme/${name}", "main": "a.ts" }`;
    upstream.commit({ files: { 'a.txt': 'alpha\n', 'package.json': manifest, 'a.ts': 'export const beta = 1;\n' } });
    upstream.git('update-ref', 'refs/tags/large', upstream.writeObject('blob', randomBytes(800_000)));
    return { url: `file://${upstream.folder}`, name, access: { users: ['alice'] } };
  });
  const quota = { quotaBytes: 2_000_000, keepSeconds: 0, clonesAtOnce: 1 };
  await using server = await startServer({ plugins, configs: { 'service-git': { repositories, ...quota } } });
  await server.serving.current.assembly.ready();
  const told = async (tool: string, args: object, token = 'alice-token'): Promise<string> => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await post(server.url, call(tool, args), { path: '/.api/mcp/all', headers });
    return response.text();
  };
  const search = (query: string, token?: string): Promise<string> => told('keyword_search', { query }, token);
  const evicted = async (): Promise<string | undefined> =>
    /Not searched: ([abc]) \(its clone was evicted to keep the quota of disk; it is fetched again/.exec(
      await search('alpha'),
    )?.[1];
  await expect.poll(evicted).toMatch(/^[abc]$/);
  const [first = ''] = [await evicted()];
  const home = await fetch(server.url, { headers: { authorization: 'Bearer alice-token' } });
  expect(await home.text()).toContain('Evicted');
  expect(await search('alpha', 'bob-token')).not.toMatch(/evicted/);
  const uses = { repo: first === 'a' ? 'b' : 'a', path: 'a.ts', symbol: 'beta' };
  const lacks = new RegExp(`Not searched: .*\\b${first} \\(its clone was evicted`);
  await expect.poll(() => told('find_references', uses)).toMatch(lacks);
  // None of this has brought it back.
  expect(await evicted()).toBe(first);
  expect(server.serving.current.status()['repositories']).toMatchObject({ detail: { evicted: 1, evictions: 0 } });
  expect(await search(`repo:^${first}$ alpha`)).toMatch(/is still being cloned again, after it was evicted/);
  await expect.poll(() => search(`repo:^${first}$ alpha`)).toContain('a.txt');
  await expect.poll(evicted).toMatch(/^[abc]$/);
  const [second = ''] = [await evicted()];
  expect(second).not.toBe(first);
  expect((await indexedNow(server, [second])).status).toBe(303);
  // Where the others are at work at that moment it waits for room.
  const isAsked = `[^${second}] \\(its clone was evicted|${second} \\(the repository could not be cloned yet`;
  await expect.poll(() => search('alpha')).toMatch(new RegExp(`Not searched: (${isAsked})`));
});

/** The button of the page of all repositories, with the services of a server. */
async function indexedNow({ serving }: TestServer, names: readonly string[]): Promise<Response> {
  const path = '/site-admin/repositories/refresh';
  const page = administration.find((each) => each.method === 'POST' && each.path === path);
  if (!page) throw new Error(`there is no page ${path}`);
  const sessions = memorySessions();
  const cookie = (await sessions.begin(5, new Request(externalURL))).split(';')[0] ?? '';
  const { csrfToken } = await sessions.formToken(new Request(externalURL, { headers: { cookie } }));
  const body = new URLSearchParams([...names.map((name) => ['name', name]), ['csrf', csrfToken]]);
  const request = new Request(externalURL + path, { method: 'POST', headers: { cookie }, body });
  const services = serving.current.assembly.services.resolve({ fetches: Fetches, states: IndexStates });
  return page.respond(
    request,
    { ...services, 'admin:sessions': sessions },
    {
      caller: callerOf('root', { isSiteAdmin: true }),
      endpoint: path,
      remoteAddress: '10.0.0.1',
      signal: request.signal,
      log: silentLogger,
      reportProgress() {},
    },
  );
}
