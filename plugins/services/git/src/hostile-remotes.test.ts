import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, it, vi } from 'vitest';
import { startGit } from './testing/start-git.ts';

const { signal } = new AbortController();

/** A server on a free port of this machine. */
async function listen(answer: RequestListener): Promise<AsyncDisposable & { port: number }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    port: address.port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

it('gets no password that is meant for another: redirects are not followed with one', async () => {
  using folder = temporaryFolder();
  const asked: (string | undefined)[] = [];
  await using thief = await listen((request, response) => {
    asked.push(request.headers.authorization);
    response.writeHead(404).end();
  });
  await using host = await listen((request, response) => {
    expect(request.headers.authorization).toMatch(/^Basic /);
    response.writeHead(302, { location: `http://127.0.0.1:${thief.port}${request.url}` }).end();
  });
  const url = `http://bob:hunter2@127.0.0.1:${host.port}/r.git`;
  await using git = await startGit(folder.path, { repositories: [{ url, name: 'r' }] });
  await git.ready();
  await expect.poll(() => git.status().detail['failed']).toBe(1);
  expect(asked).toEqual([]);
  expect(git.status()).toMatchObject({
    isReady: true,
    failures: [{ name: 'r', reason: expect.stringContaining('302'), since: expect.any(String) }],
  });
  expect(JSON.stringify(git.status())).not.toContain('hunter2');
});

it('leads to no other transport', async () => {
  using folder = temporaryFolder();
  const upstream = new RepositoryBuilder({ folder: join(folder.path, 'upstream'), isBare: true });
  upstream.commit();
  await using host = await listen((_, response) => {
    response.writeHead(302, { location: `file://${upstream.folder}/info/refs` }).end();
  });
  const url = `http://127.0.0.1:${host.port}/r.git`;
  await using git = await startGit(folder.path, { repositories: [{ url, name: 'r' }] });
  await git.ready();
  await expect.poll(() => git.status().failures).toMatchObject([{ name: 'r' }]);
});

it('leads to no other host: its code would be shown under this name', async () => {
  using folder = temporaryFolder();
  const internal = new RepositoryBuilder({ folder: join(folder.path, 'internal'), isBare: true });
  internal.commit();
  internal.git('update-server-info');
  const files: RequestListener = (request, response) => {
    const file = join(internal.folder, decodeURIComponent((request.url ?? '').replace(/^\/r\.git|\?.*$/g, '')));
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.end(readFileSync(file));
  };
  await using near = await listen(files);
  const moved =
    (to: () => string): RequestListener =>
    (request, response) => {
      if (request.url?.startsWith('/old.git')) response.writeHead(301, { location: to() + request.url.slice(8) }).end();
      else files(request, response);
    };
  await using away = await listen(moved(() => `http://127.0.0.1:${near.port}/r.git`));
  let own = 0;
  await using renamed = await listen(moved(() => `http://127.0.0.1:${own}/r.git`));
  own = renamed.port;
  const repositories = [away, renamed].map(({ port }, at) => ({
    url: `http://127.0.0.1:${port}/old.git`,
    name: ['away', 'renamed'][at],
  }));
  await using git = await startGit(folder.path, { repositories });
  await git.ready();
  await expect.poll(() => git.status().isReady).toBe(true);
  expect(git.status().failures).toMatchObject([
    { name: 'away', reason: expect.stringContaining(`leads to another host, http://127.0.0.1:${near.port}`) },
  ]);
  expect((await git.open('renamed')).info.defaultBranch).toBe('main');
});

it('is named when it has more refs than are served, and keeps those that it had', async () => {
  using folder = temporaryFolder();
  const upstream = new RepositoryBuilder({ folder: join(folder.path, 'upstream'), isBare: true });
  const commit = upstream.commit();
  const repositories = [{ url: `file://${upstream.folder}`, name: 'r' }];
  await using git = await startGit(folder.path, { repositories, refs: 10, fetchSeconds: 1 });
  await git.ready();
  await expect.poll(() => git.status().isReady).toBe(true);
  for (let at = 0; at < 10; at += 1) upstream.tag({ name: `t${at}` });
  await expect
    .poll(() => git.status().failures)
    .toMatchObject([{ name: 'r', reason: expect.stringContaining('10 refs') }]);
  expect(await (await git.open('r')).resolve('main', signal)).toBe(commit);
});

const line = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text;
const id = '1'.repeat(40);

