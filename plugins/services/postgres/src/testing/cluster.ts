import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';

export interface PostgresCluster extends AsyncDisposable {
  readonly port: number;
  /** As superuser without a password, of an empty database. */
  readonly url: string;
  /** Ends it as a power failure would. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** The folder of PostgreSQL's programs; undefined where it is not installed. */
export function postgresPrograms(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

/** PostgreSQL refuses the superuser of the system. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** A server of its own on a free port. `isDurable`: its commits wait for the disk, as in production. */
export function startCluster({ isDurable = false } = {}): Promise<PostgresCluster> {
  // Its collation is that of a language, so that a column without `collate "C"` is noticed.
  const flags = [
    '--username=sextant',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale-provider=icu',
    '--icu-locale=en',
    '--locale=C',
    '--no-sync',
  ];
  return start({ isDurable, program: 'initdb', flags });
}

/** A copy of a server that follows it until `pg_promote()`. */
export const startStandby = ({ url }: PostgresCluster): Promise<PostgresCluster> =>
  start({
    isDurable: true,
    program: 'pg_basebackup',
    flags: ['--dbname', url, '--write-recovery-conf', '--checkpoint=fast', '--no-sync'],
  });

interface Making {
  isDurable: boolean;
  /** What makes the folder of its data. */
  program: string;
  flags: readonly string[];
}

async function start({ isDurable, program, flags }: Making): Promise<PostgresCluster> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  const folder = mkdtempSync(join(tmpdir(), 'sextant-postgres-'));
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const made = spawnSync(join(programs, program), ['-D', data, ...flags], { ...user, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`${program} failed: ${made.stderr}`);
  const port = await freePort();
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: 300 };
  const durable = isDurable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const args = Object.entries({ ...settings, ...durable }).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const url = `postgres://sextant@127.0.0.1:${port}/postgres`;
  let running = await run();
  async function run(): Promise<ReturnType<typeof spawn>> {
    const server = spawn(join(programs ?? '', 'postgres'), ['-D', data, ...args], { ...user, stdio: 'ignore' });
    await untilReady(url);
    return server;
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, 'exit');
    running.kill(signal);
    await ended;
  };
  return {
    port,
    url,
    kill: () => end('SIGQUIT'),
    start: async () => void (running = await run()),
    async [Symbol.asyncDispose]() {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(connectionString: string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const client = new pg.Client({ connectionString });
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (attempt > 600) throw error;
      await setTimeout(100);
    }
  }
}

/** A port of this machine on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
