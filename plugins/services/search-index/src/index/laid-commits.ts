import { SextantError } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { layFiles } from './laid-files.ts';
import type { LaidFiles } from './laid-files.ts';
import type { RepositoryShards } from './repository-shards.ts';
import { StoredViews } from './stored-views.ts';
import { mostAhead } from './stored-trees.ts';
import type { StoredTrees } from './stored-trees.ts';
import type { Tree } from './tree.ts';
import { wantedBlobs } from './wanted-blobs.ts';

/** Once there are more blobs than this they are built without those of further commits. */
const mostTogether = 16_384;

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

  /** Where there is `next` somebody waits: that is another commit than that of a branch, which is not asked for after a start, and those that are to be laid after it. */
  async lay(commit: string, next?: readonly string[]): Promise<{ files: LaidFiles; isKept: boolean }> {
    const { shards, trees } = this.#options;
    await shards.load();
    const kept = await this.#stored.read(commit, shards.set);
    if (!kept) return { files: await this.#layNow(commit, next), isKept: !next };
    trees.expect(commit);
    return { files: kept, isKept: true };
  }

  /** What is not indexed of it is indexed now. */
  async #layNow(commit: string, next: readonly string[] | undefined): Promise<LaidFiles> {
    const { shards, trees, maxFileBytes, onFailure } = this.#options;
    const tree = await trees.read(commit, { isKept: !next });
    const missing = this.#missingIn(tree);
    if (missing.length > 0) await this.#build(next ? await this.#andOf(next, missing) : missing, next !== undefined);
    const hasAll = missing.every((blob) => shards.set.isKnown(blob));
    // Of a history that was rewritten blobs are removed while they are read: to find nothing in them would be no answer.
    if (!hasAll && !(await trees.isThere(commit))) throw this.#gone(commit);
    const files = layFiles(tree, { shards: shards.set, maxFileBytes });
    // What git lacks is asked for again after the next start.
    if (!next && hasAll && trees.isWhole(commit)) await this.#stored.keep(commit, files).catch(onFailure);
    return files;
  }

  #gone(commit: string): SextantError {
    const { name } = this.#options;
    return new SextantError(
      'unavailable',
      `repository "${name}" no longer has commit ${commit}; search another revision`,
    );
  }

  #missingIn(tree: Tree): string[] {
    const { shards, maxFileBytes } = this.#options;
    return wantedBlobs(tree, { maxFileBytes, isWanted: (blob) => !shards.set.isKnown(blob) });
  }

  /** With what the next commits need: a few shards for all of them take less time, and are searched faster, than some for each. */
  async #andOf(next: readonly string[], missing: readonly string[]): Promise<string[]> {
    const all = new Set(missing);
    for (const commit of next.slice(0, mostAhead)) {
      if (all.size > mostTogether) break;
      // Whoever wants it is told why it cannot be read.
      const tree = await this.#options.trees.readAhead(commit).catch(() => undefined);
      for (const blob of tree ? this.#missingIn(tree) : []) all.add(blob);
    }
    return [...all];
  }

  async #build(blobs: readonly string[], isUrgent: boolean): Promise<void> {
    const { name, log, shards } = this.#options;
    const started = performance.now();
    await shards.add(blobs, isUrgent);
    const milliseconds = Math.round(performance.now() - started);
    log.info({ repository: name, files: blobs.length, milliseconds }, 'files of a repository were indexed');
  }
}
