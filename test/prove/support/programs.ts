import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '@sextant/service-postgres/testing';

/** What is documented is what is proven: the files that operators copy, with addresses of this machine. */
const deployed = (name: string): string =>
  readFileSync(new URL(`../../../docs/deploy/${name}`, import.meta.url), 'utf8');

/** Until nginx has read its configuration and calls on their way have arrived. */
const reloadMs = 2000;

/** Programs that must not run as the superuser are run as nobody. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

export interface Balancer extends AsyncDisposable {
  readonly url: string;
  /** Sends no more calls to these hosts, by their ports. */
  leaveOut(hosts: readonly number[]): Promise<void>;
}

/** nginx as in docs/deploy/nginx.conf. Its answers name the host that made them: `x-host`. */
export async function startBalancer(
  folder: string,
  { port, hosts }: { port: number; hosts: readonly number[] },
): Promise<Balancer> {
  const own = join(folder, 'nginx');
  mkdirSync(own);
  const write = (down: readonly number[]): void => {
    const servers = hosts.map(
      (host) => `server 127.0.0.1:${host} max_fails=1 fail_timeout=2s${down.includes(host) ? ' down' : ''};`,
    );
    const site = deployed('nginx.conf')
      .replace(/(?:server host\d:7080[^\n]*\n\s*)+/, `${servers.join('\n')}\n`)
      .replace('listen 8080;', `listen 127.0.0.1:${port};`);
    writeFileSync(join(own, 'site.conf'), site);
  };
  write([]);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${own};`);
  writeFileSync(
    join(own, 'nginx.conf'),
    `daemon off; worker_processes 2; pid ${own}/pid; error_log ${own}/error.log;
     events { worker_connections 2048; }
     http { access_log off; add_header X-Host $upstream_addr always; ${temporary.join(' ')} include ${own}/site.conf; }`,
  );
  const server = spawn('nginx', ['-c', join(own, 'nginx.conf'), '-e', join(own, 'error.log')], { stdio: 'inherit' });
  await untilOpen(port, server);
  return {
    url: `http://127.0.0.1:${port}`,
    async leaveOut(down) {
      write(down);
      server.kill('SIGHUP');
      await setTimeout(reloadMs);
    },
    [Symbol.asyncDispose]: () => end(server, 'SIGQUIT'),
  };
}

export interface Pooler extends AsyncDisposable {
  /** Of the pool in transaction mode. */
  readonly url: string;
  /** Of the pool in session mode. */
  readonly directURL: string;
  /** Leads to another server from now on. */
  switchTo(server: number): void;
}

/** PgBouncer as in docs/deploy/pgbouncer.ini, for the database `postgres` of a server that trusts everybody. */
export async function startPooler(server: number): Promise<Pooler> {
  const port = await freePort();
  const own = mkdtempSync(join(tmpdir(), 'sextant-pgbouncer-'));
  // It runs as nobody.
  chmodSync(own, 0o755);
  const file = join(own, 'pgbouncer.ini');
  const users = join(own, 'users.txt');
  writeFileSync(users, '"sextant" ""\n');
  const write = (to: number): void =>
    writeFileSync(
      file,
      deployed('pgbouncer.ini')
        .replaceAll('host=primary port=5432 dbname=sextant', `host=127.0.0.1 port=${to} dbname=postgres`)
        .replace('listen_addr = *', 'listen_addr = 127.0.0.1\nunix_socket_dir =')
        .replace('listen_port = 6432', `listen_port = ${port}`)
        .replace('auth_type = scram-sha-256', 'auth_type = trust')
        .replace('/etc/pgbouncer/userlist.txt', users),
    );
  write(server);
  const program = spawn('pgbouncer', ['-q', file], { ...nobody, stdio: 'ignore' });
  await untilOpen(port, program);
  const url = `postgres://sextant@127.0.0.1:${port}/sextant`;
  return {
    url,
    directURL: `${url}_direct`,
    switchTo(to) {
      write(to);
      program.kill('SIGHUP');
    },
    async [Symbol.asyncDispose]() {
      await end(program, 'SIGTERM');
      rmSync(own, { recursive: true, force: true });
    },
  };
}

async function end(program: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const ended = once(program, 'exit');
  program.kill(signal);
  await ended;
}

async function untilOpen(port: number, program: ChildProcess): Promise<void> {
  for (;;) {
    if (program.exitCode !== null) throw new Error(`${program.spawnfile} ended with ${program.exitCode}`);
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    await setTimeout(100);
  }
}
