import { hash } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of a repository's index: names of repositories may be no names of files. */
export const indexFolderOf = (name: string): string => hash('sha256', name, 'hex').slice(0, 32);

const isIndexFolder = /^[0-9a-f]{32}$/;

/** Removes the indexes of all but these repositories. A search that still uses one has its files open. */
export function removeOtherIndexes(folder: string, names: readonly string[]): void {
  const wanted = new Set(names.map(indexFolderOf));
  for (const each of existsSync(folder) ? readdirSync(folder) : [])
    if (isIndexFolder.test(each) && !wanted.has(each)) rmSync(join(folder, each), { recursive: true, force: true });
}

/** What tells of the repositories that can be read now. */
interface Listing {
  list(): Promise<readonly { readonly name: string }[]>;
  find(name: string): Promise<unknown>;
}

/** Names of the repositories that could be read when they were last looked for. */
export class ServedNames {
  readonly #store: Listing;
  #names: Set<string> | undefined;

  constructor(store: Listing) {
    this.#store = store;
  }

  /** Undefined before they were listed. */
  get known(): ReadonlySet<string> | undefined {
    return this.#names;
  }

  async listAll(): Promise<readonly string[]> {
    const names = (await this.#store.list()).map(({ name }) => name);
    this.#names = new Set(names);
    return names;
  }

  /** Asks for this one only: thousands may change at once. */
  async has(name: string): Promise<boolean> {
    const isServed = (await this.#store.find(name)) !== undefined;
    if (isServed) this.#names?.add(name);
    else this.#names?.delete(name);
    return isServed;
  }
}
