import { statSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { StoredRepository } from '@sextant/contracts';

/** Where the history of shallow clones is cut: a file whose change makes commits have other parents. */
export class ShallowFiles {
  readonly #paths = new Map<string, string>();

  /** Empty for a repository that is not cut; another text after each change. */
  async state(repository: StoredRepository, signal: AbortSignal): Promise<string> {
    const path = this.#paths.get(repository.name) ?? (await pathOf(repository, signal));
    this.#paths.set(repository.name, path);
    const found = statSync(path, { throwIfNoEntry: false });
    return found && found.size > 0 ? `${found.mtimeMs}-${found.size}` : '';
  }

  forget(name: string): void {
    this.#paths.delete(name);
  }
}

async function pathOf(repository: StoredRepository, signal: AbortSignal): Promise<string> {
  const args = ['rev-parse', '--path-format=absolute', '--git-path', 'shallow'];
  return (await text(repository.stream({ args, signal }))).replace(/\n$/, '');
}
