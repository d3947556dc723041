import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { buildGitea } from './build-gitea.ts';

const run = promisify(execFile);

export const administrator = 'root-admin';
/** Of every account of the tests. */
export const password = 'correct-horse-battery';

export interface ApiOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: object;
  /** As whom the administrator asks. */
  sudo?: string;
}

export interface GiteaOptions {
  folder: string;
  /** Lines of `app.ini` that a test needs besides. */
  settings?: string;
  port?: number;
}

/** A real Gitea on this machine, empty but for its administrator. */
export interface Gitea extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly port: number;
  /** Throws for an answer that is no success. */
  api<T = unknown>(path: string, options?: ApiOptions): Promise<T>;
  /** The status of an answer. */
  status(path: string, options?: ApiOptions): Promise<number>;
  /** Which repositories an account may clone: what the git server answers to the password. */
  cloneable(login: string, repositories: readonly string[]): Promise<string[]>;
  /** The same of the API, which starts no git and hashes no password: it tells languages to who may read the code. */
  readsCode(login: string, repository: string): Promise<boolean>;
  /** Gives empty repositories the code of another without git, which runs ten programs for a first commit. */
  fill(empty: readonly string[], from: string): Promise<void>;
  stop(): Promise<void>;
  startAgain(): Promise<void>;
}

export async function startGitea({ folder, settings = '', port: wanted }: GiteaOptions): Promise<Gitea> {
  const { program, staticFolder } = await buildGitea();
  const port = wanted ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const file = join(folder, 'app.ini');
  await writeFile(file, `${iniOf({ folder, port, staticFolder })}\n${settings}\n`, { mode: 0o600 });
  const environment = { ...process.env, GITEA_WORK_DIR: folder, HOME: folder, USER: 'gitea' };
  const options = { env: environment, cwd: folder };
  const admin = (...args: string[]) => run(program, ['--config', file, 'admin', 'user', ...args], options);
  await run(program, ['--config', file, 'migrate'], options);
  const account = ['--username', administrator, '--password', password, '--email', `${administrator}@example.com`];
  await admin('create', ...account, '--admin', '--must-change-password=false');
  const { stdout } = await admin('generate-access-token', '--username', administrator, '--scopes', 'all', '--raw');
  // Warnings of Gitea's log stand before or after it.
  const token = /^[0-9a-f]{40}$/m.exec(stdout)?.[0];
  if (token === undefined) throw new Error(`Gitea made no token: ${stdout}`);

  const begin = async () => {
    const server = spawn(program, ['--config', file, 'web'], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [server.stdout, server.stderr])
      stream.on('data', (text) => (output = `${output}${text}`.slice(-4000)));
    const ended = once(server, 'exit');
    while (
      !(await fetch(`${url}/api/v1/version`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (server.exitCode !== null) throw new Error(`Gitea ended: ${output}`);
      await setTimeout(100);
    }
    return { server, ended };
  };
  let running: Awaited<ReturnType<typeof begin>> | undefined = await begin();
  const stop = async (): Promise<void> => {
    running?.server.kill('SIGTERM');
    await running?.ended;
    running = undefined;
  };
  const ask = (path: string, { method = 'GET', body, sudo }: ApiOptions = {}): Promise<Response> =>
    fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `token ${token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(sudo !== undefined && { sudo }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  return {
    url,
    token,
    port,
    async api<T>(path: string, given?: ApiOptions) {
      const response = await ask(path, given);
      const text = await response.text();
      if (!response.ok) throw new Error(`${given?.method ?? 'GET'} ${path}: ${response.status} ${text.slice(0, 300)}`);
      return (text === '' ? undefined : JSON.parse(text)) as T;
    },
    async status(path, given) {
      const response = await ask(path, given);
      await response.body?.cancel();
      return response.status;
    },
    async cloneable(login, repositories) {
      const authorization = `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`;
      const found: string[] = [];
      for (const name of repositories) {
        const address = `${url}/${name}.git/info/refs?service=git-upload-pack`;
        const response = await fetch(address, { headers: { authorization } });
        await response.body?.cancel();
        if (response.ok) found.push(name);
      }
      return found;
    },
    async readsCode(login, repository) {
      const response = await ask(`/repos/${repository}/languages`, { sudo: login });
      const text = await response.text();
      if (response.status !== 200 && response.status !== 403 && response.status !== 404)
        throw new Error(`languages of ${repository} for ${login}: ${response.status} ${text.slice(0, 300)}`);
      return response.ok;
    },
    async fill(empty, from) {
      const place = (name: string, part: string): string => join(folder, 'repositories', `${name}.git`, part);
      for (const name of empty)
        for (const part of ['objects', 'refs', 'HEAD'])
          await cp(place(from, part), place(name, part), { recursive: true, force: true });
      const database = new DatabaseSync(join(folder, 'gitea.db'), { timeout: 60_000 });
      database.exec(`UPDATE repository SET is_empty = 0, default_branch = 'main' WHERE is_empty = 1`);
      database.close();
    },
    stop,
    startAgain: async () => {
      running ??= await begin();
    },
    [Symbol.asyncDispose]: stop,
  };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

const iniOf = ({ folder, port, staticFolder }: { folder: string; port: number; staticFolder: string }): string => `
APP_NAME = Gitea
RUN_MODE = prod

I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
WORK_PATH = ${folder}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = http://127.0.0.1:${port}/
DOMAIN = 127.0.0.1
STATIC_ROOT_PATH = ${staticFolder}
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
PATH = ${join(folder, 'gitea.db')}
SQLITE_JOURNAL_MODE = WAL
SQLITE_TIMEOUT = 60000
[repository]
ROOT = ${join(folder, 'repositories')}
[security]
INSTALL_LOCK = true
SECRET_KEY = only-for-tests
PASSWORD_HASH_ALGO = pbkdf2_v1
[service]
DISABLE_REGISTRATION = true
AUTO_WATCH_NEW_REPOS = false
[indexer]
REPO_INDEXER_ENABLED = false
[webhook]
ALLOWED_HOST_LIST = loopback
[actions]
ENABLED = false
[log]
MODE = console
LEVEL = Warn
`;
