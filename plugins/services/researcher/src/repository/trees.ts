import { buffer } from 'node:stream/consumers';
import { SextantError } from '@sextant/core';
import { isFileMode, treeEntries } from '@sextant/contracts';
import type { GitStore, StoredRepository } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';

/** A file of a commit. */
export interface TreeFile {
  /** Object id of its content. */
  readonly blob: string;
  readonly bytes: number;
}

/** Files of a commit by their paths, in the order of git; without symbolic links and submodules. */
export type Tree = ReadonlyMap<string, TreeFile>;

/** The trees of the commits that were asked for of late. It knows no caller: ask only for what one has opened. */
export class Trees {
  readonly #store: GitStore;
  readonly #trees: LRUCache<string, Tree>;

  constructor(store: GitStore, cachedPaths: number) {
    this.#store = store;
    this.#trees = new LRUCache({ maxSize: cachedPaths, sizeCalculation: ({ size }) => size + 1 });
  }

  async read(repo: string, commit: string, signal: AbortSignal): Promise<Tree> {
    const key = `${repo}\0${commit}`;
    const known = this.#trees.get(key);
    if (known) return known;
    const tree = new Map<string, TreeFile>();
    for await (const piece of storedIn(this.#store, repo).tree(commit, { wantsSizes: true, signal }))
      for (const { mode, id, size, path } of treeEntries(piece))
        if (isFileMode(mode)) tree.set(path, { blob: id, bytes: size });
    this.#trees.set(key, tree);
    return tree;
  }
}

/** What a git command that reads prints. Throws `unavailable` where the repository has gone. */
export async function outputOf(
  store: GitStore,
  repo: string,
  command: { args: readonly string[]; input?: Iterable<Uint8Array>; signal: AbortSignal },
): Promise<Buffer> {
  return buffer(storedIn(store, repo).stream(command));
}

function storedIn(store: GitStore, repo: string): StoredRepository {
  const repository = store.find(repo);
  if (!repository) throw new SextantError('unavailable', `repository "${repo}" cannot be read now; try again later`);
  return repository;
}
