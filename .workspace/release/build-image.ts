import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Parts {
  release: string;
  /** In `release`: the program and its Node. */
  folder: string;
  arch: string;
  version: string;
  run(command: string, args: readonly string[]): string;
}

/** What the program needs beside itself: git for repositories, ssh for those that are cloned by it, certificates for https. */
const debianPackages = ['git', 'openssh-client', 'ca-certificates', 'libstdc++6'];
const suite = 'bookworm';

/** Kept out of the image: nobody reads them in a container. */
const leftOut = ['usr/share/doc', 'usr/share/man', 'usr/share/info', 'usr/share/locale', 'var/cache', 'var/log'];

/** No account of the host has it. Must own what is mounted at `/data`. */
const account = '10001:10001';

/** Its account has a name and a home, which ssh asks for. */
const prepared =
  'mkdir -p "$1/data" "$1/etc/sextant" && chown 10001:10001 "$1/data" && rm -rf "$1/var/lib/apt/lists"/* &&' +
  'echo "sextant:x:10001:10001::/data:/usr/sbin/nologin" >> "$1/etc/passwd" && echo "sextant:x:10001:" >> "$1/etc/group"';

const isFine = (command: string, ...args: readonly string[]): boolean => spawnSync(command, args).status === 0;

/** What Debian and OCI call the architectures that a release can be for. */
export const architectures: ReadonlyMap<string, string> = new Map([
  ['x64', 'amd64'],
  ['arm64', 'arm64'],
]);

/**
 * Writes `<folder>.oci.tar` without a daemon and without a registry of images: Debian's packages, then the program.
 * False where the tools are not installed, or nothing here runs programs of the architecture: packages run some.
 */
export function isImageBuilt({ release, folder, arch, version, run }: Parts): boolean {
  const architecture = architectures.get(arch) ?? arch;
  if (arch !== process.arch && !isFine('arch-test', architecture)) return false;
  if (!['buildah', 'mmdebstrap'].every((tool) => isFine(tool, '--version'))) return false;
  const stores = ['--storage-driver', 'vfs', '--root', join(release, 'image'), '--runroot', join(release, 'image-run')];
  const buildah = (...args: readonly string[]): string => run('buildah', [...stores, ...args]).trim();
  const without = leftOut.map((path) => `--dpkgopt=path-exclude=/${path}/*`);
  run('mmdebstrap', [
    '--quiet',
    '--variant=minbase',
    `--architectures=${architecture}`,
    `--include=${debianPackages.join(',')}`,
    ...without,
    `--customize-hook=${prepared}`,
    suite,
    'debian.tar',
  ]);
  const container = buildah('from', `--arch=${architecture}`, 'scratch');
  buildah('add', '--quiet', container, 'debian.tar', '/');
  buildah('copy', '--quiet', container, folder, '/opt/sextant');
  buildah(
    'config',
    ...['--user', account, '--workingdir', '/data', '--volume', '/data', '--port', '7080', '--env', 'HOME=/data'],
    ...['--entrypoint', '["/opt/sextant/bin/sextant"]'],
    ...['--cmd', 'serve --config /etc/sextant/sextant.config.yaml --data /data --host 0.0.0.0'],
    ...['--label', 'org.opencontainers.image.title=sextant'],
    ...['--label', `org.opencontainers.image.version=${version}`],
    ...['--label', 'org.opencontainers.image.licenses=Apache-2.0'],
    container,
  );
  buildah(
    ...['commit', '--quiet', '--disable-compression=false', container],
    `oci-archive:${join(release, archiveOf(folder))}:sextant:${version}`,
  );
  buildah('rm', container);
  addDockerManifest({ release, folder, version, run });
  for (const path of ['image', 'image-run', 'debian.tar']) run('rm', ['-rf', path]);
  return true;
}

const archiveOf = (folder: string): string => `${folder}.oci.tar`;

/** `docker load` before version 25 reads no OCI archive, but one with this file, which newer ones write themselves. */
function addDockerManifest({ release, folder, version, run }: Omit<Parts, 'arch'>): void {
  const archive = archiveOf(folder);
  const read = <T>(path: string): T =>
    JSON.parse(run('tar', ['--extract', '--to-stdout', '--file', archive, path])) as T;
  const blobOf = ({ digest }: Descriptor): string => `blobs/${digest.replace(':', '/')}`;
  const [image] = read<{ manifests: [Descriptor] }>('index.json').manifests;
  const { config, layers } = read<{ config: Descriptor; layers: Descriptor[] }>(blobOf(image));
  const manifest = [{ Config: blobOf(config), RepoTags: [`sextant:${version}`], Layers: layers.map(blobOf) }];
  writeFileSync(join(release, 'manifest.json'), JSON.stringify(manifest));
  run('tar', ['--append', '--owner=0', '--group=0', '--file', archive, 'manifest.json']);
  rmSync(join(release, 'manifest.json'));
}

interface Descriptor {
  digest: string;
}
