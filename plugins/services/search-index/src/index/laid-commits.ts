import type { Logger } from '@sextant/core';
import { layFiles } from './laid-files.ts';
import type { LaidFiles } from './laid-files.ts';
import type { RepositoryShards } from './repository-shards.ts';
import { StoredViews } from './stored-views.ts';
import type { StoredTrees } from './stored-trees.ts';
import { wantedBlobs } from './wanted-blobs.ts';

export interface LaidCommitsOptions {
  /** Of the repository. */
  readonly name: string;
  readonly folder: string;
  readonly shards: RepositoryShards;
  readonly trees: StoredTrees;
  readonly maxFileBytes: number;
  readonly log: Logger;
  /** Called when the files of a commit could not be kept: they will be laid again. */
  readonly onFailure: (error: unknown) => void;
}

/** The files of commits over the shards of a repository: as they were kept, or laid now. */
export class LaidCommits {
  readonly #options: LaidCommitsOptions;
  readonly #stored: StoredViews;

  constructor(options: LaidCommitsOptions) {
    this.#options = options;
    this.#stored = new StoredViews(options);
  }

  /** Where `isUrgent` somebody waits: that is another commit than that of a branch, which is not asked for after a start. */
  async lay(commit: string, isUrgent: boolean): Promise<{ files: LaidFiles; isKept: boolean }> {
    const { shards, trees } = this.#options;
    await shards.load();
    const kept = await this.#stored.read(commit, shards.set);
    if (!kept) return { files: await this.#layNow(commit, isUrgent), isKept: !isUrgent };
    trees.expect(commit);
    return { files: kept, isKept: true };
  }

  /** What is not indexed of it is indexed now. */
  async #layNow(commit: string, isUrgent: boolean): Promise<LaidFiles> {
    const { shards, trees, maxFileBytes, onFailure } = this.#options;
    const tree = await trees.read(commit, { isKept: !isUrgent });
    const isWanted = (blob: string): boolean => !shards.set.isKnown(blob);
    const missing = wantedBlobs(tree, { maxFileBytes, isWanted });
    if (missing.length > 0) await this.#build(missing, isUrgent);
    const files = layFiles(tree, { shards: shards.set, maxFileBytes });
    // What git lacks is asked for again after the next start.
    const isWhole = trees.isWhole(commit) && !missing.some(isWanted);
    if (!isUrgent && isWhole) await this.#stored.keep(commit, files).catch(onFailure);
    return files;
  }

  async #build(blobs: readonly string[], isUrgent: boolean): Promise<void> {
    const { name, log, shards } = this.#options;
    const started = performance.now();
    await shards.add(blobs, isUrgent);
    const milliseconds = Math.round(performance.now() - started);
    log.info({ repository: name, files: blobs.length, milliseconds }, 'files of a repository were indexed');
  }
}
