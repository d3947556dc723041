import { SextantError } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { changedFiles } from './changed-files.ts';
import type { LaidBefore, LaidCommit } from './changed-files.ts';
import { layFiles } from './laid-files.ts';
import type { LaidFiles } from './laid-files.ts';
import { movedFiles } from './moved-files.ts';
import type { RepositoryShards } from '../shards/repository-shards.ts';
import { StoredViews } from './stored-views.ts';
import { mostAhead } from './stored-trees.ts';
import type { Differences, StoredTrees } from './stored-trees.ts';
import { treeOf } from './tree-changes.ts';
import { isWhole } from './tree.ts';
import type { Tree } from './tree.ts';
import type { RepositoryReader } from '../indexing/repository-reader.ts';
import { wantedBlobs } from './wanted-blobs.ts';

/** A tree of more files is read again after its text was built: many repositories wait for that at once. */
const mostHeld = 100_000;

/** Once there are more blobs than this they are built without those of further commits. */
const mostTogether = 16_384;

export interface LaidCommitsOptions {
  /** Of the repository. */
  readonly name: string;
  readonly folder: string;
  readonly shards: RepositoryShards;
  readonly trees: StoredTrees;
  readonly reader: Pick<RepositoryReader, 'isThere'>;
  readonly maxFileBytes: number;
  readonly maxTextBytes: number;
  readonly log: Logger;
  /** Called when the files of a commit could not be kept: they will be laid again. */
  readonly onFailure: (error: unknown) => void;
}

interface Laid {
  readonly files: LaidFiles;
  /** Whether nothing of the commit is missing, as far as git tells. */
  readonly isWhole: boolean;
}

interface LayingCommit {
  /** Where it is given somebody waits: the commit is another than that of a branch, which is not asked for after a start, and these are to be laid after it. */
  readonly next?: readonly string[] | undefined;
  /** Commits that were laid before, the last first. */
  readonly before: readonly LaidCommit[];
}

/** The files of commits over the shards of a repository: as they were kept, or laid now. */
export class LaidCommits {
  readonly #options: LaidCommitsOptions;
  readonly #stored: StoredViews;

  constructor(options: LaidCommitsOptions) {
    this.#options = options;
    this.#stored = new StoredViews(options);
  }

  async lay(commit: string, { next, before }: LayingCommit): Promise<Laid & { isKept: boolean }> {
    const { shards, trees } = this.#options;
    await shards.load();
    const kept = await this.#stored.read(commit, shards.set);
    if (kept) {
      trees.expect(commit);
      return { files: kept, isWhole: true, isKept: true };
    }
    const changed = await this.#changeLast(commit, { next, before });
    const laid = changed ? { files: changed, isWhole: true } : await this.#layNow(commit, next);
    // What git lacks is asked for again after the next start.
    if (!next && laid.isWhole) await this.keep({ commit, files: laid.files });
    return { ...laid, isKept: !next };
  }

  /** Where that fails they are laid again after a start. */
  async keep({ commit, files }: { commit: string; files: LaidFiles }): Promise<void> {
    await this.#stored.keep(commit, files).catch(this.#options.onFailure);
  }

  /** What is not indexed of it is indexed now: all that differs from what was laid before, if that is little and makes up the commit. */
  async #changeLast(commit: string, { next, before }: LayingCommit): Promise<LaidFiles | undefined> {
    const { shards, trees } = this.#options;
    // Those of many commits are read ahead.
    if (next && next.length > 0) return undefined;
    for (const each of before.length > 0 ? before : await this.#stored.newest(shards.set)) {
      // It may be much, or the other commit may be gone.
      const differences = await trees.differences(each.commit, commit).catch(() => undefined);
      const files = differences && (await this.#change(each.files, differences, next !== undefined));
      if (files) return files;
    }
    return undefined;
  }

  async #change(
    before: LaidBefore,
    { changes, sizes }: Differences,
    isUrgent: boolean,
  ): Promise<LaidFiles | undefined> {
    const { shards, maxFileBytes } = this.#options;
    const missing = await this.#missingIn(treeOf(changes, sizes));
    if (missing.length > 0) await this.#build(missing, isUrgent);
    const moved = movedFiles(before, shards.set);
    return moved && changedFiles(moved, changes, { shards: shards.set, maxFileBytes, sizes });
  }

  /** What is not indexed of it is indexed now. */
  async #layNow(commit: string, next: readonly string[] | undefined): Promise<Laid> {
    const { shards, trees, reader, maxFileBytes } = this.#options;
    const { tree: held, missing } = await this.#read(commit, next === undefined);
    if (missing.length > 0) await this.#build(next ? await this.#andOf(next, missing) : missing, next !== undefined);
    const tree = held ?? (await trees.read(commit, { isKept: false }));
    const hasAll = isWhole(tree) && missing.every((blob) => shards.set.isKnown(blob));
    // Of a history that was rewritten blobs are removed while they are read: to find nothing in them would be no answer.
    if (!hasAll && !(await reader.isThere(commit))) throw this.#gone(commit);
    const files = await layFiles(tree, { shards: shards.set, maxFileBytes });
    return { files, isWhole: hasAll };
  }

  /** The tree itself only where it is not large. */
  async #read(commit: string, isKept: boolean): Promise<{ tree: Tree | undefined; missing: string[] }> {
    const tree = await this.#options.trees.read(commit, { isKept });
    const missing = await this.#missingIn(tree);
    const isHeld = missing.length === 0 || tree.paths.length <= mostHeld;
    return { tree: isHeld ? tree : undefined, missing };
  }

  #gone(commit: string): SextantError {
    const { name } = this.#options;
    return new SextantError(
      'unavailable',
      `repository "${name}" no longer has commit ${commit}; search another revision`,
    );
  }

  async #missingIn(tree: Tree): Promise<string[]> {
    const { shards, maxFileBytes } = this.#options;
    const missing = await wantedBlobs([tree], { maxFileBytes, isWanted: (blob) => !shards.set.isKnown(blob) });
    this.#checkText(tree, missing);
    return missing;
  }

  /** Blobs pack well: what is small in git may be more text than fits on the disk. */
  #checkText({ blobs, sizes }: Tree, missing: readonly string[]): void {
    const { name, maxTextBytes } = this.#options;
    const left = new Set(missing);
    let bytes = 0;
    for (const [file, blob] of blobs.entries()) {
      if (left.size === 0) break;
      if (blob !== undefined && left.delete(blob)) bytes += sizes[file] || 0;
    }
    if (bytes > maxTextBytes)
      throw new SextantError(
        'too_large',
        `repository "${name}" has ${bytes} bytes of text to index at once, and at most ${maxTextBytes} are; ask for single files and folders, or let the operator raise maxTextBytes of service-search-index`,
      );
  }

  /** With what the next commits need: a few shards for all of them take less time, and are searched faster, than some for each. */
  async #andOf(next: readonly string[], missing: readonly string[]): Promise<string[]> {
    const all = new Set(missing);
    for (const commit of next.slice(0, mostAhead)) {
      if (all.size > mostTogether) break;
      // Whoever wants it is told why it cannot be read.
      const tree = await this.#options.trees.readAhead(commit).catch(() => undefined);
      for (const blob of tree ? await this.#missingIn(tree) : []) all.add(blob);
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
