import type { StoredTrees } from '../snapshot/stored-trees.ts';
import { blobsOfAll, wantedBlobs } from '../snapshot/wanted-blobs.ts';
import type { Merged, RepositoryShards } from './repository-shards.ts';

export interface CompactionOptions {
  readonly trees: StoredTrees;
  readonly shards: RepositoryShards;
  readonly maxFileBytes: number;
  /** Puts what is merged in the place of the small ones. */
  readonly replace: (merged: Merged) => Promise<void>;
}

/** Builds one shard of what commits have in small ones, where many of these would slow searches down: beside what somebody waits for. */
export class Compaction {
  readonly #options: CompactionOptions;
  #isRunning = false;

  constructor(options: CompactionOptions) {
    this.#options = options;
  }

  /** Does nothing while it is done already. */
  async run(commits: Iterable<string>): Promise<void> {
    const { trees, shards, maxFileBytes, replace } = this.#options;
    if (this.#isRunning || !shards.areMany) return;
    this.#isRunning = true;
    try {
      const all = await Promise.all([...commits].map((commit) => trees.read(commit, { isKept: true })));
      const merged = await shards.merge(await blobsOfAll(all, maxFileBytes), (isWanted) =>
        wantedBlobs(all, { maxFileBytes, isWanted }),
      );
      if (merged) await replace(merged);
    } finally {
      this.#isRunning = false;
    }
  }
}
