import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { silentLogger } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { expect, it } from 'vitest';
import { startGit } from '../testing/start-git.ts';

const root = callerOf('root', { isSiteAdmin: true });
const wait = { timeout: 230_000, interval: 100 };

it('the clones of a host that is away wait together, those of another are made, and all are once it is back', {
  timeout: 600_000,
}, async () => {
  using folder = temporaryFolder();
  const upstream = new RepositoryBuilder({ folder: join(folder.path, 'upstream'), isBare: true });
  upstream.commit({ files: { a: '1\n' } });
  upstream.git('update-server-info');
  const state = { isAway: true, tried: new Set<string>() };
  const server = createServer(({ url = '/' }, response) => {
    const [, repository = '', path = ''] = /^\/([^/]+)\/([^?]*)/.exec(url) ?? [];
    state.tried.add(repository);
    if (state.isAway) return void response.writeHead(503).end();
    try {
      response.end(readFileSync(join(upstream.folder, path)));
    } catch {
      response.writeHead(404).end();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const hosted = Array.from({ length: 10 }, (_, at) => ({
    url: `http://127.0.0.1:${port}/r-${at}.git`,
    name: `away/r-${at}`,
  }));
  const elsewhere = { url: `file://${upstream.folder}`, name: 'here' };
  const paused = Promise.withResolvers<void>();
  const warn = (_fields: object, message: string): void => {
    if (message.startsWith('a host does not answer')) paused.resolve();
  };
  try {
    await using git = await startGit(folder.path, { repositories: [...hosted, elsewhere] }, { ...silentLogger, warn });
    await git.ready();
    await paused.promise;
    expect(state.tried.size).toBeLessThan(hosted.length);
    const states = async (): Promise<string[]> =>
      (await git.repositories.list(root)).map(({ name, clone }) => `${name.split('/')[0]} ${clone?.state}`).toSorted();
    const stateOfAll = (state: string): string[] => [...hosted.map(() => `away ${state}`), 'here ready'];
    await expect.poll(states, wait).toEqual(stateOfAll('failed'));
    const waiting = (): string[] =>
      (git.status().failures ?? [])
        .filter(({ reason }) => reason.includes('asked once for all'))
        .map(({ nextTry = '' }) => nextTry);
    await expect.poll(waiting, wait).toContainEqual(expect.stringMatching(/^20/));
    state.isAway = false;
    await expect.poll(states, wait).toEqual(stateOfAll('ready'));
    expect(git.status().failures ?? []).toEqual([]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
