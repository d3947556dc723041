// Makes `npm start`, `npm test` and `npm run sextant` work in a fresh clone: installs the dependencies, the newer Node
// among them, unless that is done already. Runs on any Node that still gets updates; writes to standard error only, so
// that what a command prints can be piped.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'node_modules', '.sextant-setup');
const { packageManager, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const wanted = fingerprint();
if (!isInstalled()) install();

/** Changes whenever an installation may have become another. */
function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', ...manifests()])
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function manifests() {
  const groups = folders('plugins').flatMap((group) => [
    join('plugins', group),
    ...folders(join('plugins', group)).map((name) => join('plugins', group, name)),
  ]);
  return ['core', 'host', 'test', ...groups]
    .map((folder) => join(folder, 'package.json'))
    .filter((file) => existsSync(join(root, file)));
}

function folders(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .map((entry) => entry.name)
    .sort();
}

function isInstalled() {
  return (
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === wanted &&
    existsSync(join(root, 'node_modules', '.bin', 'node'))
  );
}

function install() {
  process.stderr.write('Installing what is missing …\n');
  rmSync(stamp, { force: true });
  // What is installed runs on the Node that comes along, whatever this is: else each package warns of it.
  const runsOn = `--config.node-version=${devDependencies.node}`;
  const [command, args] = npx(['--yes', packageManager, 'install', '--frozen-lockfile', runsOn]);
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], env: environment() });
  if (status === 0) return writeFileSync(stamp, wanted);
  const reason = error ? error.message : `it ended with ${status}`;
  process.stderr.write(
    `The installation failed (${reason}); the lines above say why. It needs the npm registry (or the mirror that your .npmrc names), ` +
      'about 400 MB of disk, and a lock file that fits the manifests.\n',
  );
  process.exit(1);
}

/** Through the npm that runs this, where one does: it is the one that works on this machine. */
function npx(args) {
  const npm = process.env.npm_execpath;
  if (npm && basename(npm) === 'npm-cli.js')
    return [process.execPath, [npm, 'exec', ...args.slice(0, 2), '--', ...args.slice(2)]];
  return [process.platform === 'win32' ? 'npx.cmd' : 'npx', args];
}

/** What npm tells its scripts would confuse the package manager; how to reach the registry must stay. */
function environment() {
  const isKept = (name) =>
    !/^npm_/i.test(name) || /^npm_config_.*(registry|proxy|cafile|userconfig|cache|strict_ssl)$/i.test(name);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isKept(name)));
}
