import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { HostedRepositories, HostedRepository } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { silentLogger } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { config } from '../config.ts';
import { startGit } from '../testing/start-git.ts';
import type { StartedGit } from '../testing/start-git.ts';

const { signal } = new AbortController();
const program = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/sbin/sshd'].find((file) => existsSync(file));
if (program === undefined) process.stderr.write('NOT RUN: clones over ssh need sshd (openssh-server)\n');
const { username } = userInfo();

const newKey = (file: string, passphrase = ''): string => {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-C', '', '-f', file]);
  return readFileSync(file, 'utf8').trimEnd();
};
const publicKey = (file: string): string => readFileSync(`${file}.pub`, 'utf8').trim();

interface Listening extends AsyncDisposable {
  readonly port: number;
}

/** Listens on a free port of this machine. */
async function listen(connected: (socket: Socket) => void): Promise<Listening> {
  const server = createServer({ pauseOnConnect: true }, connected);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const close = (): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));
  return { port: address.port, [Symbol.asyncDispose]: close };
}

/** A real sshd of this account, one process for each connection, that lets in who has the key `user`. */
async function startHost(folder: string): Promise<Listening> {
  newKey(join(folder, 'host'));
  writeFileSync(join(folder, 'authorized'), `${publicKey(join(folder, 'user'))}\n`);
  const settings = [
    `HostKey ${join(folder, 'host')}`,
    `AuthorizedKeysFile ${join(folder, 'authorized')}`,
    'UsePAM no',
    'StrictModes no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
  ];
  writeFileSync(join(folder, 'sshd_config'), `${settings.join('\n')}\n`);
  // The folder in which sshd of an administrator locks itself up; the system makes it where sshd is started by it.
  if (username === 'root') mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  return listen((socket) => {
    spawn(program ?? '', ['-i', '-e', '-f', join(folder, 'sshd_config')], { stdio: [socket, socket, 'ignore'] });
    socket.destroy();
  });
}

