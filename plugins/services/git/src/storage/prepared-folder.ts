import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isAbandoned, partialName } from '../clones/clone-ownership.ts';
import type { ObjectStore } from './storage.ts';

/** What a prepared folder shows of a repository. */
export interface PreparedContent {
  head: Buffer;
  config: string;
  /** The folder of its refs, packed refs and the like. */
  commonPath: string;
  /** Its own object store first. */
  stores: readonly ObjectStore[];
}

const shared = ['refs', 'packed-refs', 'shallow', 'reftable'];

/**
 * A git folder of ours that shows the objects and refs of a repository, and nothing that could make git do something else: HEAD,
 * configuration and alternates are files of ours, and there are no attributes, hooks or index.
 */
export class PreparedFolder {
  readonly path: string;
  readonly #files = new Map<string, string>();
  readonly #links = new Map<string, string>();

  constructor(path: string) {
    this.path = path;
  }

  /** Changes what has changed. */
  async show({ head, config, commonPath, stores }: PreparedContent): Promise<void> {
    const folders = stores.map((_, at) => (at === 0 ? 'objects' : join('borrowed', String(at))));
    for (const [at, store] of stores.entries()) await this.#showStore(folders[at] ?? '', store);
    for (const name of shared) await this.#link(name, join(commonPath, name));
    const borrowed = folders.slice(1).map((name) => `${join(this.path, name)}\n`);
    await this.#write(join('objects', 'info', 'alternates'), borrowed.join(''));
    await this.#write('config', config);
    // Last: without it git takes the folder for none of its own.
    await this.#write('HEAD', head.toString('latin1'));
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }

  /** Git looks for `info/alternates` in each store: this is a folder of ours, in which only packs and loose objects are another's. */
  async #showStore(folder: string, { path, folders, graphs }: ObjectStore): Promise<void> {
    await mkdir(join(this.path, folder, 'info'), { recursive: true, mode: 0o700 });
    for (const name of folders) await this.#link(join(folder, name), join(path, name));
    for (const name of graphs) await this.#link(join(folder, 'info', name), join(path, 'info', name));
  }

  async #link(name: string, target: string): Promise<void> {
    if (this.#links.get(name) === target) return;
    const file = join(this.path, name);
    await rm(file, { force: true });
    await symlink(target, file);
    this.#links.set(name, target);
  }

  async #write(name: string, text: string): Promise<void> {
    if (this.#files.get(name) === text) return;
    const file = join(this.path, name);
    await writeFile(`${file}.new`, text, { encoding: 'latin1', mode: 0o600 });
    await rename(`${file}.new`, file);
    this.#files.set(name, text);
  }
}

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
    for (const name of names) if (isAbandoned(name)) await remove(join(root, name));
    return new PreparedFolders(join(root, partialName(randomUUID())));
  }

  make(): PreparedFolder {
    this.#made += 1;
    return new PreparedFolder(join(this.#path, String(this.#made)));
  }

  async close(): Promise<void> {
    await remove(this.#path);
  }
}

/** A start or an end waits so long for folders to be removed: those of thousands of repositories take many seconds. */
const removalMs = 2000;

/** Goes on behind where it takes longer; what an end leaves is removed after the next start. */
async function remove(path: string): Promise<void> {
  const removal = rm(path, { recursive: true, force: true, maxRetries: 3 });
  await Promise.race([removal, setTimeout(removalMs, undefined, { ref: false })]);
}
