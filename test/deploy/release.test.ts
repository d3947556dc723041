import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { call, post } from '../support/rpc.ts';

const release = fileURLToPath(new URL('../../build/release', import.meta.url));
const only = (pattern: string): string =>
  join(release, z.tuple([z.string()]).parse(globSync(pattern, { cwd: release }))[0]);
const run = (command: string, ...args: readonly string[]): string => execFileSync(command, args, { encoding: 'utf8' });

/** What a bare machine has: nothing of Node's. */
const bare = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

/** Starts a server and calls one tool with the token that it prints. */
async function listsItsRepositories(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { env: bare, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (errors += text));
  try {
    let [url, token] = ['', ''];
    for await (const line of createInterface({ input: child.stdout })) {
      url ||= /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? '';
      token ||= /sxt_[0-9a-f]{40}/.exec(line)?.[0] ?? '';
      if (token !== '') break;
    }
    if (token === '') throw new Error(`it ended before it served: ${errors}`);
    child.stdout.resume();
    const response = await post(url, call('list_repos', { query: '' }), { token });
    return await response.text();
  } finally {
    child.kill('SIGTERM');
    await closed;
  }
}

function makeRepository(folder: string): void {
  new RepositoryBuilder({ folder: join(folder, 'shop.git'), isBare: true }).commit({
    files: { 'a.ts': 'export {};\n' },
  });
}

test('the checksums are those of the files, and the parts are listed', () => {
  expect(run('sh', '-c', 'cd "$1" && sha256sum --check --quiet SHA256SUMS', 'sh', release)).toBe('');
  const parts = readFileSync(only('*.cdx.json'), 'utf8');
  expect(z.object({ bomFormat: z.literal('CycloneDX') }).safeParse(JSON.parse(parts)).success).toBe(true);
  expect(parts).toContain('"better-sqlite3"');
  expect(parts).not.toContain(release);
});

const provenance = z.object({
  _type: z.literal('https://in-toto.io/Statement/v1'),
  subject: z.array(z.object({ name: z.string(), digest: z.object({ sha256: z.string() }) })),
  predicateType: z.literal('https://slsa.dev/provenance/v1'),
  predicate: z.object({
    buildDefinition: z.object({
      buildType: z.url(),
      resolvedDependencies: z.array(z.object({ name: z.string(), digest: z.record(z.string(), z.string()) })),
    }),
    runDetails: z.object({ builder: z.object({ id: z.url() }) }),
  }),
});

test('the provenance names the commit, and each file with its checksum', () => {
  const { subject, predicate } = provenance.parse(JSON.parse(readFileSync(only('*.provenance.json'), 'utf8')));
  const sums = readFileSync(join(release, 'SHA256SUMS'), 'utf8').trim().split('\n');
  const told = subject.map(({ name, digest }) => `${digest.sha256}  ${name}`);
  expect(sums.filter((line) => !line.endsWith('.provenance.json'))).toEqual(told);
  expect(told.some((line) => line.endsWith('.tar.gz'))).toBe(true);
  const { resolvedDependencies: built } = predicate.buildDefinition;
  expect(built).toContainEqual({ name: 'source', digest: { gitCommit: run('git', 'rev-parse', 'HEAD').trim() } });
});

test('the archive serves a repository where no Node is installed', async () => {
  using folder = temporaryFolder();
  const archive = only('*.tar.gz');
  run('tar', '-xzf', archive, '-C', folder.path, '--strip-components=1');
  makeRepository(join(folder.path, 'repos'));
  const args = ['serve', '--port', '0', '--repos', join(folder.path, 'repos'), '--data', join(folder.path, 'data')];
  expect(await listsItsRepositories(join(folder.path, 'bin/sextant'), args)).toContain('shop');
});

const index = z.object({ manifests: z.tuple([z.object({ digest: z.string() })]) });
const manifest = z.object({
  config: z.object({ digest: z.string() }),
  layers: z.array(z.object({ digest: z.string() })),
});
const image = z.object({
  config: z.object({
    Env: z.array(z.string()),
    User: z.string(),
    Entrypoint: z.array(z.string()),
    Volumes: z.record(z.string(), z.unknown()),
  }),
});

/** Of its own account, on a root that cannot be written, as `read_only: true` of the compose file has it. */
const confined = `
  mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && mount --rbind /proc "$1/proc" &&
  mount -t tmpfs -o mode=1777 tmp "$1/tmp" && mount -t tmpfs -o mode=0700,uid=10001,gid=10001 data "$1/data" &&
  mount --bind "$2" "$1/srv" && shift 2 && exec "$@"`;

test('the image serves a repository as an account of its own, on a root that cannot be written', async () => {
  using folder = temporaryFolder();
  const [layout, root, repositories] = ['layout', 'root', 'repos'].map((name) => join(folder.path, name));
  if (!layout || !root || !repositories) throw new Error('three folders');
  for (const path of [layout, root]) mkdirSync(path);
  makeRepository(repositories);
  run('chmod', '-R', 'a+rX', folder.path);
  run('tar', '-xf', only('*.oci.tar'), '-C', layout);
  const blob = (digest: string): string => join(layout, 'blobs', digest.replace(':', '/'));
  const json = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
  const { layers, config } = manifest.parse(
    json(blob(index.parse(json(join(layout, 'index.json'))).manifests[0].digest)),
  );
  for (const { digest } of layers) run('tar', '-xf', blob(digest), '-C', root);
  const {
    Env: env,
    User: user,
    Entrypoint: entrypoint,
    Volumes: volumes,
  } = image.parse(json(blob(config.digest))).config;
  expect([user, Object.keys(volumes)]).toEqual(['10001:10001', ['/data']]);
  const serve = [...entrypoint, 'serve', '--port', '0', '--repos', '/srv', '--data', '/data'];
  const args = [
    '--mount',
    'sh',
    '-c',
    confined,
    'sh',
    root,
    repositories,
    'chroot',
    `--userspec=${user}`,
    root,
    'env',
    ...env,
    ...serve,
  ];
  expect(await listsItsRepositories('unshare', args)).toContain('shop');
});
