import { messageOf } from '@sextant/core';
import type { Logger } from '@sextant/core';
import type { Catalog } from './catalog.ts';
import { signatureOf } from './file-signature.ts';
import type { GitFolder } from './git-folder.ts';
import { filesOfAllRefs, filesOfRefs } from './ref-files.ts';

export interface RefWatchOptions {
  catalog: Catalog;
  /** Time between two looks. */
  seconds: number;
  log: Logger;
}

type Listener = (name: string) => void;

/** Notices that refs moved, whoever moved them: a fetch of ours, a push, someone at the command line. */
export class RefWatch {
  readonly #options: RefWatchOptions;
  readonly #listeners = new Set<Listener>();
  #states: ReadonlyMap<string, string> = new Map();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RefWatchOptions) {
    this.#options = options;
  }

  /** Looks from now on, as long as anyone listens. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (!this.#timer) {
      this.#states = this.#look();
      this.#timer = setInterval(() => this.#compare(), this.#options.seconds * 1000).unref();
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

  #compare(): void {
    const before = this.#states;
    const now = this.#look();
    this.#states = now;
    const names = new Set([...before.keys(), ...now.keys()]);
    for (const name of names) if (before.get(name) !== now.get(name)) this.#tell(name);
  }

  #look(): ReadonlyMap<string, string> {
    const entries = this.#options.catalog.all().flatMap((entry): [string, string][] => {
      const folder = entry.folder();
      return folder ? [[entry.name, stateOf(folder)]] : [];
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

/** What the files of its refs look like; where they are too many to look at each, those of HEAD and the packed ones. */
function stateOf(folder: GitFolder): string {
  try {
    const files = filesOfAllRefs(folder) ?? filesOfRefs(folder, [folder.headRef() ?? 'HEAD']);
    return signatureOf(files).text;
  } catch {
    return 'gone';
  }
}
