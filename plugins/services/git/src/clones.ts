import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { GitFolder, gitFolderOf } from './git-folder.ts';
import { remoteOf } from './remote-url.ts';

/** A clone of ours. */
export class Clone {
  readonly #path: string;
  #folder: GitFolder | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Undefined while it is not cloned yet. */
  folder(): GitFolder | undefined {
    if (!this.#folder && gitFolderOf(this.#path) === this.#path) this.#folder = new GitFolder(this.#path);
    return this.#folder;
  }
}

export class Clones {
  readonly #root: string;
  readonly #clones = new Map<string, Clone>();

  constructor(root: string) {
    this.#root = root;
  }

  of(name: string, url: string): Clone {
    const id = createHash('sha256').update(`${name}\0${remoteOf(url).url}`).digest('hex').slice(0, 32);
    const clone = this.#clones.get(id) ?? new Clone(join(this.#root, id));
    this.#clones.set(id, clone);
    return clone;
  }
}
