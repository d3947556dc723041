import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { messageOf } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { FrameReader, frameOf, mostReceived, mostSent } from './frames.ts';
import { fromPlugin } from './messages.ts';
import type { FromPlugin, ToPlugin } from './messages.ts';

const program = fileURLToPath(new URL('child/main.ts', import.meta.url));

const lookMs = 1000;
/** A process that does not answer for so long is held by a loop. */
const stallMs = 10_000;
/** Messages and bytes of one second. An honest plugin sends a question for each file that it reads. */
const mostMessages = 10_000;
const mostBytes = 64 * 1024 * 1024;
/** Characters of one second that are logged of what the plugin prints. */
const mostPrinted = 10_000;

export interface ProcessOptions {
  file: string;
  publicAPI: string;
  capabilities: readonly string[];
  memoryMegabytes: number;
  /** Paths that the process may read; a folder ends with a slash. */
  readable: readonly string[];
  writable: readonly string[];
  log: Logger;
}

/** Who is told what a process says. */
export interface ProcessOwner {
  onMessage(message: FromPlugin): void;
  /** Called once, with why it ended. */
  onEnd(reason: string): void;
}

/** The process of one plugin, under Node's permission model and watched from outside. */
export class IsolatedProcess {
  readonly #options: ProcessOptions;
  #owner: ProcessOwner;
  #log: Logger;
  readonly #child: ChildProcess;
  readonly #channel: Duplex;
  readonly #reader = new FrameReader(mostSent);
  readonly #timer: NodeJS.Timeout;
  /** Absent while the plugin is loaded, for which there is a limit of its own. */
  #answeredAt: number | undefined;
  #messages = 0;
  #bytes = 0;
  #printed = 0;
  #why: string | undefined;

  constructor(options: ProcessOptions, owner: ProcessOwner) {
    this.#options = options;
    this.#owner = owner;
    this.#log = options.log;
    const { PATH, LANG, TZ } = process.env;
    this.#child = spawn(process.execPath, argumentsOf(options), {
      env: { ...(PATH && { PATH }), ...(LANG && { LANG }), ...(TZ && { TZ }) },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    // A `pipe` beyond the usual three is a socket in both directions.
    this.#channel = this.#child.stdio[3] as Duplex;
    this.#channel.on('data', (piece: Buffer) => this.#take(piece)).on('error', () => {});
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => this.#print(text));
    this.#child.on('error', (error) => this.#end(`it could not be started: ${messageOf(error)}`));
    this.#child.on('exit', (code, signal) => this.#end(whyEnded(code, signal, options)));
    this.#timer = setInterval(() => void this.#look(), lookMs).unref();
  }

  get isRunning(): boolean {
    return this.#why === undefined;
  }

  /** Lets the program end while it waits for an owner. */
  rest(): void {
    for (const handle of this.#handles()) handle.unref();
  }

  /** From now on another one is told, and its log has what the plugin prints. */
  give(owner: ProcessOwner, log: Logger): void {
    this.#owner = owner;
    this.#log = log;
    for (const handle of this.#handles()) handle.ref();
  }

  send(message: ToPlugin): void {
    if (this.#why !== undefined) return;
    this.#channel.write(frameOf(message));
    if (this.#channel.writableLength > mostReceived) this.kill('it does not read its answers');
  }

  /** Ends the process at once; `reason` is what the operator is told. */
  kill(reason: string): void {
    this.#why ??= reason;
    this.#child.kill('SIGKILL');
  }

  /** What keeps the program running. The pipes of a child are sockets. */
  #handles(): { ref(): void; unref(): void }[] {
    const { stdout, stderr } = this.#child;
    return [this.#child, ...[this.#channel, stdout, stderr].filter((stream) => stream instanceof Socket)];
  }

  #end(reason: string): void {
    clearInterval(this.#timer);
    this.#channel.destroy();
    this.#why ??= reason;
    const why = this.#why;
    setImmediate(() => this.#owner.onEnd(why));
    this.#child.removeAllListeners('exit');
  }

  #take(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > mostBytes) return this.kill('it floods the server with messages');
    try {
      for (const message of this.#reader.read(piece)) {
        if (this.#why !== undefined) return;
        this.#messages += 1;
        if (this.#messages > mostMessages) return this.kill('it floods the server with messages');
        const parsed = fromPlugin.parse(message);
        this.#answeredAt = performance.now();
        this.#owner.onMessage(parsed);
      }
    } catch (error) {
      this.kill(`it does not keep to the protocol: ${messageOf(error).slice(0, 500)}`);
    }
  }

  /** What a plugin prints is logged, some of it each second. */
  #print(text: string): void {
    const room = mostPrinted - this.#printed;
    this.#printed += text.length;
    const shown = text.slice(0, Math.max(0, room)).trim();
    if (shown !== '') this.#log.warn({ printed: shown }, 'the plugin printed');
  }

  async #look(): Promise<void> {
    this.#messages = 0;
    this.#bytes = 0;
    this.#printed = 0;
    if (performance.now() - (this.#answeredAt ?? Infinity) > stallMs)
      return this.kill(`it did not answer for ${stallMs / 1000} s`);
    this.send({ type: 'ping' });
    const used = await residentMegabytes(this.#child.pid);
    const { memoryMegabytes } = this.#options;
    if (used > memoryMegabytes) this.kill(`it used ${used} MB of memory; ${memoryMegabytes} MB are allowed`);
  }
}

function argumentsOf({ file, publicAPI, capabilities, memoryMegabytes, readable, writable }: ProcessOptions): string[] {
  const allows = (capability: string): boolean => capabilities.includes(capability);
  const files = allows('filesystem')
    ? ['--allow-fs-read=*', '--allow-fs-write=*']
    : [...readable.map((path) => `--allow-fs-read=${path}`), ...writable.map((path) => `--allow-fs-write=${path}`)];
  return [
    '--permission',
    ...files,
    ...(allows('process') ? ['--allow-child-process', '--allow-worker'] : []),
    `--max-old-space-size=${memoryMegabytes}`,
    '--no-warnings',
    program,
    JSON.stringify({ file, publicAPI, capabilities }),
  ];
}

function whyEnded(code: number | null, signal: NodeJS.Signals | null, { memoryMegabytes }: ProcessOptions): string {
  // V8 aborts where the heap is full.
  if (signal === 'SIGABRT' || code === 134) return `it ran out of memory; ${memoryMegabytes} MB are allowed`;
  return signal === null ? `it ended itself with code ${code}` : `it was ended by ${signal}`;
}

const pageBytes = 4096;

/** Memory of a process as the system counts it; 0 where it does not tell. */
async function residentMegabytes(id: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${id}/statm`, 'utf8').catch(() => '');
  return Math.round((Number(text.split(' ')[1] ?? 0) * pageBytes) / 1024 / 1024);
}
