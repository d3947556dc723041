import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startSextant } from '../../support/processes.ts';
import type { Started } from '../../support/processes.ts';

export interface HostsOptions {
  folder: string;
  /** One configuration for all. */
  config: string;
  /** Of each host. */
  ports: readonly number[];
}

/** Hosts of one installation, each with a data folder and a port of its own. */
export class ProvenHosts implements AsyncDisposable {
  readonly #options: HostsOptions;
  readonly #running: (Started | undefined)[] = [];

  constructor(options: HostsOptions) {
    this.#options = options;
  }

  /** Answers the first token where this was the first start. `bin`: of another release. */
  async start(host: number, bin?: string): Promise<string> {
    const started = await startSextant(['--port', String(this.#options.ports[host]), ...this.flags(host)], { bin });
    this.#running[host] = started;
    return started.token;
  }

  flags(host: number): string[] {
    const { folder, config } = this.#options;
    const data = join(folder, `data${host}`);
    mkdirSync(data, { recursive: true });
    return ['--config', config, '--data', data];
  }

  /** Ends it as the loss of its machine would. */
  async kill(host: number): Promise<void> {
    const child = this.#running[host]?.process;
    this.#running[host] = undefined;
    if (!child) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async stop(host: number): Promise<void> {
    await this.#running[host]?.stop();
    this.#running[host] = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#options.ports.map((_, host) => this.stop(host)));
  }
}
