import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger, ServiceFailure } from '@sextant/core';
import { isAbandoned } from './clone-ownership.ts';
import { CloneTransport } from './clone-transport.ts';
import { Clone } from './clone.ts';
import type { CloneState } from './clone.ts';
import { GitProgram } from '../process/git-process.ts';
import { remoteOf } from './remote-url.ts';
import { TransferSlots } from '../process/slots.ts';

export interface ClonesOptions {
  /** The folder that holds them all. */
  root: string;
  /** Clones and fetches at once. */
  atOnce: number;
  /** Longest time of one. */
  seconds: number;
  /** Most disk that one may take. */
  bytes: number;
  /** Most memory of each process of git. */
  memoryBytes: number;
  /** Most refs of one. */
  refs: number;
  /** Seconds between two fetches of one. */
  interval: number;
  log: Logger;
}

/** The clones that the configuration asks for, by name. */
export class Clones {
  readonly #options: ClonesOptions;
  readonly #git: GitProgram;
  readonly #slots: TransferSlots;
  readonly #clones = new Map<string, Clone>();
  readonly #closing = new AbortController();

  constructor(options: ClonesOptions) {
    this.#options = options;
    this.#slots = new TransferSlots(options.atOnce);
    this.#git = new GitProgram({ processes: this.#slots.most, seconds: options.seconds });
  }

  /** The clone of a URL under a name. Another URL makes another clone. */
  of(name: string, url: string): Clone {
    const { root, bytes, memoryBytes, refs, interval, log } = this.#options;
    const known = this.#clones.get(name);
    if (known) return known;
    const id = createHash('sha256')
      .update(`${name}\0${remoteOf(url).url}`)
      .digest('hex')
      .slice(0, 32);
    const transport = new CloneTransport(this.#git, url, { bytes, memoryBytes, refs });
    const clone = new Clone({
      name,
      path: join(root, id),
      transport,
      slots: this.#slots,
      interval,
      log,
      signal: this.#closing.signal,
    });
    this.#clones.set(name, clone);
    return clone;
  }

  find(name: string): Clone | undefined {
    return this.#clones.get(name);
  }

  /** Removes what a killed process left, and begins to clone and fetch. */
  async start(): Promise<void> {
    const { root } = this.#options;
    const names = await readdir(root).catch(() => []);
    for (const name of names) if (isAbandoned(name)) await rm(join(root, name), { recursive: true, force: true });
    for (const clone of this.#clones.values()) void clone.update();
  }

  count(state: CloneState): number {
    return [...this.#clones.values()].filter((clone) => clone.state === state).length;
  }

  /** Failures of repositories that are not cloned yet, and of those that can no longer be fetched. */
  failures(): ServiceFailure[] {
    return [...this.#clones.values()].flatMap(({ failure }) => failure ?? []);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the server is stopping'));
    await Promise.all([...this.#clones.values()].map((clone) => clone.close()));
  }
}
