// A newcomer installs a release on a Debian that has nothing of ours, by docs/installing.md alone: `npm run prove:install [-- WAY…]`.
// Needs root, a release in build/release, mmdebstrap and systemd-container; the chart is rendered where its program was built. Each way
// begins in a Debian of its own: systemd is its first process, its network has no way out, and what the page installs with apt lies in its
// cache. Prints how long each way took from the first command of the page to the answer of a call, and exits 1 where one took two minutes.
import { execFileSync, spawn } from 'node:child_process';
import type { ExecFileSyncOptions } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RepositoryBuilder } from '@sextant/contracts/testing';
import { messageOf } from '@sextant/core';
import { parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';
import { builtChartProgram } from '../deploy/support/build-chart-program.ts';
import { call } from '../support/rpc.ts';
import { Promises } from './support/promises.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const release = join(root, 'build/release');
const mostSeconds = 120;
const keeps = '--config /etc/sextant/sextant.config.yaml --data /data';

interface Way {
  /** Of the page. */
  readonly heading: string;
  /** What becomes of its commands. */
  readonly changed?: (commands: string) => string;
  /** Runs others in their place; answers what they print, a token among it, or undefined where they cannot run. */
  readonly instead?: (machine: Machine) => string | undefined;
}

/** As the page says it, with the packages of Debian. */
const withDocker = (commands: string): string =>
  commands
    .replace('podman podman-compose\n', 'docker.io docker-compose\n')
    .replace('install --yes podman\n', 'install --yes docker.io\n')
    .replaceAll('podman-compose', 'docker-compose')
    .replaceAll('podman', 'docker');

const ways: Readonly<Record<string, Way>> = {
  unit: { heading: 'As a systemd service' },
  image: { heading: 'As a container' },
  'image-docker': { heading: 'As a container', changed: withDocker },
  compose: { heading: 'With compose' },
  'compose-docker': { heading: 'With compose', changed: withDocker },
  chart: { heading: 'On Kubernetes', instead: playChart },
};

/** A server's Debian, a repository of its operator, and the files of the release. */
function makeDebian(folder: string): string {
  const packages = new Set(Object.values(ways).flatMap((way) => packagesIn(commandsOf(way))));
  const options = ['--quiet', '--variant=minbase', '--include=systemd-sysv,dbus', '--skip=cleanup/apt'];
  const quietly: ExecFileSyncOptions = { stdio: ['ignore', 'ignore', 'inherit'] };
  execFileSync('mmdebstrap', [...options, 'bookworm', folder], quietly);
  execFileSync('chroot', [folder, 'apt-get', 'install', '--download-only', '--yes', ...packages], quietly);
  new RepositoryBuilder({ folder: join(folder, 'srv/git/shop.git'), isBare: true }).commit({
    files: { 'a.ts': 'export {};\n' },
  });
  mkdirSync(join(folder, 'root/release'));
  const files = globSync(['*.tar.gz', '*.oci.tar'], { cwd: release });
  if (files.length !== 2) throw new Error(`${release} has no release: npm run release`);
  for (const file of files) copyFileSync(join(release, file), join(folder, 'root/release', file));
  return folder;
}

/** The commands of a section of the page. */
function commandsOf({ heading, changed = (commands) => commands }: Way): string {
  const page = readFileSync(join(root, 'docs/installing.md'), 'utf8');
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? '';
  const blocks = [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, commands = '']) => commands);
  if (blocks.length === 0) throw new Error(`docs/installing.md has no commands of "${heading}"`);
  return changed(blocks.join(''));
}

const packagesIn = (commands: string): readonly string[] =>
  [...commands.matchAll(/^apt-get install --yes (.*)$/gm)].flatMap(([, names = '']) => names.split(' '));

