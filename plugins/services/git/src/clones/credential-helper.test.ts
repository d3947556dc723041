import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { config } from '../config.ts';
import { startGit } from '../testing/start-git.ts';

const files = temporaryFolder();
const at = (name: string): string => join(files.path, name);
const login = `Basic ${Buffer.from('bob:hunter2').toString('base64')}`;

beforeAll(() => {
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const pair = ['-keyout', at('server.key'), '-out', at('server.pem')];
  execFileSync('openssl', ['req', ...kind, ...subject, ...pair], { stdio: 'pipe' });
  vi.stubEnv('SSL_CERT_FILE', at('server.pem'));
  const upstream = new RepositoryBuilder({ folder: at('upstream'), isBare: true });
  upstream.commit();
  upstream.commit({ files: { second: 'x\n' } });
  upstream.git('update-server-info');
});
afterAll(() => {
  vi.unstubAllEnvs();
  files[Symbol.dispose]();
});

interface Host extends AsyncDisposable {
  readonly port: number;
  /** The logins that it was sent. */
  readonly logins: readonly (string | undefined)[];
}

/** A host of https, which trusts in one login. */
async function listen(answer: RequestListener): Promise<Host> {
  const logins: (string | undefined)[] = [];
  const server = createServer({ key: readFileSync(at('server.key')), cert: readFileSync(at('server.pem')) });
  server.on('request', (request, response) => {
    logins.push(request.headers.authorization);
    if (request.headers.authorization === login) answer(request, response);
    else response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    logins,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const upstreamFiles: RequestListener = ({ url = '' }, response) => {
  const file = join(at('upstream'), url.replace(/^\/r\.git|\?.*$/g, ''));
  if (existsSync(file)) response.end(readFileSync(file));
  else response.writeHead(404).end();
};

/** Git's protocol, by its own program for web servers. */
const upstreamByProtocol: RequestListener = (request, response) => {
  const [path = '', query = ''] = (request.url ?? '').replace(/^\/r\.git/, '').split('?');
  const variables = {
    GIT_HTTP_EXPORT_ALL: '1',
    GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    PATH_TRANSLATED: at('upstream') + path,
    QUERY_STRING: query,
    REQUEST_METHOD: request.method ?? '',
    CONTENT_TYPE: request.headers['content-type'] ?? '',
    HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
  };
  const backend = spawn('git', ['http-backend'], {
    env: { PATH: process.env['PATH'], ...variables },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  request.pipe(backend.stdin);
  const pieces: Buffer[] = [];
  backend.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  backend.on('close', () => {
    const answer = Buffer.concat(pieces);
    const end = answer.indexOf('\r\n\r\n');
    const lines = answer.subarray(0, end).toString().split('\r\n');
    const fields = lines.map((line) => /^([\w-]+): (.*)$/.exec(line) ?? []);
    for (const [, name = '', value = ''] of fields)
      if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    response.end(answer.subarray(end + 4));
  });
};

/** A file of `git credential-store`, with the lines that are given. */
function stored(name: string, ...lines: string[]): string {
  writeFileSync(at(name), lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
  return `store --file ${at(name)}`;
}

it('asks git credential-store, or a program, for the login of the host', async () => {
  using folder = temporaryFolder();
  await using host = await listen(upstreamFiles);
  const url = `https://127.0.0.1:${host.port}/r.git`;
  const program = at('helper');
  writeFileSync(program, `#!/bin/sh\n[ "$1 $2" = "bob get" ] && echo username=bob && echo password=hunter2\n`);
  chmodSync(program, 0o700);
  const repositories = [
    {
      url,
      name: 'stored',
      credentialHelper: stored('logins', `https://eve:other@127.0.0.1:1`, `https://bob:hunter2@127.0.0.1:${host.port}`),
    },
    { url, name: 'asked', credentialHelper: `${program} bob` },
  ];
  await using git = await startGit(folder.path, { repositories });
  await git.ready();
  await expect.poll(() => git.status()).toMatchObject({ isReady: true, detail: { failed: 0 } });
  for (const { name } of repositories) {
    const repository = await git.open(name);
    expect(await repository.resolve(undefined, new AbortController().signal)).toMatch(/^[0-9a-f]{40}$/);
  }
  expect(new Set(host.logins)).toEqual(new Set([undefined, login]));
});

it('clones with a depth from a host that speaks the protocol of git, and says why it cannot from files', async () => {
  using folder = temporaryFolder();
  await using host = await listen(upstreamByProtocol);
  await using plain = await listen(upstreamFiles);
  const logins = [host, plain].map(({ port }) => `https://bob:hunter2@127.0.0.1:${port}`);
  const credentialHelper = stored('for-depth', ...logins);
  const [url, ofFiles] = [host, plain].map(({ port }) => `https://127.0.0.1:${port}/r.git`);
  const repositories = [
    { url, name: 'shallow', depth: 1, credentialHelper },
    { url: ofFiles, name: 'files', depth: 1, credentialHelper },
  ];
  await using git = await startGit(folder.path, { repositories });
  await git.ready();
  const { signal } = new AbortController();
  const historyOf = async (revision: string): Promise<unknown> =>
    (await git.open('shallow')).resolve(revision, signal).catch(({ message }: Error) => message);
  await expect.poll(() => historyOf('main').catch(() => '')).toMatch(/^[0-9a-f]{40}$/);
  expect(await historyOf('main~1')).toContain('only the later part of the history');
  await expect
    .poll(() => git.status().failures)
    .toMatchObject([{ name: 'files', reason: expect.stringMatching(/^its host has only files, of which/) }]);
});

it('gives the login to no other host, and neither stores nor erases one', async () => {
  using folder = temporaryFolder();
  await using thief = await listen(upstreamFiles);
  await using host = await listen(({ url }, response) => {
    response.writeHead(302, { location: `https://127.0.0.1:${thief.port}${url}` }).end();
  });
  const [hosts, wrong] = [
    [`https://bob:hunter2@127.0.0.1:${host.port}`, `https://bob:hunter2@127.0.0.1:${thief.port}`],
    [`https://bob:wrong@127.0.0.1:${thief.port}`],
  ];
  const repositories = [
    { url: `https://127.0.0.1:${host.port}/r.git`, name: 'led', credentialHelper: stored('both', ...hosts) },
    { url: `https://127.0.0.1:${thief.port}/r.git`, name: 'refused', credentialHelper: stored('wrong', ...wrong) },
  ];
  await using git = await startGit(folder.path, { repositories });
  await git.ready();
  await expect.poll(() => git.status().detail['failed']).toBe(2);
  expect(thief.logins).not.toContain(login);
  expect(readFileSync(at('both'), 'utf8')).toBe(hosts.map((line) => `${line}\n`).join(''));
  expect(readFileSync(at('wrong'), 'utf8')).toBe(wrong.map((line) => `${line}\n`).join(''));
  expect(JSON.stringify(git.status())).not.toMatch(/hunter2|wrong@/);
});

it('takes a helper of git or a program, and no text for a shell', () => {
  const parse = (entry: object) => config.safeParse({ repositories: [{ name: 'r', ...entry }] }).success;
  const url = 'https://git.example.com/r.git';
  for (const credentialHelper of ['store --file /run/secrets/git', '/usr/local/bin/logins --vault team', 'libsecret'])
    expect({ credentialHelper, isTaken: parse({ url, credentialHelper }) }).toEqual({
      credentialHelper,
      isTaken: true,
    });
  for (const credentialHelper of ['!echo password=x', 'store; id', '/bin/x $(id)', './logins', 'store\nx', '-c x', ''])
    expect({ credentialHelper, isTaken: parse({ url, credentialHelper }) }).toEqual({
      credentialHelper,
      isTaken: false,
    });
  for (const other of [
    'http://git.example.com/r.git',
    'git@git.example.com:r.git',
    'https://bob:x@git.example.com/r.git',
  ])
    expect({ other, isTaken: parse({ url: other, credentialHelper: 'store' }) }).toEqual({ other, isTaken: false });
});
