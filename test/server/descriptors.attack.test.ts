import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { call, post } from '../support/rpc.ts';
import { startSextant } from '../support/processes.ts';
import type { Started } from '../support/processes.ts';

const repositories = 40;
/** More than descriptors. */
const many = 260;

async function ask({ url, token }: Started, number: number): Promise<string> {
  const args = { repo: `r${number}`, path: 'a.ts' };
  const response = await post(url, call('read_file', args), { path: '/.api/mcp/all', token });
  return response.text();
}

test('with few descriptors, many repositories and many connections each call is answered or refused, and all once these are closed', async () => {
  using folder = temporaryFolder();
  for (let number = 0; number < repositories; number += 1) {
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'git', `r${number}.git`), isBare: true });
    builder.commit({ files: { 'a.ts': 'needle\n' } });
  }
  const flags = ['--repos', join(folder.path, 'git'), '--data', join(folder.path, 'data')];
  const server = await startSextant(flags, { limits: 'ulimit -n 256' });
  try {
    for (let first = 0; first < repositories; first += 10) {
      const asked = Array.from({ length: 10 }, (_, number) => ask(server, first + number));
      for (const text of await Promise.all(asked)) expect(text).toMatch(/needle|too many open files/);
    }
    const held = Array.from({ length: 100 }, () => connect(Number(new URL(server.url).port), '127.0.0.1'));
    await Promise.all(
      held.map((socket) =>
        once(
          socket.on('error', () => undefined),
          'connect',
        ).catch(() => undefined),
      ),
    );
    const refused = await ask(server, 0).catch(String);
    expect(refused).toMatch(/needle|open connections|fetch failed/);
    for (const socket of held) socket.destroy();
    const each = async (): Promise<string[]> => {
      const texts = [];
      for (let number = 0; number < repositories; number += 1) texts.push(await ask(server, number).catch(String));
      return texts.filter((text) => !text.includes('needle'));
    };
    await expect.poll(each).toEqual([]);
    expect(server.process.exitCode).toBeNull();
  } finally {
    await server.stop();
  }
});

test('with more repositories than descriptors all of them are indexed and searched, and none is refused meanwhile', async () => {
  using folder = temporaryFolder();
  const git = join(folder.path, 'git');
  new RepositoryBuilder({ folder: join(git, 'r0.git'), isBare: true }).commit({ files: { 'a.ts': 'needle\n' } });
  for (let number = 1; number < many; number += 1)
    cpSync(join(git, 'r0.git'), join(git, `r${number}.git`), { recursive: true });
  const log = join(folder.path, 'log');
  const flags = ['--repos', git, '--data', join(folder.path, 'data')];
  const server = await startSextant(flags, { limits: `ulimit -n 256; exec 2>${log}` });
  try {
    const ready = async (): Promise<number> => (await fetch(`${server.url}/readyz`)).status;
    await expect.poll(ready, { timeout: 200_000, interval: 1000 }).toBe(200);
    const args = { query: 'needle count:all' };
    const response = await post(server.url, call('keyword_search', args), {
      path: '/.api/mcp/all',
      token: server.token,
    });
    expect(await response.text()).toContain(`${many}`);
    expect(readFileSync(log, 'utf8')).not.toMatch(/EMFILE|too many open files|is not served/);
  } finally {
    await server.stop();
  }
});

test('with fewer than it needs the server does not start, and says why', () => {
  using folder = temporaryFolder();
  const bin = fileURLToPath(new URL('../../host/bin/sextant.js', import.meta.url));
  const serve = [process.execPath, bin, 'serve', '--data', join(folder.path, 'data')];
  const { status, stderr } = spawnSync('/bin/sh', ['-c', 'ulimit -n 64; exec "$@"', 'sh', ...serve], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringContaining('may have 64 files and connections open at once, and needs 256'),
  });
});
