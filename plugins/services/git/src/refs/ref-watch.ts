import { setImmediate } from 'node:timers/promises';
import { messageOf } from '@sextant/core';
import type { Logger } from '@sextant/core';
import type { Catalog } from '../catalog/catalog.ts';
import { signatureOf } from '../storage/file-signature.ts';
import type { Signature } from '../storage/file-signature.ts';
import type { GitFolder } from '../storage/git-folder.ts';
import { filesOfAllRefs, filesOfRefs } from './ref-files.ts';

export interface RefWatchOptions {
  catalog: Catalog;
  /** Time between two looks. */
  seconds: number;
  log: Logger;
}

type Listener = (name: string) => void;

/** What the refs of a repository looked like. */
interface Seen extends Signature {
  readonly files: readonly string[];
}

/** After so many milliseconds of looking others have their turn. */
const turnMs = 2;

/** Notices that refs moved, whoever moved them: a fetch of ours, a push, someone at the command line. */
export class RefWatch {
  readonly #options: RefWatchOptions;
  readonly #listeners = new Set<Listener>();
  readonly #seen = new Map<string, Seen>();
  /** Those of the catalog that cannot be looked at, because they are not cloned, evicted or refused. */
  readonly #unseen = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isInspecting = false;

  constructor(options: RefWatchOptions) {
    this.#options = options;
  }

  /** Looks from now on, as long as anyone listens. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (!this.#timer) {
      this.#seen.clear();
      this.#unseen.clear();
      for (const [name, folder] of this.#folders()) this.#seen.set(name, look(folder));
      for (const { name } of this.#options.catalog.all()) if (!this.#seen.has(name)) this.#unseen.add(name);
      this.#timer = setInterval(() => this.#look(), this.#options.seconds * 1000).unref();
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.close();
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    void this.#compare();
    void this.#inspectRefused();
  }

  /** Services that index repositories never ask for one that is not served: without this it would stay so after it is in order again. */
  async #inspectRefused(): Promise<void> {
    if (this.#isInspecting) return;
    this.#isInspecting = true;
    // The remaining problem is kept, and the catalog shows it.
    for (const entry of this.#options.catalog.all())
      if (entry.folder()?.failure)
        await entry
          .folder()
          ?.prepare()
          .catch(() => {});
    this.#isInspecting = false;
  }

  async #compare(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const folders = this.#folders();
      for (const name of this.#seen.keys()) if (!folders.has(name)) this.#forget(name);
      for (const name of this.#unseen) this.#followUnseen(name, folders.has(name));
      await this.#lookAt(folders);
    } finally {
      this.#isLooking = false;
    }
  }

  #forget(name: string): void {
    this.#seen.delete(name);
    this.#unseen.add(name);
    this.#noteChange(name);
  }

  /** Tells that it has left the catalog, too. */
  #followUnseen(name: string, isSeen: boolean): void {
    const isServed = this.#options.catalog.find(name) !== undefined;
    if (isServed && !isSeen) return;
    this.#unseen.delete(name);
    if (!isServed) this.#tell(name);
  }

  async #lookAt(folders: ReadonlyMap<string, GitFolder>): Promise<void> {
    let begun = performance.now();
    for (const [name, folder] of folders) {
      const before = this.#seen.get(name);
      const now = look(folder, before);
      this.#seen.set(name, now);
      if (before?.text !== now.text) this.#noteChange(name);
      if (performance.now() - begun < turnMs) continue;
      await setImmediate();
      if (!this.#timer) return;
      begun = performance.now();
    }
  }

  #noteChange(name: string): void {
    this.#options.catalog.find(name)?.checkLoss();
    this.#tell(name);
  }

  #folders(): Map<string, GitFolder> {
    const entries = this.#options.catalog.all().flatMap((entry): [string, GitFolder][] => {
      const folder = entry.folder();
      return folder && !folder.failure ? [[entry.name, folder]] : [];
    });
    return new Map(entries);
  }

  #tell(name: string): void {
    for (const listener of this.#listeners)
      try {
        listener(name);
      } catch (error) {
        this.#options.log.error({ err: error }, `a listener to changes of refs failed: ${messageOf(error)}`);
      }
  }
}

/**
 * What the files of its refs look like; where they are too many to look at each, those of HEAD and the packed ones. While none that was there has changed, folders
 * among them, there are no others.
 */
function look(folder: GitFolder, before?: Seen): Seen {
  try {
    if (before?.isSettled && signatureOf(before.files).text === before.text) return before;
    const files = filesOfAllRefs(folder) ?? filesOfRefs(folder, [folder.headRef() ?? 'HEAD']);
    return { files, ...signatureOf(files) };
  } catch {
    return { files: [], text: 'gone', isSettled: false, changedAt: 0 };
  }
}
