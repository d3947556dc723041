import type { Fetches } from '@sextant/contracts';
import type { Caller, Logger } from '@sextant/core';
import type { Catalog } from '../catalog/catalog.ts';
import type { Clones } from './clones.ts';
import type { GitRepositories } from '../git-repositories.ts';

export class GitFetches implements Fetches {
  readonly #parts: { catalog: Catalog; clones: Clones; repositories: GitRepositories; log: Logger };

  constructor(parts: { catalog: Catalog; clones: Clones; repositories: GitRepositories; log: Logger }) {
    this.#parts = parts;
  }

  queue(caller: Caller, name: string | undefined): string[] {
    const { clones, repositories } = this.#parts;
    const entries = name === undefined ? repositories.visible(caller) : [repositories.find(caller, name)];
    for (const entry of entries) void clones.find(entry.name)?.update();
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
