import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { SextantError } from '@sextant/core';
import type { Logger } from '@sextant/core';

/** Nothing of the environment of the server is passed on: it may hold secrets. */
const environment = { PATH: '/usr/bin:/bin' };
const restartMs = 1000;
/** What a program says last, for the log. */
const saidCharacters = 2000;

/** Runs a program to its end. Throws `unavailable` with what it said where it fails. */
export async function runProgram(path: string, args: readonly string[], signal: AbortSignal): Promise<void> {
  const child = spawn(path, args, { stdio: ['ignore', 'ignore', 'pipe'], env: environment, signal });
  let said = '';
  child.stderr.on('data', (part: Buffer) => (said = `${said}${part.toString()}`.slice(-saidCharacters)));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new SextantError('unavailable', 'zoekt could not index it', { cause: new Error(said) });
}

/** A zoekt-webserver on a port of this machine, which is started again where it ends. */
export class Webserver {
  readonly url: string;
  readonly #start: () => ChildProcess;
  readonly #log: Logger;
  #child: ChildProcess;
  #restart: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(url: string, start: () => ChildProcess, log: Logger) {
    this.url = url;
    this.#start = start;
    this.#log = log;
    this.#child = this.#run();
  }

  static async start(programs: string, index: string, log: Logger): Promise<Webserver> {
    const address = `127.0.0.1:${await freePort()}`;
    const args = ['-listen', address, '-index', index, '-html=false'];
    const start = (): ChildProcess =>
      spawn(join(programs, 'zoekt-webserver'), args, { stdio: 'ignore', env: environment });
    return new Webserver(`http://${address}`, start, log);
  }

  #run(): ChildProcess {
    const child = this.#start();
    const again = (facts: object, what: string): void => {
      if (this.#isClosed) return;
      this.#log.error(facts, what);
      this.#restart = setTimeout(() => (this.#child = this.#run()), restartMs);
    };
    child.on('error', (error) => {
      // One that was started has an end of its own.
      if (child.pid === undefined) again({ err: error }, 'zoekt-webserver cannot be started; it is tried again');
    });
    child.on('exit', (code, name) => again({ code, signal: name }, 'a zoekt-webserver ended; it is started again'));
    return child;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#restart);
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    const exited = once(child, 'exit');
    // Its index is only read: there is nothing to finish.
    child.kill('SIGKILL');
    await exited;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
