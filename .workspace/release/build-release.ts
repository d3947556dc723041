/**
 * Writes `build/release`: the server for a Linux that has neither Node nor npm, as an archive and, where buildah and mmdebstrap
 * are installed, as an OCI image; besides the list of its parts (CycloneDX), where it comes from (in-toto, SLSA) and checksums.
 * Needs the npm registry.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { architectures, isImageBuilt } from './build-image.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const release = join(root, 'build/release');
const { version } = JSON.parse(readFileSync(join(root, 'host/package.json'), 'utf8')) as { version: string };
const { values } = parseArgs({ options: { arch: { type: 'string', default: process.arch } } });
/** `npm run release -- --arch arm64`: native parts are there for each. */
const { arch } = values;
if (!architectures.has(arch)) throw new Error(`--arch is one of ${[...architectures.keys()].join(', ')}`);
const isOwn = arch === process.arch;
const name = `sextant-${version}-${process.platform}-${arch}`;

/** Runs a command to its end; throws with what it wrote to standard error. */
const run = (command: string, args: readonly string[], cwd = release): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', env: environment(), stdio: ['ignore', 'pipe', 'inherit'] });

/** npm must not take this workspace for its own, and runs on the Node that is shipped. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([key]) => !/^(npm_|INIT_CWD$|NODE_(OPTIONS|PATH)$)/i.test(key));
  const paths = (process.env['PATH'] ?? '').split(delimiter).filter((path) => !path.includes('node_modules'));
  return { ...Object.fromEntries(kept), PATH: [dirname(process.execPath), ...paths].join(delimiter) };
}

/** The program and what it needs, in one folder that can stand anywhere. */
function writeFolder(folder: string): void {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  const manifest = { name: 'sextant', version, private: true, license: 'Apache-2.0' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const tarballs = globSync('build/tarballs/*.tgz', { cwd: root }).map((file) => join(root, file));
  run('npm', ['install', '--omit=dev', `--cpu=${arch}`, '--no-audit', '--no-fund', '--silent', ...tarballs], folder);
  const parts = run('npm', ['sbom', '--omit=dev', '--sbom-format=cyclonedx'], folder);
  writeFileSync(join(release, `${name}.cdx.json`), parts.replaceAll(`${root}build/tarballs/`, ''));
  // They name the folder that this was built in.
  for (const file of ['package-lock.json', 'node_modules/.package-lock.json']) rmSync(join(folder, file));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(isOwn ? process.execPath : foreignNode(), join(folder, 'bin/node'));
  // Each thread would have its own heap of the C library, and what one frees another could not use.
  const start =
    '#!/bin/sh\nhere=$(dirname "$(readlink -f "$0")")\nexport MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"\nexec "$here/node" "$here/../node_modules/@sextant/host/bin/sextant.js" "$@"\n';
  writeFileSync(join(folder, 'bin/sextant'), start);
  for (const file of ['node', 'sextant']) chmodSync(join(folder, 'bin', file), 0o755);
  for (const file of [
    'LICENSE',
    'README.md',
    'docs/deploy',
    'docs/installing.md',
    'docs/operations.md',
    'docs/watching.md',
  ])
    cpSync(join(root, file), join(folder, file), { recursive: true });
}

/** Node of another architecture, as the npm registry has it. */
function foreignNode(): string {
  const unpacked = join(release, 'node');
  mkdirSync(unpacked);
  run('npm', ['pack', '--silent', `node-${process.platform}-${arch}@${process.versions.node}`], unpacked);
  run('tar', ['-xzf', ...globSync('*.tgz', { cwd: unpacked }), 'package/bin/node'], unpacked);
  return join(unpacked, 'package/bin/node');
}

/** The same bytes from the same sources: sorted, without owners and with the time of the commit. */
function pack(): void {
  const time = run('git', ['log', '-1', '--format=%ct'], root).trim();
  const order = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=@${time}`];
  run('tar', ['--use-compress-program=gzip -n', ...order, '-cf', `${name}.tar.gz`, name]);
}

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

const filesOfRelease = (): { name: string; sha256: string }[] =>
  readdirSync(release, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((file) => ({ name: file.name, sha256: sha256(join(release, file.name)) }));

/** An in-toto statement with the SLSA provenance predicate, version 1; unsigned: whoever publishes the release signs it. */
function writeProvenance(startedOn: string): void {
  const git = (...args: string[]): string => run('git', args, root).trim();
  const [commit, tag] = [git('rev-parse', 'HEAD'), git('tag', '--points-at', 'HEAD').split('\n')[0]];
  const isChanged = git('status', '--porcelain') !== '';
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: filesOfRelease().map((file) => ({ name: file.name, digest: { sha256: file.sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:sextant:release:1',
        externalParameters: { version, ...(tag && { tag }), ...(isChanged && { hasUncommittedChanges: true }) },
        internalParameters: { node: process.version, platform: process.platform, architecture: arch },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: commit } },
          { name: 'pnpm-lock.yaml', digest: { sha256: sha256(join(root, 'pnpm-lock.yaml')) } },
          { name: 'node', digest: { sha256: sha256(join(release, name, 'bin/node')) } },
        ],
      },
      runDetails: {
        builder: { id: 'urn:sextant:builder:local' },
        metadata: { startedOn, finishedOn: new Date().toISOString() },
      },
    },
  };
  writeFileSync(join(release, `${name}.provenance.json`), `${JSON.stringify(statement, null, 2)}\n`);
}

const writeChecksums = (): void =>
  writeFileSync(
    join(release, 'SHA256SUMS'),
    filesOfRelease()
      .map((file) => `${file.sha256}  ${file.name}\n`)
      .join(''),
  );

/** Every later version reads its data in a test. */
function requireDataOfRelease(): void {
  const kept = `test/server/data-of-releases/${version}.sql`;
  const isTagged = run('git', ['tag', '--points-at', 'HEAD'], root).trim() !== '';
  if (isTagged && !existsSync(join(root, kept)))
    throw new Error(`${kept} is missing: "npm run keep:data" writes it; commit it and set the tag there`);
}

const tools = ['buildah', 'mmdebstrap', ...(isOwn ? [] : ['arch-test', 'qemu-user-static'])].join(', ');
const startedOn = new Date().toISOString();
requireDataOfRelease();
rmSync(release, { recursive: true, force: true });
execFileSync(process.execPath, [join(root, '.workspace/packaging/build-packages.ts'), '--pack'], { stdio: 'inherit' });
writeFolder(join(release, name));
pack();
rmSync(join(release, 'node'), { recursive: true, force: true });
if (!isImageBuilt({ release, folder: name, arch, version, run }))
  process.stderr.write(`No image: it needs ${tools} (Debian packages of these names).\n`);
writeProvenance(startedOn);
writeChecksums();
