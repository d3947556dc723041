import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isBlobMode } from '@sextant/contracts';
import type { ChangedEntry } from '@sextant/contracts';
import { commitFile, isCommitFile, readCommitFile, writeCommitFile } from './commit-files.ts';
import type { RepositoryReader } from '../indexing/repository-reader.ts';
import { changedTree } from './tree-changes.ts';
import { isWhole, packTree, readTree, unpackTree } from './tree.ts';
import type { Tree } from './tree.ts';

/** Trees that were read ahead wait for as many commits as this. */
export const mostAhead = 16;
/** Differences of two commits that are looked at one by one; where there are more, all files are listed. */
const mostChanges = 20_000;

export interface StoredTreesOptions {
  readonly folder: string;
  readonly reader: Pick<RepositoryReader, 'tree' | 'changes' | 'sizes'>;
  /** Called when a tree could not be kept: it will be asked for again. */
  readonly onFailure: (error: unknown) => void;
}

/** The changes of a commit, with the sizes of its new blobs as far as they are present. */
export interface Differences {
  readonly changes: readonly ChangedEntry[];
  readonly sizes: ReadonlyMap<string, number>;
}

/** The trees of commits. Those of branches are stored, so that a start need not ask git. They can be lost at any time. */
export class StoredTrees {
  readonly #options: StoredTreesOptions;
  /** What was read last. */
  #last: PackedTree | undefined;
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

  /** Of a commit that will be read again soon. */
  async readAhead(commit: string): Promise<Tree> {
    const tree = await this.read(commit, { isKept: false });
    if (this.#last?.commit === commit && this.#ahead.size < mostAhead) this.#ahead.set(commit, this.#last.packed);
    return tree;
  }

  async read(commit: string, { isKept }: { isKept: boolean }): Promise<Tree> {
    const known = (isKept ? undefined : await this.#inMemory(commit)) ?? (await this.#known(commit));
    if (known) return known;
    const tree = (await this.#changed(commit)) ?? (await readTree(this.#options.reader.tree(commit)));
    // What is missing now may be there next time.
    if (!isWhole(tree)) return tree;
    const packed = packTree(tree);
    // Nobody waits for it where it is not kept.
    packed.catch(() => undefined);
    this.#last = { commit, packed };
    if (isKept) await writeCommitFile(this.#path(commit), await packed).catch(this.#options.onFailure);
    return tree;
  }

  /** What differs between two commits. Throws where it is much, and where one of them is not there. */
  async differences(before: string, after: string): Promise<Differences> {
    const { reader } = this.#options;
    const changes: ChangedEntry[] = [];
    for await (const some of reader.changes(before, after)) {
      changes.push(...some);
      if (changes.length > mostChanges) throw new RangeError('too many files differ');
    }
    const ids = [...new Set(changes.filter(({ mode }) => isBlobMode(mode)).map(({ id }) => id))];
    return { changes, sizes: await reader.sizes(ids) };
  }

  /** The tree made of that of the commit before: to list all files takes longer. Undefined where that cannot be. */
  async #changed(commit: string): Promise<Tree | undefined> {
    try {
      const before = this.#last ?? (await this.#kept(this.#expected));
      if (!before) return undefined;
      const { changes, sizes } = await this.differences(before.commit, commit);
      const tree = changedTree(await unpackTree(await before.packed), changes, sizes);
      return tree && isWhole(tree) ? tree : undefined;
    } catch {
      // The commit before may be gone, or what is new not there: the whole listing tells.
      return undefined;
    }
  }

  /** Removes what is kept of all but some commits. */
  async keepOnly(commits: ReadonlySet<string>): Promise<void> {
    const { folder } = this.#options;
    // A repository without a commit has no folder.
    const names = await readdir(folder).catch(() => []);
    const others = names.filter((name) => isCommitFile(name) && !commits.has(name.split('.', 1)[0] ?? ''));
    for (const name of others) await rm(join(folder, name), { force: true });
  }

  async #inMemory(commit: string): Promise<Tree | undefined> {
    const packed = this.#ahead.get(commit) ?? (this.#last?.commit === commit ? this.#last.packed : undefined);
    this.#ahead.delete(commit);
    if (!packed) return undefined;
    this.#last = { commit, packed };
    return unpackTree(await packed);
  }

  /** Undefined where nothing was kept, or it is damaged. */
  async #known(commit: string): Promise<Tree | undefined> {
    const kept = await this.#kept(commit);
    // Another version may have packed it otherwise.
    const tree = kept && (await unpackTree(await kept.packed).catch(() => undefined));
    if (tree) this.#last = kept;
    return tree;
  }

  async #kept(commit: string | undefined): Promise<PackedTree | undefined> {
    const packed = commit === undefined ? undefined : await readCommitFile(this.#path(commit));
    return commit !== undefined && packed ? { commit, packed: Promise.resolve(packed) } : undefined;
  }

  #path(commit: string): string {
    return commitFile(this.#options.folder, commit, 'files');
  }
}

interface PackedTree {
  readonly commit: string;
  readonly packed: Promise<Buffer>;
}
