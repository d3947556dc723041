import { SextantError } from '@sextant/core';
import type { GitStore } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';
import { FileTree } from './file-tree.ts';

/** The trees of the commits that were asked for of late. It knows no caller: ask only for what one has opened. */
export class FileTrees {
  readonly #store: GitStore;
  readonly #trees: LRUCache<string, FileTree>;

  constructor(store: GitStore, cachedPaths: number) {
    this.#store = store;
    this.#trees = new LRUCache({ maxSize: cachedPaths, sizeCalculation: ({ size }) => size + 1 });
  }

  /** `share` is awaited between pieces of the tree. */
  async read(
    repo: string,
    commit: string,
    { signal, share }: { readonly signal: AbortSignal; share(): Promise<void> },
  ): Promise<FileTree> {
    const key = `${repo}\0${commit}`;
    const known = this.#trees.get(key);
    if (known) return known;
    const repository = this.#store.find(repo);
    if (!repository) throw new SextantError('unavailable', `repository "${repo}" cannot be read now; try again later`);
    const tree = new FileTree();
    for await (const piece of repository.tree(commit, { signal })) {
      await share();
      tree.add(piece);
    }
    this.#trees.set(key, tree);
    return tree;
  }
}
