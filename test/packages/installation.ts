import { execFileSync, spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const tarballs = globSync('build/tarballs/*.tgz', { cwd: root })
  .map((file) => join(root, file))
  .toSorted();

/** A folder outside the workspace, as somebody has it who installed Sextant with npm. */
export interface Installation extends Disposable {
  readonly folder: string;
  /** Runs a command of this machine or of an installed package to its end; answers what it prints. Throws when it fails. */
  run(command: string, args: readonly string[], options?: { in?: string; env?: NodeJS.ProcessEnv }): string;
  /** `npx sextant serve` on a free port. */
  serve(...flags: readonly string[]): Promise<Serving>;
}

export interface Serving {
  readonly url: string;
  /** Of the first start on this data folder; empty later. */
  readonly token: string;
  stop(): Promise<void>;
}

/** Installs packages with plain npm into an empty folder; `nodeFolder` has the Node that runs them. */
export function install(packages: readonly string[], nodeFolder = dirname(process.execPath)): Installation {
  const folder = mkdtempSync(join(tmpdir(), 'sextant-installed-'));
  const run: Installation['run'] = (command, args, { in: where = '', env = {} } = {}) =>
    execFileSync(command, args, {
      cwd: join(folder, where),
      env: { ...environment(folder, nodeFolder), ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  writeFileSync(join(folder, 'package.json'), '{ "name": "of-a-stranger", "private": true }\n');
  run('npm', ['install', '--no-audit', '--no-fund', ...packages]);
  return {
    folder,
    run,
    serve: (...flags) => serve(folder, environment(folder, nodeFolder), flags),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Without what npm and the test runner tell their children, and with no folder of the workspace on the path. */
function environment(folder: string, nodeFolder: string): NodeJS.ProcessEnv {
  const isForeign =
    /^(npm_(package|lifecycle|command|execpath|node)|INIT_CWD$|NODE_(OPTIONS|PATH|ENV|COMPILE_CACHE)$|VITEST)/i;
  const kept = Object.entries(process.env).filter(([name]) => !isForeign.test(name));
  const paths = (process.env['PATH'] ?? '').split(delimiter).filter((path) => !path.includes('node_modules'));
  return {
    ...Object.fromEntries(kept),
    PATH: [join(folder, 'node_modules/.bin'), nodeFolder, ...paths].join(delimiter),
  };
}

async function serve(folder: string, env: NodeJS.ProcessEnv, flags: readonly string[]): Promise<Serving> {
  const child = spawn(join(folder, 'node_modules/.bin/sextant'), ['serve', '--port', '0', ...flags], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  let [url, token, errors] = ['', '', ''];
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (errors += text));
  for await (const line of createInterface({ input: child.stdout })) {
    url ||= /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? '';
    token ||= /sxt_[0-9a-f]{40}/.exec(line)?.[0] ?? '';
    if (/^(curl:|Another access token)/.test(line)) break;
  }
  if (url === '') throw new Error(`sextant serve ended before it listened: ${errors}`);
  child.stdout.resume();
  return {
    url,
    token,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
