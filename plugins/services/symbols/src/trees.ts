import { SextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { GitStore } from '@sextant/contracts';
import { FairMutex } from '@sextant/library-workers';
import { LRUCache } from 'lru-cache';
import { FileTree } from './file-tree.ts';

/** Trees of at most so many paths are listed by any number of calls at once. */
const mostAtOnce = 10_000;

interface Reading {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Awaited between batches of the tree. */
  share(): Promise<void>;
}

/** The trees of the commits that were asked for of late. It knows no caller: ask only for what one has opened. */
export class FileTrees {
  readonly #store: GitStore;
  readonly #trees: LRUCache<string, FileTree>;
  readonly #turns = new FairMutex();

  constructor(store: GitStore, cachedPaths: number) {
    this.#store = store;
    // One that is larger is kept alone: many calls at once would each have their own.
    this.#trees = new LRUCache({
      maxSize: cachedPaths,
      sizeCalculation: ({ size }) => Math.min(size + 1, cachedPaths),
    });
  }

  /** Calls that need a large tree at the same time share it: one is listed at a time. */
  async read(repo: string, commit: string, reading: Reading): Promise<FileTree> {
    const key = `${repo}\0${commit}`;
    const known = this.#trees.get(key);
    if (known) return known;
    const small = new FileTree();
    if (await this.#fill(small, { repo, commit, ...reading }, mostAtOnce)) return this.#keep(key, small);
    return this.#turns.run(reading.caller.user.id, reading.signal, async () => {
      const shared = this.#trees.get(key);
      if (shared) return shared;
      const tree = new FileTree();
      await this.#fill(tree, { repo, commit, ...reading }, Infinity);
      return this.#keep(key, tree);
    });
  }

  #keep(key: string, tree: FileTree): FileTree {
    this.#trees.set(key, tree);
    return tree;
  }

  /** Whether the commit has no more paths than that. */
  async #fill(
    tree: FileTree,
    { repo, commit, signal, share }: Reading & { readonly repo: string; readonly commit: string },
    mostPaths: number,
  ): Promise<boolean> {
    const repository = this.#store.find(repo);
    if (!repository) throw new SextantError('unavailable', `repository "${repo}" cannot be read now; try again later`);
    for await (const entries of repository.tree(commit, { signal })) {
      await share();
      tree.add(entries);
      if (tree.size > mostPaths) return false;
    }
    return true;
  }
}
