import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLogger } from '@sextant/core';
import { expect, it } from 'vitest';
import { giteaConfig } from './config.ts';
import { GiteaSource } from './gitea-source.ts';

/** A repository as Gitea 1.26.0 describes it, as far as this source reads it. */
const repository = (id: number) => ({
  id,
  full_name: `acme/repo-${id}`,
  owner: { id: 1, visibility: 'public' },
  private: false,
  clone_url: `https://git.example.com/acme/repo-${id}.git`,
  description: '',
  default_branch: 'main',
  archived: false,
  fork: false,
  empty: false,
  topics: [],
  stars_count: 0,
  updated_at: '2026-02-01T00:00:00Z',
  permissions: { pull: true },
});

it('does not take repositories for all where one was deleted while they were listed', async () => {
  const ids = Array.from({ length: 80 }, (_, index) => index + 1);
  const server = createServer(({ url, headers }, response) => {
    const query = new URL(url ?? '', `http://${headers.host}`).searchParams;
    const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit'))];
    response.setHeader('x-total-count', ids.length);
    const data = ids.slice((page - 1) * limit, page * limit).map(repository);
    response.end(JSON.stringify({ ok: true, data }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const source = new GiteaSource(giteaConfig.parse({ url, token: 'a'.repeat(40) }), {
    log: silentLogger,
    permissions: 'none',
  });
  const { signal } = new AbortController();
  const list = async (): Promise<number> => {
    let count = 0;
    for await (const page of source.list(signal)) {
      count += page.length;
      if (count === 50) ids.splice(10, 1);
    }
    return count;
  };
  await expect(list()).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('came or went') });
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});
