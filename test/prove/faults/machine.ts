import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { certificate } from './hosts.ts';
import { until } from './lab.ts';
import type { Fault, Lab } from './lab.ts';

const library = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

/** A server whose clock the file sets: `+0` at first. */
async function withClock(lab: Lab, jump: string): Promise<Awaited<ReturnType<Lab['start']>>> {
  lab.repository();
  lab.configure();
  const file = lab.path('clock');
  writeFileSync(file, '+0');
  const environment = `LD_PRELOAD=${library} FAKETIME_TIMESTAMP_FILE=${file} FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1`;
  const server = await lab.start({ limits: `export ${environment}` });
  await server.untilReady();
  writeFileSync(file, jump);
  return server;
}

/** Processes below another. */
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

/** With one more than this, connections that are kept go on, and git has no descriptor for its streams. It sinks while others are closed. */
function lowestFreeDescriptor(pid: number): number {
  const open = new Set(readdirSync(`/proc/${pid}/fd`));
  let free = 0;
  while (open.has(String(free))) free += 1;
  return free;
}

const clockJumped = /clock .*(jumped|was set)/;

export const machine: readonly Fault[] = [
  {
    name: 'out of descriptors',
    cause: /too many open files|EMFILE/i,
    async make(lab) {
      for (let at = 0; at < 60; at += 1) lab.repository(0, `r${at}`);
      lab.configure();
      const server = await lab.start();
      await server.untilReady();
      const pid = server.started.process.pid ?? 0;
      let limit = Number.POSITIVE_INFINITY;
      server.asks = async () => {
        // More repositories are read than have readers.
        for (let at = 0; at < 60; at += 1) {
          limit = Math.min(limit, lowestFreeDescriptor(pid) + 1);
          execFileSync('prlimit', ['--pid', String(pid), `--nofile=${limit}`]);
          const answer = await server.call('read_file', { repo: `r${at}`, path: 'a.ts' });
          if (!answer.includes('needle = 1')) return answer;
        }
        return 'every file was read';
      };
      return server;
    },
  },
  {
    name: 'more calls of one caller than may be in flight',
    cause: /calls in flight/,
    async make(lab) {
      lab.repository();
      lab.configure();
      const server = await lab.start();
      server.asks = async () => {
        const ask = (): Promise<string> => server.call('keyword_search', { query: 'needle' });
        return (await Promise.all(Array.from({ length: 30 }, ask))).join('\n');
      };
      return server;
    },
  },
  {
    name: 'fewer descriptors than it needs',
    cause: /64 (files and connections|may be open)/,
    async make(lab) {
      lab.repository();
      lab.configure();
      return lab.refusal('ulimit -n 64');
    },
  },
  {
    name: 'server killed',
    cause: /was not stopped in order/,
    instead: { answer: /needle = 1/ },
    async make(lab) {
      lab.repository();
      lab.configure();
      const before = await lab.start();
      await before.untilReady();
      const ended = once(before.started.process, 'exit');
      before.started.process.kill('SIGKILL');
      await ended;
      return lab.start(undefined, before.token);
    },
  },
  {
    name: 'process that starts git killed',
    cause: /starts git/,
    instead: { answer: /needle = 1/ },
    async make(lab) {
      lab.repository();
      lab.configure();
      const server = await lab.start();
      await server.untilReady();
      server.asks = () => server.call('read_file', { repo: 'shop', path: 'a.ts' });
      await server.asks();
      for (const pid of childrenOf(server.started.process.pid ?? 0)) process.kill(pid, 'SIGKILL');
      return server;
    },
  },
  {
    name: 'memory used up',
    cause: /memory/i,
    instead: { answer: /needle = 1/, administration: /was not stopped in order/ },
    async make(lab) {
      lab.repository(2048);
      lab.configure();
      const small = await lab.start();
      await small.untilReady();
      const { process: child } = small.started;
      // Not the address space: the heap grows in what it has reserved. Half of it: what it gives back does not help it.
      const [, kilobytes] = /^VmData:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      execFileSync('prlimit', ['--pid', String(child.pid), `--data=${512 * Number(kilobytes)}`]);
      await until(async () => {
        await Promise.all(Array.from({ length: 12 }, () => small.call('keyword_search', { query: 'a count:all' })));
        return child.exitCode !== null || child.signalCode !== null;
      });
      if (child.exitCode === null && child.signalCode === null)
        throw new Error('it went on with the memory that it had');
      return lab.start(undefined, small.token);
    },
  },
  {
    name: 'memory for indexes used up',
    cause: /memory for indexes is used up|memoryBytes|LimitError|memory/,
    async make(lab) {
      lab.repository(96 * 1024);
      lab.configure({ plugins: { 'service-search-index': { memoryBytes: 32 << 20 } } });
      return lab.start();
    },
  },
  {
    name: 'address space too small',
    cause: /cannot be reserved|memory/,
    async make(lab) {
      lab.repository();
      lab.configure();
      return lab.refusal('ulimit -v 3000000');
    },
  },
  {
    name: 'clock set forward by an hour',
    cause: clockJumped,
    make: (lab) => withClock(lab, '+3600'),
    instead: { answer: /needle = 1/ },
  },
  {
    name: 'clock set back by an hour',
    cause: clockJumped,
    make: (lab) => withClock(lab, '-3600'),
    instead: { answer: /needle = 1/ },
  },
  {
    name: 'own certificate expired',
    cause: /certificate.* (ended|expired)/,
    async make(lab) {
      lab.repository();
      lab.configure({ tls: certificate(lab, '2020-01-01', 10) });
      const server = await lab.start();
      server.asks = async () => {
        // A connection of its own, which looks at the certificate.
        const request = get(server.started.url, { agent: false, ca: readFileSync(lab.path('server.pem')) });
        const [outcome] = await Promise.race([once(request, 'response'), once(request, 'error')]).catch((error) => [
          error,
        ]);
        return String(outcome);
      };
      // Administrators need a way past it, too.
      process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
      const pages = await server.administration();
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      return { answer: () => server.answer(), log: () => server.log(), administration: async () => pages };
    },
  },
  {
    name: 'port taken by another program',
    cause: /port \d+/,
    async make(lab) {
      lab.repository();
      const stranger = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
      await once(stranger, 'listening');
      lab.whenOver(() => stranger.close());
      lab.configure({ port: (stranger.address() as AddressInfo).port });
      return lab.refusal();
    },
  },
  {
    name: 'no git',
    cause: /cannot run git|program git cannot be run/,
    async make(lab) {
      lab.repository();
      lab.configure();
      const hide = 'mount --bind /dev/null "$(command -v git)"; exec "$@"';
      return lab.start({ limits: `set -- unshare --mount sh -c '${hide}' sh "$@"` });
    },
  },
  {
    name: 'git killed for its memory',
    cause: /memory/,
    async make(lab) {
      const shop = lab.repository();
      // A delta of a file is made in memory.
      const large = randomBytes(96 << 20);
      shop.commit({ files: { 'large.bin': large.toString('base64') } });
      const { folder } = shop;
      lab.configure({
        repositories: [{ url: `file://${folder}`, name: 'shop' }],
        plugins: { 'service-git': { cloneMemoryBytes: 64 << 20 } },
      });
      const server = await lab.start();
      server.asks = () => server.call('read_file', { repo: 'shop', path: 'a.ts' });
      return server;
    },
  },
  {
    name: 'optional plugin fails at the start',
    cause: /the forge is shut/,
    instead: { answer: /needle = 1/ },
    async make(lab) {
      lab.repository();
      writeFileSync(
        lab.path('broken.ts'),
        `import { definePlugin } from '@sextant/core';
        export default definePlugin({ name: 'broken', start: async () => { throw new Error('the forge is shut'); } });`,
      );
      lab.configure({ plugins: { './broken.ts': { optional: true, trusted: true } } });
      return lab.start();
    },
  },
  {
    name: 'process stopped for half a minute',
    cause: /the process (is|was) held/,
    instead: { answer: /needle = 1/ },
    async make(lab) {
      lab.repository();
      lab.configure();
      const server = await lab.start();
      await server.untilReady();
      const { pid } = server.started.process;
      spawn('sh', ['-c', `kill -STOP ${pid}; sleep 12; kill -CONT ${pid}`]);
      return server;
    },
  },
];
