import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SextantError, currentMeter } from '@sextant/core';
import type { ProcessorMeter } from '@sextant/core';
import { headerLength, parseHeader, secretLength } from './launch-protocol.ts';
import type { LaunchReport, LaunchRequest, Program } from './launch-protocol.ts';

/** How a program ended: with a code, by a signal, or in a way that nobody saw. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly error?: Error;
}

/** A program that runs, as a group of processes. */
export interface LaunchedProgram {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** When its process has ended and its standard error is closed. Never rejects. */
  readonly ended: Promise<ProgramEnd>;
  /** Sends a signal to the group, unless the program has ended. */
  kill(signal: NodeJS.Signals): void;
}

/**
 * Seconds without any new stream after which the streams of a started program are lost: the server may open no more
 * files. It takes up one in a turn of its event loop, and on a busy machine its turns are long.
 */
const streamlessSeconds = 5;
/** The same where streams of other programs arrive. */
const mostStreamSeconds = 60;
/** For a connection to say whose it is. */
const headerMs = 10_000;

/**
 * Starts programs through a small process of its own, because starting one takes longer the more memory the starting
 * process has, and the server stands still meanwhile. That process is started with the first program, again when it
 * ended, and ends with the server. A program's streams are connections to the server that only it and its children have.
 */
export class Launcher {
  readonly #secret = randomBytes(secretLength / 2).toString('hex');
  readonly #launches = new Map<number, Launch>();
  #lastId = 0;
  /** Streams that arrived so far. */
  #arrived = 0;
  #listening: Promise<{ server: Server; address: string }> | undefined;
  #process: ChildProcess | undefined;
  /** Told why the process that starts programs ended; the next program starts another. */
  onEnd: (reason: string) => void = () => undefined;

