import { SextantError } from '@sextant/core';
import type { Logger } from '@sextant/core';
import type { RepositoryShards } from '../shards/repository-shards.ts';
import type { SharedIndex } from '../shards/shared-index.ts';
import { buildFiles, buildHandle, unsearchedFiles } from './build-snapshot.ts';
import type { SnapshotFiles } from './build-snapshot.ts';
import { commitFile } from '../shards/commit-files.ts';
import { Snapshot } from './snapshot.ts';
import type { SearchThreads, SnapshotCache } from './snapshot.ts';
import { StoredSnapshots } from './stored-snapshots.ts';
import type { RepositoryReader } from '../shards/repository-reader.ts';
import { isWhole, readTree, wantedBlobs } from './tree.ts';
import type { Tree } from './tree.ts';

/** A larger tree is read again after its text was indexed, rather than held: many repositories wait for that at the same time. */
const mostHeldFiles = 100_000;

/** A build adds the blobs of up to `mostAhead` commits that wait, until it has `mostTogether` blobs. */
const [mostAhead, mostTogether] = [16, 16_384];

export interface SnapshotBuilderOptions {
  /** Of the repository. */
  readonly name: string;
  readonly folder: string;
  readonly shards: RepositoryShards;
  readonly reader: Pick<RepositoryReader, 'tree' | 'isThere'>;
  readonly shared: SharedIndex;
  readonly cache: SnapshotCache;
  readonly threads: SearchThreads;
  readonly maxFileBytes: number;
  readonly maxTextBytes: number;
  readonly log: Logger;
  /** Called when a snapshot could not be stored: it will be built again after a start. */
  readonly onFailure: (error: unknown) => void;
  /** Called when the memory of a snapshot could not be released. */
  readonly onLeak: (error: unknown) => void;
}

interface CommitFiles {
  readonly files: SnapshotFiles;
  /** Whether nothing of the commit is missing, as far as git tells. */
  readonly isWhole: boolean;
  readonly isStored: boolean;
}

export interface SnapshotBuildOptions {
  /** Where a caller waits for a commit: the commits to be built after it. */
  readonly next?: readonly string[];
  /** Whether it is the commit of a branch, which the next start wants again. */
  readonly isBranch: boolean;
}

/**
 * Builds the snapshots of a repository's commits. The files of a snapshot are read where they are stored, else looked up one
 * by one. Text that no shard has is indexed before.
 */
export class SnapshotBuilder {
  readonly #options: SnapshotBuilderOptions;
  readonly #stored: StoredSnapshots;
  /** The snapshots whose memory is not released, retired ones among them. */
  readonly #unreleased = new Set<Snapshot>();

  constructor(options: SnapshotBuilderOptions) {
    this.#options = options;
    this.#stored = new StoredSnapshots(options);
  }

  get unreleased(): readonly Snapshot[] {
    return [...this.#unreleased];
  }

  /** Throws `too_large`, and `unavailable` where the commit is gone. */
  async build(commit: string, { next, isBranch }: SnapshotBuildOptions): Promise<Snapshot> {
    const { shared, threads, folder, cache, onLeak, onFailure } = this.#options;
    const { files, isWhole, isStored } = await this.#filesOf(commit, next);
    // What git lacks is asked for again after the next start.
    if (isBranch && isWhole && !isStored) await this.#stored.write(commit, files).catch(onFailure);
    const pathFile = isBranch && { file: commitFile(folder, commit, 'paths') };
    const paths = await shared.paths(folder, { text: files.text, ...pathFile });
    const handle = await buildHandle(files, paths);
    threads.add(handle);
    const { counts, firstMissing } = files;
    const snapshot = new Snapshot(
      { handle, counts, firstMissing, unsearched: unsearchedFiles(files, handle) },
      async () => {
        this.#unreleased.delete(snapshot);
        cache.leave(snapshot);
        await threads.forget(handle.id);
        await shared.release([paths.handle.address, paths.address]).catch(onLeak);
      },
    );
    this.#unreleased.add(snapshot);
    return snapshot;
  }

  async #filesOf(commit: string, next: readonly string[] | undefined): Promise<CommitFiles> {
    const { shards } = this.#options;
    await shards.load();
    const stored = await this.#stored.read(commit, shards.set);
    return stored ? { files: stored, isWhole: true, isStored: true } : this.#buildFromTree(commit, next);
  }

  #treeOf(commit: string): Promise<Tree> {
    return readTree(this.#options.reader.tree(commit));
  }

  /** Looks up every file of the commit. */
  async #buildFromTree(commit: string, next: readonly string[] | undefined): Promise<CommitFiles> {
    const { name, shards, reader, maxFileBytes } = this.#options;
    let tree: Tree | undefined = await this.#treeOf(commit);
    const missing = await this.#missingIn(tree);
    if (missing.length > 0 && tree.paths.length > mostHeldFiles) tree = undefined;
    await this.#index(next && missing.length > 0 ? await this.#withNext(missing, next) : missing, next !== undefined);
    tree ??= await this.#treeOf(commit);
    const hasAll = isWhole(tree) && missing.every((blob) => shards.set.isKnown(blob));
    // Blobs of a history that was rewritten may be removed while they are read. A snapshot without them would find nothing where there is something.
    if (!hasAll && !(await reader.isThere(commit)))
      throw new SextantError(
        'unavailable',
        `repository "${name}" no longer has commit ${commit}; search another revision`,
      );
    const files = await buildFiles(tree, { set: shards.set, maxFileBytes });
    return { files, isWhole: hasAll, isStored: false };
  }

  /** The blobs of a tree that are to be indexed. Throws `too_large` where they are too much text: blobs pack well, and may fill the disk. */
  async #missingIn(tree: Tree): Promise<string[]> {
    const { name, shards, maxFileBytes, maxTextBytes } = this.#options;
    const missing = await wantedBlobs([tree], { maxFileBytes, isWanted: (blob) => !shards.set.isKnown(blob) });
    const bytes = bytesOf(missing, tree);
    if (bytes > maxTextBytes)
      throw new SextantError(
        'too_large',
        `repository "${name}" has ${bytes} bytes of text to index at once, and at most ${maxTextBytes} are; ask for single files and folders, or let the operator raise maxTextBytes of service-search-index`,
      );
    return missing;
  }

  /** Adds what the next commits need: a few shards for all of them are built and searched faster than some for each. */
  async #withNext(missing: readonly string[], next: readonly string[]): Promise<string[]> {
    const all = new Set(missing);
    for (const commit of next.slice(0, mostAhead)) {
      if (all.size > mostTogether) break;
      // The callers that asked for that commit get the error.
      const tree = await this.#treeOf(commit).catch(() => undefined);
      for (const blob of tree ? await this.#missingIn(tree) : []) all.add(blob);
    }
    return [...all];
  }

  async #index(blobs: readonly string[], isUrgent: boolean): Promise<void> {
    if (blobs.length === 0) return;
    const { name, log, shards } = this.#options;
    const started = performance.now();
    await shards.add(blobs, isUrgent);
    const milliseconds = Math.round(performance.now() - started);
    log.info({ repository: name, files: blobs.length, milliseconds }, 'files of a repository were indexed');
  }
}

/** Bytes of some blobs of a tree. */
function bytesOf(some: readonly string[], { blobs, sizes }: Tree): number {
  const left = new Set(some);
  let bytes = 0;
  for (const [file, blob] of blobs.entries()) {
    if (left.size === 0) break;
    if (blob !== undefined && left.delete(blob)) bytes += sizes[file] || 0;
  }
  return bytes;
}
