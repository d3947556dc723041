import type { Asking, Fetches } from '@sextant/contracts';
import type { Caller, Logger } from '@sextant/core';
import type { Catalog } from '../catalog/catalog.ts';
import type { GitRepositories } from '../git-repositories.ts';

export class GitFetches implements Fetches {
  readonly #parts: { catalog: Catalog; repositories: GitRepositories; log: Logger };

  constructor(parts: { catalog: Catalog; repositories: GitRepositories; log: Logger }) {
    this.#parts = parts;
  }

  async queue(caller: Caller, name: string | undefined, { isNamed }: Asking = { isNamed: false }): Promise<string[]> {
    const { repositories } = this.#parts;
    const entries = name === undefined ? await repositories.visible(caller) : [await repositories.find(caller, name)];
    for (const entry of entries) {
      if (isNamed) entry.touch();
      entry.fetch();
    }
    void this.rescan();
    return entries.map((entry) => entry.name);
  }

  /** Looks for repositories that came or went; a failure is logged. */
  async rescan(): Promise<void> {
    const { catalog, log } = this.#parts;
    await catalog
      .rescan()
      .catch((err: unknown) => log.error({ err }, 'the folders of repositories could not be scanned'));
  }
}
