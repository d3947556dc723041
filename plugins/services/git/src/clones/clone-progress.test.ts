import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { CloneProgress } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { messageOf } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { expect, it } from 'vitest';
import { GitProgram } from '../process/git-process.ts';
import { startGit } from '../testing/start-git.ts';
import { progressIn } from './clone-progress.ts';
import { CloneTransport } from './clone-transport.ts';

const { signal } = new AbortController();

it.each([
  ['Receiving objects:  45% (9/20), 1.50 MiB | 2.00 MiB/s', { stage: 'receiving', percent: 45, bytes: 1_572_864 }],
  [
    'Receiving objects: 100% (20/20), 700 bytes | 700.00 KiB/s, done.',
    { stage: 'receiving', percent: 100, bytes: 700 },
  ],
  ['Resolving deltas:   0% (0/3)', { stage: 'resolving', percent: 0 }],
  ['remote: Counting objects: 100% (20/20), done.', { stage: 'preparing', percent: 100 }],
  ['remote: Enumerating objects: 20, done.', { stage: 'preparing' }],
  ['remote: Anything else: 10% (1/10)', undefined],
  ['fatal: Receiving objects:  45% (9/20)', undefined],
  ['remote: Receiving objects: 45% (9/20)', undefined],
])('%s tells %j', (line, expected) => {
  expect(progressIn(line)).toEqual(expected);
});

it('git tells how far a clone is, in stages and bytes, and what went wrong besides', async () => {
  using folder = temporaryFolder();
  const upstream = new RepositoryBuilder({ folder: join(folder.path, 'upstream'), isBare: true });
  upstream.commit();
  const blob = upstream.writeObject('blob', randomBytes(1_000_000));
  upstream.git('update-ref', 'refs/tags/large', blob);
  const git = new GitProgram({ processes: 1, seconds: 60 });
  const limits = { bytes: 1e9, freeBytes: 0, memoryBytes: 2 ** 32, refs: 10 };
  const url = `file://${upstream.folder}`;
  const told: CloneProgress[] = [];
  const paths = { partial: join(folder.path, 'partial'), folder: join(folder.path, 'clone') };
  const transport = new CloneTransport({ git, url, environment: {}, limits });
  await transport.clone(paths, { signal, onProgress: (progress) => void told.push(progress) });
  expect(told.map(({ stage }) => stage)).toContain('preparing');
  expect(told.findLast(({ stage }) => stage === 'receiving')).toMatchObject({
    percent: 100,
    bytes: expect.any(Number),
  });
  expect(told.findLast(({ bytes }) => bytes !== undefined)?.bytes).toBeGreaterThan(1_000_000);
  // The other side cannot read what it has to send.
  rmSync(join(upstream.folder, 'objects', blob.slice(0, 2), blob.slice(2)));
  const again = { ...paths, folder: join(folder.path, 'again') };
  const error = await transport
    .clone(again, { signal, onProgress: () => undefined })
    .catch((reason: unknown) => reason);
  const said = error instanceof Error ? messageOf(error.cause) : '';
  expect(said).toMatch(/^git exited \d+: [^]*fatal: /);
  expect(said).not.toMatch(/Cloning into|Enumerating|%/);
});

it('what a call names is cloned next', async () => {
  using folder = temporaryFolder();
  const asked: string[] = [];
  let isHeld = false;
  const isAsked = Promise.withResolvers<() => void>();
  const server = createServer((request, response) => {
    const name = request.url?.split('/')[1] ?? '';
    if (asked.at(-1) !== name) asked.push(name);
    const refuse = (): void => void response.writeHead(404).end();
    if (name !== 'a' || isHeld) return refuse();
    isHeld = true;
    isAsked.resolve(refuse);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const repositories = ['a', 'b', 'c'].map((name) => ({ name, url: `http://127.0.0.1:${port}/${name}/r` }));
  {
    await using git = await startGit(folder.path, { repositories, clonesAtOnce: 1 });
    await git.ready();
    const answer = await isAsked.promise;
    const stages = (await git.repositories.list(callerOf('alice'))).map(({ clone }) => clone?.progress?.stage);
    expect(stages).toEqual(['preparing', 'waiting', 'waiting']);
    await expect(git.open('c')).rejects.toMatchObject({ retryAfterSeconds: 10 });
    answer();
    await expect.poll(() => git.status().detail['failed']).toBe(3);
  }
  expect(asked.slice(0, 3)).toEqual(['a', 'c', 'b']);
  server.closeAllConnections();
  server.close();
});
