import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { isSextantError } from '@sextant/core';
import type { ListTree, RunGit } from '../indexing/git-in.ts';
import type { Objects } from '../shards/objects.ts';
import { changedListing } from './changed-listing.ts';
import { commitFile, isCommitFile, readCommitFile, writeCommitFile } from './commit-files.ts';
import { partialTree } from './partial-tree.ts';
import { changesBetween, hasSize } from './tree-changes.ts';
import type { Change } from './tree-changes.ts';
import { readTree } from './tree.ts';
import type { Tree } from './tree.ts';

/** Trees that were read ahead wait for as many commits as this. */
export const mostAhead = 16;
/** So many folders that differ take less time than a listing of all files; where there are many files a folder takes as long as so many of them. */
const [leastFolders, filesOfFolder] = [200, 100];

export interface StoredTreesOptions {
  readonly folder: string;
  readonly git: RunGit;
  readonly list: ListTree;
  readonly objects: Pick<Objects, 'sizes' | 'content'>;
  /** Called when a tree could not be kept: it will be asked for again. */
  readonly onFailure: (error: unknown) => void;
}

/** What is different in a commit, with the sizes of its new blobs as far as they are there. */
export interface Differences {
  readonly changes: readonly Change[];
  readonly sizes: ReadonlyMap<string, number>;
}

/** The trees of commits. Those of branches are kept, so that a start asks git for nothing that was known; they can be lost at any time. */
export class StoredTrees {
  readonly #options: StoredTreesOptions;
  /** What was read last. */
  #last: CommitListing | undefined;
  #expected: string | undefined;
  /** What was read of commits that are laid soon. */
  readonly #ahead = new Map<string, Promise<Buffer>>();

  constructor(options: StoredTreesOptions) {
    this.#options = options;
  }

  /** The next tree may be made of that of this commit: it need not be read before. */
  expect(commit: string): void {
    this.#expected = commit;
  }

  /** Whether what was read last is all of a commit, and nothing is missing. */
  isWhole(commit: string): boolean {
    return this.#last?.commit === commit;
  }

  /** Whether git still has a commit and its tree. */
  async isThere(commit: string): Promise<boolean> {
    return buffer(this.#options.git(['cat-file', '-e', `${commit}^{tree}`])).then(
      () => true,
      () => false,
    );
  }

  /** Of a commit that will be read again soon. */
  async readAhead(commit: string): Promise<Tree> {
    const tree = await this.read(commit, { isKept: false });
    if (this.#last?.commit === commit && this.#ahead.size < mostAhead) this.#ahead.set(commit, this.#last.packed);
    return tree;
  }

  async read(commit: string, { isKept }: { isKept: boolean }): Promise<Tree> {
    const known = (isKept ? undefined : await this.#inMemory(commit)) ?? (await this.#known(commit));
    if (known) return known;
    const listed = (await this.#changed(commit)) ?? (await this.#listed(commit));
    if (!('tree' in listed)) return this.#partial(commit, listed.error);
    const { tree, packed } = listed;
    // Nobody waits for it where it is not kept.
    this.#last = { commit, packed };
    if (isKept) await writeCommitFile(this.#path(commit), await packed).catch(this.#options.onFailure);
    return tree;
  }

  /** What git prints, or why it does not. */
  #listed(commit: string): Promise<PackedTree | { readonly error: unknown }> {
    return packedTree(this.#options.list(commit, { wantsSizes: true })).catch((error: unknown) => ({ error }));
  }

  /** It may be that something is missing. Where that does not help either, the first error says more. */
  async #partial(commit: string, error: unknown): Promise<Tree> {
    const { git, list } = this.#options;
    if (isSextantError(error) && error.code !== 'unavailable') throw error;
    return partialTree(git, list, commit).catch(() => {
      throw error;
    });
  }

  /** What differs between two commits, of which one has so many files. Throws where it is much, and where one of them is not there. */
  async differences(before: string, after: string, files: number): Promise<Differences> {
    const { objects } = this.#options;
    const mostFolders = Math.max(leastFolders, files / filesOfFolder);
    const changes = await changesBetween((id) => objects.content(id), { before, after, mostFolders });
    const ids = [...new Set(changes.filter(hasSize).map(({ id }) => id))];
    return { changes, sizes: await objects.sizes(ids) };
  }

  /** The same made of that of the commit before: git opens every file to tell its size. Undefined where that cannot be. */
  async #changed(commit: string): Promise<PackedTree | undefined> {
    try {
      const before = this.#last ?? (await this.#kept(this.#expected));
      if (!before) return undefined;
      const { changes, sizes } = await this.differences(before.commit, commit, 0);
      return await packedTree(changedListing(unpacked(await before.packed), changes, sizes));
    } catch {
      // The commit before may be gone, or what is new not there: the whole listing tells.
      return undefined;
    }
  }

  /** Removes what is kept of all but some commits. */
  async keepOnly(commits: ReadonlySet<string>): Promise<void> {
    const { folder } = this.#options;
    // Of a repository without a commit there is no folder.
    const names = await readdir(folder).catch(() => []);
    const others = names.filter((name) => isCommitFile(name) && !commits.has(name.split('.', 1)[0] ?? ''));
    for (const name of others) await rm(join(folder, name), { force: true });
  }

  async #inMemory(commit: string): Promise<Tree | undefined> {
    const packed = this.#ahead.get(commit) ?? (this.#last?.commit === commit ? this.#last.packed : undefined);
    this.#ahead.delete(commit);
    if (!packed) return undefined;
    this.#last = { commit, packed };
    return readTree(unpacked(await packed));
  }

  /** Undefined where nothing was kept, or it is damaged. */
  async #known(commit: string): Promise<Tree | undefined> {
    const kept = await this.#kept(commit);
    // Another version may have packed it otherwise.
    const tree = kept && (await readTree(unpacked(await kept.packed)).catch(() => undefined));
    if (tree) this.#last = kept;
    return tree;
  }

  async #kept(commit: string | undefined): Promise<CommitListing | undefined> {
    const packed = commit === undefined ? undefined : await readCommitFile(this.#path(commit));
    return commit !== undefined && packed ? { commit, packed: Promise.resolve(packed) } : undefined;
  }

  #path(commit: string): string {
    return commitFile(this.#options.folder, commit, 'tree');
  }
}

/** What git lists of a commit, packed. */
interface CommitListing {
  readonly commit: string;
  readonly packed: Promise<Buffer>;
}

interface PackedTree extends Pick<CommitListing, 'packed'> {
  readonly tree: Tree;
}

/** Reads a listing and packs it while it comes: a few objects can have millions of paths, which pack to almost nothing. */
async function packedTree(listing: AsyncIterable<Uint8Array>): Promise<PackedTree> {
  const packing = createZstdCompress();
  const packed = buffer(packing);
  // Whoever needs it is told.
  packed.catch(() => undefined);
  const passing = async function* (): AsyncGenerator<Uint8Array, void, void> {
    for await (const piece of listing) {
      if (!packing.write(piece)) await once(packing, 'drain');
      yield piece;
    }
    packing.end();
  };
  try {
    return { tree: await readTree(passing()), packed };
  } catch (error) {
    packing.destroy();
    throw error;
  }
}

function unpacked(packed: Buffer): AsyncIterable<Buffer> {
  const unpacking = createZstdDecompress();
  unpacking.end(packed);
  return unpacking;
}