async function install(name: string, way: Way, bare: string): Promise<void> {
  const folder = join(scratch, name);
  execFileSync('cp', ['--archive', '--reflink=auto', bare, folder]);
  await using machine = await boot(folder);
  const began = performance.now();
  const printed = way.instead ? way.instead(machine) : machine.run(commandsOf(way));
  if (printed === undefined) {
    promises.notRun(`${name}: a bare Debian serves a repository within two minutes`, chartIsMissing);
    return;
  }
  const token = /sxt_[0-9a-f]{40}/.exec(printed)?.[0];
  if (token === undefined) throw new Error(`${name}: no token in\n${printed}`);
  const answer = await machine.ask(token, began + mostSeconds * 1000);
  const seconds = (performance.now() - began) / 1000;
  promises.check(`${name}: a bare Debian serves a repository within two minutes`, {
    isKept: answer.includes('shop') && seconds < mostSeconds,
    seen: `${seconds.toFixed(1)} s`,
  });
}

interface Machine extends AsyncDisposable {
  readonly folder: string;
  /** Runs commands as its administrator would, in the folder of the release; returns what they print. */
  run(commands: string): string;
  /** The answer of a tool that lists repositories, from a client of the machine. */
  ask(token: string, until: number): Promise<string>;
}

async function boot(folder: string): Promise<Machine> {
  const args = ['--quiet', '--boot', '--register=no', '--keep-unit', '--private-network', `--directory=${folder}`];
  // Containers in it: their network, their keys, and what they may do.
  const more = ['--capability=all', '--system-call-filter=add_key keyctl bpf', '--console=pipe'];
  const child = spawn('systemd-nspawn', [...args, ...more], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SYSTEMD_NSPAWN_API_VFS_WRITABLE: '1' },
  });
  const closed = once(child, 'close');
  const stop = async (): Promise<void> => {
    // Its systemd then stops everything, as at a reboot.
    child.kill('SIGTERM');
    await closed;
  };
  try {
    return { ...(await entered(child.pid ?? 0, folder)), [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The machine of a systemd-nspawn, once it is up. */
async function entered(nspawn: number, folder: string): Promise<Omit<Machine, typeof Symbol.asyncDispose>> {
  const leader = await firstProcessOf(nspawn);
  const enter = (...args: readonly string[]): string =>
    execFileSync('nsenter', ['--target', leader, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const inside = (...command: readonly string[]): string => enter('--all', '--root', '--wd', ...command);
  await eventually(Date.now() + 60_000, () => inside('systemctl', 'is-active', 'basic.target'));
  inside('bash', '-ec', ownControlGroups);
  return {
    folder,
    run: (commands) => inside(...asUnit, 'bash', '-ec', commands),
    ask: (token, until) =>
      eventually(Date.now() + until - performance.now(), () =>
        enter('--net', process.execPath, '--input-type=module', '--eval', client, token),
      ),
  };
}

/** Those of version 1 are not to be written in the container that the machine is. */
const ownControlGroups = `
  mount --options remount,rw /sys/fs/cgroup
  awk '$3 == "cgroup" && $4 ~ /^ro,/ { print $2 }' /proc/mounts | while read -r folder; do
    umount "$folder"
    mount --types cgroup --options "$(basename "$folder")" cgroup "$folder"
  done`;

/** A process of its own systemd, as a login would be; what it starts goes on. */
const asUnit = [
  'systemd-run',
  '--property=KillMode=process',
  '--quiet',
  '--pipe',
  '--wait',
  '--working-directory=/root/release',
  '--setenv=HOME=/root',
  '--setenv=DEBIAN_FRONTEND=noninteractive',
];

const client = `
  const answer = await fetch('http://127.0.0.1:7080/.api/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json', accept: 'application/json', authorization: 'Bearer ' + process.argv[1],
    },
    body: ${JSON.stringify(JSON.stringify(call('list_repos', { query: '' })))},
  });
  if (!answer.ok) throw new Error('it answers ' + answer.status);
  console.log(await answer.text());`;

/** The one that systemd-nspawn started: in a name space of its own it is the first. */
const firstProcessOf = (parent: number): Promise<string> =>
  eventually(Date.now() + 60_000, () => {
    const [first] = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').split(' ');
    if (!first || readFileSync(`/proc/${first}/cmdline`, 'utf8').includes('nspawn')) throw new Error('it does not run');
    return first;
  });

/** Tries again until it does not throw. */
async function eventually<T>(until: number, work: () => T): Promise<T> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (Date.now() > until) throw error;
    }
    await setTimeout(500);
  }
}

const statefulSet = z.object({
  kind: z.literal('StatefulSet'),
  spec: z.object({
    template: z.object({
      metadata: z.object({ labels: z.unknown() }),
      spec: z.looseObject({ containers: z.array(z.looseObject({})), volumes: z.array(z.unknown()) }),
    }),
    volumeClaimTemplates: z.array(z.object({ metadata: z.object({ name: z.string() }), spec: z.unknown() })),
  }),
});

/**
 * There is no cluster here: podman runs the pod that the chart's StatefulSet would make, with its claims and its
 * configuration. The volume of repositories is the operator's; it is filled with those of the machine.
 */
function playChart(machine: Machine): string | undefined {
  const program = builtChartProgram();
  if (program === undefined) return undefined;
  machine.run(commandsOf({ heading: 'On Kubernetes' }).replace(/^helm .*$/m, ''));
  const chart = join(machine.folder, 'root/release/docs/deploy');
  const rendered = execFileSync(program, [chart], { encoding: 'utf8' });
  const manifests = parseAllDocuments(rendered).map((each): unknown => each.toJS());
  writeFileSync(join(machine.folder, 'root/release/pod.yaml'), manifests.flatMap(playable).map(document).join(''));
  return machine.run(`
    apt-get install --yes podman
    podman load --input sextant-0.1.0-linux-x64.oci.tar
    podman volume create repositories
    cp --archive /srv/git/. "$(podman volume inspect --format '{{.Mountpoint}}' repositories)"
    podman kube play pod.yaml
    podman exec sextant-0-sextant /opt/sextant/bin/sextant token create --user admin ${keeps}`);
}

const chartIsMissing = '"node test/deploy/support/build-chart-program.ts" builds what renders it';

const document = (manifest: unknown): string => `---\n${stringify(manifest)}`;

/** What podman knows of a manifest. */
function playable(manifest: unknown): readonly object[] {
  const { kind } = z.looseObject({ kind: z.string() }).parse(manifest);
  if (kind === 'ConfigMap') return [manifest as object];
  const set = statefulSet.safeParse(manifest);
  if (!set.success) return [];
  const { template, volumeClaimTemplates } = set.data.spec;
  const claimOf = (name: string): string => `${name}-sextant-0`;
  const claims = volumeClaimTemplates.map(({ metadata, spec }) => {
    return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: claimOf(metadata.name) }, spec };
  });
  const volumes = volumeClaimTemplates.map(({ metadata: { name } }) => {
    return { name, persistentVolumeClaim: { claimName: claimOf(name) } };
  });
  // In a cluster the Service leads there.
  const containers = template.spec.containers.map((each) => {
    return { ...each, ports: [{ containerPort: 7080, hostPort: 7080, hostIP: '127.0.0.1' }] };
  });
  const spec = { ...template.spec, containers, volumes: [...template.spec.volumes, ...volumes] };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'sextant-0', labels: template.metadata.labels },
    spec,
  };
  return [...claims, pod];
}

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !Object.hasOwn(ways, name));
if (unknown !== undefined) throw new Error(`"${unknown}" is no way; there are ${Object.keys(ways).join(', ')}`);
const scratch = mkdtempSync(join(tmpdir(), 'sextant-install-'));
const promises = new Promises();
try {
  const bare = makeDebian(join(scratch, 'debian'));
  for (const [name, way] of Object.entries(ways)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    await install(name, way, bare).catch((error: unknown) =>
      promises.check(`${name}: a bare Debian serves a repository`, { isKept: false, seen: messageOf(error) }),
    );
    // Each has some gigabytes.
    rmSync(join(scratch, name), { recursive: true, force: true });
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.exitCode = promises.print();
