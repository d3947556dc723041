import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAbandoned, partialName } from '../clones/clone-ownership.ts';
import { PreparedFolder } from './prepared-folder.ts';

/** The folders that git is given in place of those of served repositories; they last as long as this service. */
export class PreparedFolders {
  readonly #path: string;
  #made = 0;

  private constructor(path: string) {
    this.#path = path;
  }

  /** Removes what killed servers left. */
  static async open(root: string): Promise<PreparedFolders> {
    const names = await readdir(root).catch(() => []);
    for (const name of names) if (isAbandoned(name)) await rm(join(root, name), { recursive: true, force: true });
    return new PreparedFolders(join(root, partialName(randomUUID())));
  }

  make(): PreparedFolder {
    this.#made += 1;
    return new PreparedFolder(join(this.#path, String(this.#made)));
  }

  async close(): Promise<void> {
    await rm(this.#path, { recursive: true, force: true, maxRetries: 3 });
  }
}