  /** Throws `unavailable` if the system lets no program start. */
  async launch(program: Program): Promise<LaunchedProgram> {
    const { address } = await (this.#listening ??= this.#listen());
    this.#lastId += 1;
    const launch = new Launch({
      id: this.#lastId,
      send: (request) => this.#send(request),
      arrived: () => this.#arrived,
    });
    this.#launches.set(launch.id, launch);
    this.#process ??= this.#begin(address);
    this.#keepAlive();
    void launch.ended.then(() => this.#forget(launch.id));
    this.#send({ kind: 'start', id: launch.id, ...program });
    return launch.started;
  }

  #forget(id: number): void {
    this.#launches.delete(id);
    this.#keepAlive();
  }

  #listen(): Promise<{ server: Server; address: string }> {
    const address = ownAddress();
    const { promise, resolve, reject } = Promise.withResolvers<{ server: Server; address: string }>();
    const server = createServer((socket) => this.#receive(socket));
    server.once('error', (error) => {
      this.#listening = undefined;
      reject(cannotStart(error));
    });
    server.listen({ path: address, backlog: 511 }, () => resolve({ server, address }));
    server.unref();
    return promise;
  }

  #begin(address: string): ChildProcess {
    const started = fork(fileURLToPath(new URL('./launcher-process.ts', import.meta.url)), {
      // Nothing of the server's environment reaches a program, and no signal of its terminal.
      env: {},
      execArgv: ['--max-old-space-size=64', '--max-semi-space-size=1'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      detached: true,
      cwd: '/',
    });
    started.on('message', (report: LaunchReport) => this.#launches.get(report.id)?.take(report));
    const end = (error: Error): void => {
      if (this.#process !== started) return;
      this.#process = undefined;
      this.onEnd(error.message);
      for (const launch of this.#launches.values()) launch.lose(error);
    };
    started.once('error', end);
    started.once('exit', (code, signal) => end(new Error(`the process that starts git ended (${code ?? signal})`)));
    started.unref();
    started.send({ kind: 'serve', address, secret: this.#secret } satisfies LaunchRequest, () => undefined);
    return started;
  }

  #send(request: LaunchRequest): void {
    this.#process?.send(request, (error) => {
      if (error && 'id' in request) this.#launches.get(request.id)?.lose(error);
    });
  }

  /** Whoever waits for a program must not end before it; without one nothing keeps this process alive. */
  #keepAlive(): void {
    const channel = this.#process?.channel;
    if (this.#launches.size > 0) channel?.ref();
    else channel?.unref();
  }

  #receive(socket: Socket): void {
    this.#arrived += 1;
    // After a time in which the server was held, what has arrived is read before.
    const late = (): void => void setImmediate(() => socket.timeout && socket.destroy());
    // Whoever reads or writes the stream learns of its errors.
    socket.on('error', () => undefined).setTimeout(headerMs, late);
    const read = (): void => {
      const header: Buffer | null = socket.read(headerLength);
      if (!header) return;
      socket.off('readable', read).setTimeout(0);
      const { secret, id, stream } = parseHeader(header.toString('latin1'));
      const launch =
        timingSafeEqual(Buffer.from(secret, 'latin1'), Buffer.from(this.#secret, 'latin1')) && this.#launches.get(id);
      if (launch) launch.connect(stream, socket);
      else socket.destroy();
    };
    socket.on('readable', read);
  }
}

interface LaunchOptions {
  readonly id: number;
  readonly send: (request: LaunchRequest) => void;
  /** Streams of all programs that arrived so far. */
  readonly arrived: () => number;
}

/** One program from its start to its end. */
class Launch implements LaunchedProgram {
  readonly id: number;
  readonly started: Promise<LaunchedProgram>;
  readonly ended: Promise<ProgramEnd>;
  readonly #send: (request: LaunchRequest) => void;
  readonly #arrived: () => number;
  readonly #resolveStarted: (program: LaunchedProgram) => void;
  readonly #rejectStarted: (error: Error) => void;
  readonly #resolveEnded: (end: ProgramEnd) => void;
  readonly #streams: Socket[] = [];
  readonly #meter: ProcessorMeter | undefined = currentMeter();
  #pid: number | undefined;
  #hasEnded = false;
  #isLost = false;

  constructor({ id, send, arrived }: LaunchOptions) {
    const [starting, ending] = [Promise.withResolvers<LaunchedProgram>(), Promise.withResolvers<ProgramEnd>()];
    [this.id, this.started, this.ended] = [id, starting.promise, ending.promise];
    [this.#send, this.#arrived] = [send, arrived];
    [this.#resolveStarted, this.#rejectStarted] = [starting.resolve, starting.reject];
    this.#resolveEnded = ending.resolve;
  }

  get stdin(): Socket {
    return this.#stream(0);
  }

  get stdout(): Socket {
    return this.#stream(1);
  }

  get stderr(): Socket {
    return this.#stream(2);
  }

  connect(stream: number, socket: Socket): void {
    this.#streams[stream] = socket;
    this.#startWhenWhole();
  }

  take(report: LaunchReport): void {
    if (report.kind === 'started') this.#begin(report.pid);
    else if (report.kind === 'failed') this.lose(new Error(report.reason));
    else {
      this.#meter?.add(report.spent);
      this.#end(report);
    }
  }

  /** Nobody tells any more how the program goes on. */
  lose(error: Error): void {
    const isRunning = this.#pid !== undefined && !this.#hasEnded;
    if (isRunning && this.#pid !== undefined) killGroup(this.#pid, 'SIGKILL');
    this.#isLost = true;
    for (const stream of this.#streams) stream?.destroy();
    this.#finish({ code: null, signal: null, error });
  }

  kill(signal: NodeJS.Signals): void {
    if (!this.#hasEnded) this.#send({ kind: 'kill', id: this.id, signal });
  }

  #stream(number: number): Socket {
    const stream = this.#streams[number];
    if (!stream) throw new Error('a program has no streams before it is started');
    return stream;
  }

  get #isWhole(): boolean {
    return [0, 1, 2].every((stream) => this.#streams[stream]);
  }

  #begin(pid: number): void {
    this.#pid = pid;
    this.#startWhenWhole();
    void this.#awaitStreams();
  }

  /** It had connected them all before it started. A second at a time: a server that was held takes them up in between. */
  async #awaitStreams(): Promise<void> {
    let [arrived, streamless] = [this.#arrived(), 0];
    for (let seconds = 0; seconds < mostStreamSeconds && streamless < streamlessSeconds; seconds += 1) {
      if (this.#isWhole || this.#isLost) return;
      await setTimeout(1000);
      streamless = arrived === this.#arrived() ? streamless + 1 : 0;
      arrived = this.#arrived();
    }
    if (!this.#isWhole) this.lose(streamsLost());
  }

  #startWhenWhole(): void {
    if (this.#pid === undefined || !this.#isWhole) return;
    // Only its end is of interest: a program writes nothing to its standard input.
    this.stdin.resume();
    this.#resolveStarted(this);
  }

  /** Its streams, and what it wrote to its standard error last, may arrive after the news of its end. */
  #end(end: ProgramEnd): void {
    this.#hasEnded = true;
    const finishWhenClosed = (): void => {
      if (this.stderr.closed) this.#finish(end);
      else this.stderr.once('close', () => this.#finish(end));
    };
    void this.started.then(finishWhenClosed, () => undefined);
  }

  #finish(end: ProgramEnd): void {
    this.#hasEnded = true;
    this.#resolveEnded(end);
    this.#rejectStarted(cannotStart(end.error ?? new Error('it ended')));
  }
}

/** The launcher of this process. */
export const launcher = new Launcher();

/** Of a kind that no file is made for, where the system has it. Only who knows the secret is listened to. */
function ownAddress(): string {
  if (process.platform === 'linux') return `\0sextant-${randomBytes(16).toString('hex')}`;
  const folder = mkdtempSync(join(tmpdir(), 'sextant-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'git');
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

const streamsLost = (): Error =>
  new Error(
    'not all streams of a program reached the server in time, which may have too many open files, or too much to do',
  );

const cannotStart = (cause: Error): SextantError =>
  new SextantError(
    'unavailable',
    'git could not be started; the server may have too many open files or processes: try again in a moment, or let the operator raise its limits (ulimit -n)',
    { cause },
  );
