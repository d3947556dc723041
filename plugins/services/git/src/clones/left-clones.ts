import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { messageOf } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { moveAside, ownClone } from './clone-ownership.ts';
import { bytesOf } from './folder-limit.ts';
import { removeNotes } from './notes.ts';

interface LeftClonesOptions {
  /** The folder that holds all clones. */
  root: string;
  /** A clone stays for so long after others own it. */
  graceSeconds: number;
  /** Whether a newer configuration has started, by which it may be owned again. */
  isRetiring(): boolean;
  log: Logger;
}

/** Clones that stand here and that other code nodes own now. */
export class LeftClones {
  readonly #options: LeftClonesOptions;
  /** By their places. */
  readonly #left = new Map<string, { readonly name: string; readonly sinceMs: number }>();
  /** Clones that were removed. */
  removed = 0;

  constructor(options: LeftClonesOptions) {
    this.#options = options;
  }

  get names(): string[] {
    // The quota of disk may have evicted some.
    return [...this.#left].flatMap(([path, { name }]) => (existsSync(path) ? name : []));
  }

  /** Others own it now. */
  note(path: string, name: string): void {
    if (existsSync(path)) this.#left.set(path, { name, sinceMs: performance.now() });
  }

  /** Its repository is called otherwise now. */
  rename(path: string, name: string): void {
    const left = this.#left.get(path);
    if (left) this.#left.set(path, { ...left, name });
  }

  /** It is owned here again. */
  takeBack(path: string): void {
    this.#left.delete(path);
  }

  /** Removes those that were left long enough ago, of repositories that all owners have. Answers the places. */
  async remove(held: readonly string[]): Promise<string[]> {
    const areHeld = new Set(held);
    const removed: string[] = [];
    for (const [path, { name, sinceMs }] of this.#left)
      if (areHeld.has(name) && performance.now() - sinceMs >= this.#options.graceSeconds * 1000)
        if (await this.#remove(path, name)) removed.push(path);
    return removed;
  }

  /** Answers whether it is gone. One that cannot be removed stands in the way of no other, and is tried again the next time. */
  async #remove(path: string, name: string): Promise<boolean> {
    const { log, isRetiring } = this.#options;
    // While others were removed it may have been taken back.
    if (isRetiring() || !this.#left.has(path)) return false;
    try {
      const gone = this.#moveAway(path);
      if (gone === undefined) return false;
      this.removed += 1;
      const bytes = await bytesOf(gone);
      await rm(gone, { recursive: true, force: true });
      log.info({ repository: name, bytes }, 'a clone was removed: other nodes own the repository, and have it');
    } catch (error) {
      log.warn({ repository: name, reason: messageOf(error) }, 'a clone that other nodes own could not be removed');
    }
    return !this.#left.has(path);
  }

  /** Answers where it is now; undefined where it is gone already, or somebody works on it. */
  #moveAway(path: string): string | undefined {
    const disown = ownClone(`${path}.owner`);
    if (!disown) return undefined;
    try {
      const gone = existsSync(path) ? moveAside(path, { root: this.#options.root, why: 'left' }) : undefined;
      this.#left.delete(path);
      removeNotes(path);
      return gone;
    } finally {
      disown();
    }
  }
}
