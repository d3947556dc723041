// The small process that starts git for the server. To start a program, Linux copies the page tables of the process that
// starts it: of a large server these are many, and it stands still meanwhile. This process ends with the server, and all
// that it started ends with it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { headerOf } from './launch-protocol.ts';
import type { LaunchReport, LaunchRequest } from './launch-protocol.ts';

type StartRequest = Extract<LaunchRequest, { kind: 'start' }>;

/** Ids of processes, each the leader of a group, by the ids of programs. */
const running = new Map<number, number>();
/** Programs that are being started, each with the signal that it is to get then. */
const starting = new Map<number, NodeJS.Signals | undefined>();
let server = { address: '', secret: '' };

process.on('message', (request: LaunchRequest) => {
  if (request.kind === 'serve') server = request;
  else if (request.kind === 'kill') kill(request.id, request.signal);
  else void start(request);
});
process.once('disconnect', () => {
  for (const id of running.keys()) kill(id, 'SIGKILL');
  process.exit();
});

async function start(request: StartRequest): Promise<void> {
  const { id } = request;
  starting.set(id, undefined);
  try {
    const sockets = await Promise.all([0, 1, 2].map((stream) => connected(id, stream)));
    try {
      // Taken up and closed at once, where the server has no descriptor for it.
      if (sockets.some(({ destroyed }) => destroyed)) throw streamLost();
      await startWith(request, sockets);
    } finally {
      // The program has its own copies.
      for (const socket of sockets) socket.destroy();
    }
  } catch (error) {
    starting.delete(id);
    report({ kind: 'failed', id, reason: error instanceof Error ? error.message : String(error) });
  }
}

/** A connection that nobody here reads: what the server writes is for the program. */
function connected(id: number, stream: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ path: server.address }).pause();
  socket.once('error', (cause) => reject(streamLost(cause)));
  socket.write(headerOf({ secret: server.secret, id, stream }), () => resolve(socket));
  return promise;
}

const streamLost = (cause?: Error): Error =>
  new Error(
    `a stream did not reach the server, which may have too many open files${cause ? `: ${cause.message}` : ''}`,
  );

async function startWith({ id, program, args, env, isBackground }: StartRequest, stdio: Socket[]): Promise<void> {
  const child = spawn(program, args, { cwd: '/', env, stdio, detached: true });
  child.once('exit', (code, signal) => {
    running.delete(id);
    report({ kind: 'ended', id, code, signal, spent: spentSinceLast() });
  });
  await once(child, 'spawn');
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} has no process`);
  running.set(id, pid);
  if (isBackground) lowerPriority(pid);
  report({ kind: 'started', id, pid });
  const signal = starting.get(id);
  starting.delete(id);
  if (signal) kill(id, signal);
}

function kill(id: number, signal: NodeJS.Signals): void {
  const pid = running.get(id);
  if (starting.has(id)) starting.set(id, signal);
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

const tickMs = 10;
let spentByAll = 0;

/** What ended programs had of the processor, less what was told before (proc(5): cutime and cstime, in hundredths of a second). */
function spentSinceLast(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    // The name of the program comes first, in brackets, and may have any characters.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const all = tickMs * (Number(fields[13]) + Number(fields[14]));
    const spent = all - spentByAll;
    spentByAll = all;
    return spent;
  } catch {
    return 0;
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended, or this system has no priorities.
  }
}

function report(about: LaunchReport): void {
  if (process.connected) process.send?.(about, undefined, {}, () => undefined);
}
