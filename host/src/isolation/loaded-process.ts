import { availableParallelism } from 'node:os';
import { SextantError, messageOf, withinTime } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { IsolatedProcess } from './isolated-process.ts';
import type { ProcessOptions } from './isolated-process.ts';
import type { Description } from './messages.ts';

const loadMs = 30_000;
/** Processes that load at once. More would only wait for processors, and each takes memory from its first moment. */
const mostLoading = Math.max(4, availableParallelism());
/** A process that nobody starts for so long ends. */
const spareMs = 60_000;

/** Where a plugin is, and what its process may use. */
export type Loading = Omit<ProcessOptions, 'log'>;

export interface LoadedProcess {
  readonly described: Description;
  readonly process: IsolatedProcess;
}

/** Loads a plugin in a process of its own, and asks what it is. Nothing of it is loaded here. Throws `timeout` where it says nothing. */
export function loadProcess(loading: Loading, log: Logger): Promise<LoadedProcess> {
  return inTurn(async () => {
    const { promise, resolve, reject } = Promise.withResolvers<Description>();
    let isSilent = true;
    const process = new IsolatedProcess(
      { ...loading, log },
      {
        onMessage: (message) => {
          if (message.type === 'failed') isSilent = false;
          if (message.type === 'described') resolve(message.plugin);
          if (message.type === 'failed') reject(new Error(message.reason));
        },
        onEnd: (reason) => {
          isSilent = false;
          reject(new Error(`${loading.file}: ${reason} while it was loaded`));
        },
      },
    );
    try {
      return { described: await withinTime(loadMs, `loading ${loading.file}`, promise), process };
    } catch (error) {
      process.kill('it could not be loaded');
      throw isSilent ? new SextantError('timeout', messageOf(error)) : error;
    }
  });
}

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < mostLoading) running += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

/** A process that has loaded its plugin and waits to be started. It keeps no program from ending. */
export class SpareProcess {
  #process: IsolatedProcess | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(process: IsolatedProcess) {
    this.#process = process;
    process.rest();
    this.#timer = setTimeout(() => this.take()?.kill('nobody started it'), spareMs).unref();
  }

  get isThere(): boolean {
    return this.#process?.isRunning === true;
  }

  /** Gives it once, and only while it runs. */
  take(): IsolatedProcess | undefined {
    clearTimeout(this.#timer);
    const process = this.#process;
    this.#process = undefined;
    return process?.isRunning === true ? process : undefined;
  }
}