describe.skipIf(program === undefined)('clones over ssh', () => {
  const folder = temporaryFolder();
  let host: Listening;
  let key = '';
  let knownHosts = '';
  let upstream: RepositoryBuilder;
  let url = '';

  beforeAll(async () => {
    key = newKey(join(folder.path, 'user'));
    host = await startHost(folder.path);
    knownHosts = `# of the test\n[127.0.0.1]:${host.port} ${publicKey(join(folder.path, 'host'))}`;
    upstream = new RepositoryBuilder({ folder: join(folder.path, 'upstream'), isBare: true });
    upstream.commit({ files: { a: '1\n' } });
    url = `ssh://${username}@127.0.0.1:${host.port}${upstream.folder}`;
  });
  afterAll(async () => {
    await host[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const failuresOf = async (git: StartedGit, count: number): Promise<Record<string, string>> => {
    await git.ready();
    await expect.poll(() => git.status().failures?.length ?? 0).toBe(count);
    return Object.fromEntries(git.status().failures?.map(({ name, reason }) => [name, reason]) ?? []);
  };

  it('are made and fetched with the key of the configuration, their own or the common one, which is kept nowhere', async () => {
    using own = temporaryFolder();
    // As in a path that ssh would take for two names and a token of its own.
    const place = join(own.path, `it's 100%h "x" $HOME`);
    const ssh = { key, knownHosts };
    const wrong = { key: newKey(join(own.path, 'other')), knownHosts };
    const repositories = [
      { url, name: 'own', ssh },
      { url, name: 'common' },
    ];
    {
      await using git = await startGit(place, { repositories: repositories.slice(0, 1), ssh: wrong });
      await git.ready();
      const head = (): Promise<string> => git.open('own').then((opened) => opened.resolve(undefined, signal));
      const first = upstream.git('rev-parse', 'main');
      await expect.poll(() => head().catch(() => '')).toBe(first);
      const next = upstream.commit({ parents: [first], files: { a: '2\n' } });
      await git.fetch('', callerOf('ann'));
      await expect.poll(head).toBe(next);
    }
    expect(readdirSync(join(place, 'data', 'clones'))).toHaveLength(1);
    const short = { url, name: 'short', depth: 1 };
    await using git = await startGit(place, { repositories: [...repositories.slice(1), short], ssh });
    await git.ready();
    await expect.poll(() => git.status().isReady).toBe(true);
    expect((await git.open('common')).info.defaultBranch).toBe('main');
    const cut = await git.open('short');
    expect(await cut.resolve('main', signal)).toBe(upstream.git('rev-parse', 'main'));
    await expect(cut.resolve('main~1', signal)).rejects.toThrow('only the later part of the history');
  });

  it('are made of what a code host lists, with the key of its source', async () => {
    using own = temporaryFolder();
    const shop: HostedRepository = {
      key: 'shop',
      name: 'git.example.com/acme/shop',
      formerNames: [],
      cloneURL: url,
      description: '',
      visibility: 'public',
      isArchived: false,
      isFork: false,
      topics: [],
      isPrivate: false,
      branches: [],
      changed: '1',
    };
    const hosted: HostedRepositories = {
      all: () => [shop],
      onChange: () => () => undefined,
      login: async () => undefined,
      sshLogin: () => ({ key, knownHosts }),
      readerFor: async () => ({ canRead: () => true, explain: () => 'the test says so' }),
    };
    await using git = await startGit(own.path, {}, silentLogger, hosted);
    await git.ready();
    const head = async (): Promise<string> => (await git.open(shop.name)).resolve(undefined, signal);
    await expect.poll(() => head().catch(() => '')).toBe(upstream.git('rev-parse', 'main'));
  });

  it('say why they fail, and never the key', async () => {
    using own = temporaryFolder();
    const logged: string[] = [];
    const record = (fields: object, message: string): void => void logged.push(JSON.stringify(fields) + message);
    const log: Logger = { debug: record, info: record, warn: record, error: record };
    const other = newKey(join(own.path, 'other'));
    await using ends = await listen((socket) => socket.destroy());
    const nobody = `ssh://${username}@127.0.0.1:${ends.port}${upstream.folder}`;
    const repositories = [
      { url, name: 'refused', ssh: { key: other, knownHosts } },
      { url, name: 'unknown', ssh: { key, knownHosts: `example.com ${publicKey(join(folder.path, 'host'))}` } },
      {
        url,
        name: 'changed',
        ssh: { key, knownHosts: `[127.0.0.1]:${host.port} ${publicKey(join(own.path, 'other'))}` },
      },
      { url: nobody, name: 'away', ssh: { key, knownHosts } },
      { url: `${url}-missing`, name: 'missing', ssh: { key, knownHosts } },
      { url, name: 'without' },
    ];
    await using git = await startGit(own.path, { repositories, clonesAtOnce: 6 }, log);
    expect(await failuresOf(git, 6)).toEqual({
      refused: expect.stringMatching(/^its host does not accept the login of the server: .*Permission denied/s),
      unknown: expect.stringMatching(/^the key of its host is not known: /),
      changed: expect.stringMatching(/^the key of its host is not the one that is known: /),
      away: expect.stringMatching(/^its host cannot be reached, or ends the connection: /),
      missing: expect.stringMatching(/^its host knows no such repository: /),
      without: expect.stringMatching(/^the server has no login for its host: a URL of ssh needs the setting "ssh"/),
    });
    const [, secret = ''] = key.split('\n');
    expect(logged.join('\n') + JSON.stringify(git.status())).not.toContain(secret);
    await expect(git.open('without')).rejects.toThrow('the server has no login for its host; it is tried again');
  });

  it('refuse what cannot work when they are configured', () => {
    using own = temporaryFolder();
    const problems = (repository: object): string[] =>
      config.safeParse({ repositories: [repository] }).error?.issues.map(({ message }) => message) ?? [];
    const ssh = { key, knownHosts };
    expect(problems({ url, ssh })).toEqual([]);
    expect(problems({ url: 'git@example.com:a/b', ssh: 'account' })).toEqual([]);
    expect(problems({ url: 'https://example.com/a', ssh })).toEqual([expect.stringContaining('is for a URL of ssh')]);
    const locked = newKey(join(own.path, 'locked'), 'secret');
    for (const [wrong, said] of [
      [{ ...ssh, key: locked }, 'passphrase'],
      [{ ...ssh, key: '/etc/key' }, 'private key as ssh-keygen writes it'],
      [{ ...ssh, knownHosts: '# nothing' }, 'known_hosts'],
    ] as const)
      expect(JSON.stringify(config.safeParse({ repositories: [{ url, ssh: wrong }] }).error?.issues)).toContain(said);
  });
});