function* refsWithoutEnd(): Generator<string, void, void> {
  for (let from = 0; ; from += 1000)
    yield Array.from({ length: 1000 }, (_, at) => line(`${id} refs/heads/${from + at}${'x'.repeat(400)}\n`)).join('');
}

it.each([
  ['refs without end', refsWithoutEnd, /memory/i],
  [
    'refs that are names for each other',
    () => [
      line(`${id} HEAD\0symref=HEAD:refs/heads/a symref=refs/heads/a:refs/heads/b symref=refs/heads/b:refs/heads/a\n`),
      `${line(`${id} refs/heads/a\n`)}${line(`${id} refs/heads/b\n`)}0000`,
    ],
    // Another git may find something else wrong with it.
    /./,
  ],
])('ends git when the other side makes it hold more than it may: %s', async (_what, lines, reason) => {
  using folder = temporaryFolder();
  await using host = await listen((_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
    const advertised = [`${line('# service=git-upload-pack\n')}0000`];
    // Left by the client in the middle of it.
    pipeline(Readable.from(concat(advertised, lines())), response).catch(() => undefined);
  });
  const url = `http://127.0.0.1:${host.port}/r.git`;
  const settings = { repositories: [{ url, name: 'r' }], cloneMemoryBytes: 64 * 1024 * 1024 };
  await using git = await startGit(folder.path, settings);
  await git.ready();
  await expect.poll(() => git.status().failures).toMatchObject([{ name: 'r', reason: expect.stringMatching(reason) }]);
});

function* concat(...lists: readonly Iterable<string>[]): Generator<string, void, void> {
  for (const list of lists) yield* list;
}

it('fills no more of the disk than it may, when it is cloned and when it is fetched', async () => {
  using folder = temporaryFolder();
  const upstream = new RepositoryBuilder({ folder: join(folder.path, 'upstream'), isBare: true });
  const first = upstream.commit();
  const url = `file://${upstream.folder}`;
  const settings = { repositories: [{ url, name: 'r' }], cloneBytes: 1024 * 1024, fetchSeconds: 1 };
  await using git = await startGit(folder.path, settings);
  await git.ready();
  await expect.poll(() => git.status().isReady).toBe(true);
  expect(await (await git.open('r')).resolve('main', signal)).toBe(first);
  const blob = upstream.writeObject('blob', randomBytes(2_000_000));
  upstream.git('update-ref', 'refs/tags/large', blob);
  const isNamed = (): void =>
    expect(git.status().failures).toMatchObject([
      { name: 'r', reason: expect.stringContaining('more than 1048576 bytes'), nextTry: expect.any(String) },
    ]);
  await vi.waitFor(isNamed, { timeout: 20_000 });
  expect(git.status().isReady).toBe(true);
  const fresh = join(folder.path, 'fresh');
  await using other = await startGit(fresh, settings);
  await other.ready();
  await expect.poll(() => other.status().detail['failed']).toBe(1);
  expect(existsSync(fresh) && readdirSync(join(fresh, 'data', 'clones'))).toEqual([]);
});

it('is not cloned or fetched while the disk has too little room, and is served as it is', async () => {
  using folder = temporaryFolder();
  const upstream = new RepositoryBuilder({ folder: join(folder.path, 'upstream'), isBare: true });
  const first = upstream.commit();
  const repositories = [{ url: `file://${upstream.folder}`, name: 'r' }];
  const freeBytes = 2 ** 52;
  const said = [
    { name: 'r', reason: expect.stringMatching(/^the disk of the server has too little room left: only /) },
  ];
  {
    await using full = await startGit(folder.path, { repositories, freeBytes });
    await full.ready();
    await expect.poll(() => full.status().failures).toMatchObject(said);
    await expect(full.open('r')).rejects.toThrow(
      /could not be cloned yet .*: the disk of the server has too little room/,
    );
  }
  {
    await using git = await startGit(folder.path, { repositories, freeBytes: 0 });
    await git.ready();
    await expect.poll(() => git.status()).toMatchObject({ isReady: true, detail: { failed: 0 } });
  }
  upstream.commit({ parents: [first] });
  await using full = await startGit(folder.path, { repositories, freeBytes });
  await full.ready();
  await expect.poll(() => full.status().failures).toMatchObject(said);
  expect(await (await full.open('r')).resolve('main', signal)).toBe(first);
});
