import type { Caller } from '@sextant/core';
import { isFileMode } from '@sextant/contracts';
import type { GitStore, StoredRepository } from '@sextant/contracts';
import { FairMutex, SingleFlight } from '@sextant/library-workers';
import { LRUCache } from 'lru-cache';
import { turn } from '../turn.ts';

/** A file of a commit. */
export interface TreeFile {
  /** Object id of its content. */
  readonly blob: string;
  readonly bytes: number;
}

/** Files of a commit by their paths, in the order of git; without symbolic links and submodules. */
export type Tree = ReadonlyMap<string, TreeFile>;

/** A commit that its caller has opened. */
interface Opened {
  readonly caller: Caller;
  readonly repo: string;
  readonly commit: string;
}

/** Some files of a commit that has too many to be kept. */
export interface SomeFiles {
  readonly files: Tree;
  /** In the whole commit. */
  readonly fileCount: number;
}

/** Trees of at most so many paths are listed and looked at by any number of calls at once. */
const mostAtOnce = 10_000;

/**
 * The trees of the commits that were asked for of late. It knows no caller: ask only for what one has opened. In memory are at most
 * the trees that are kept, and one more: whoever lists a tree, or looks at one of many paths, takes turns with others.
 */
export class Trees {
  readonly #store: GitStore;
  readonly #mostPaths: number;
  readonly #trees: LRUCache<string, Tree | 'large'>;
  /** Paths that are wanted of listings that have not begun. */
  readonly #wanted = new Map<string, Set<string>>();
  readonly #searches = new SingleFlight<ReadonlySet<string>, SomeFiles>();
  readonly #turns = new FairMutex();

  constructor(store: GitStore, cachedPaths: number) {
    this.#store = store;
    this.#mostPaths = cachedPaths - 1;
    this.#trees = new LRUCache({
      maxSize: cachedPaths,
      sizeCalculation: (tree) => (tree === 'large' ? 1 : tree.size + 1),
    });
  }

  forget(): void {
    this.#trees.clear();
  }

  /** What `look` answers of the whole tree, which it must not keep; undefined where that has more paths than are kept: see `some`. */
  async whole<T>(opened: Opened, look: (tree: Tree) => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    const key = keyOf(opened);
    const known = this.#trees.get(key) ?? (await this.#list(opened, Math.min(mostAtOnce, this.#mostPaths), signal));
    if (known !== 'large' && known.size <= mostAtOnce) {
      this.#trees.set(key, known);
      return look(known);
    }
    return this.#turns.run(opened.caller.user.id, signal, async () => {
      const tree = this.#trees.get(key) ?? (await this.#list(opened, this.#mostPaths, signal));
      this.#trees.set(key, tree);
      return tree === 'large' ? undefined : look(tree);
    });
  }

  /** Those of the paths that are files of a commit of any size. Who asks before the listing begins shares it. */
  async some(opened: Opened, paths: readonly string[], signal: AbortSignal): Promise<SomeFiles> {
    signal.throwIfAborted();
    const key = keyOf(opened);
    const wanted = this.#wanted.get(key) ?? new Set();
    const close = (): void => {
      if (this.#wanted.get(key) === wanted) this.#wanted.delete(key);
    };
    this.#wanted.set(key, wanted);
    for (const path of paths) wanted.add(path);
    const { files, fileCount } = await this.#searches.run(wanted, signal, (ending) =>
      this.#turns
        .run(opened.caller.user.id, ending, async () => {
          // Whoever asks at the same time joins it; who comes once it runs needs another.
          await Promise.resolve();
          close();
          return this.#search(opened, wanted, ending);
        })
        .finally(close),
    );
    // Others asked for other paths.
    const own = paths.flatMap((path): [string, TreeFile][] => {
      const file = files.get(path);
      return file ? [[path, file]] : [];
    });
    return { files: new Map(own), fileCount };
  }

  async #list({ repo, commit }: Opened, mostPaths: number, signal: AbortSignal): Promise<Tree | 'large'> {
    const tree = new Map<string, TreeFile>();
    for await (const entries of (await storedIn(this.#store, repo)).tree(commit, { wantsSizes: true, signal }))
      for (const { mode, id, size, path } of entries) {
        if (isFileMode(mode)) tree.set(path, { blob: id, bytes: size });
        if (tree.size > mostPaths) return 'large';
      }
    return tree;
  }

  async #search({ repo, commit }: Opened, wanted: ReadonlySet<string>, signal: AbortSignal): Promise<SomeFiles> {
    const blobs = new Map<string, string>();
    let fileCount = 0;
    const repository = await storedIn(this.#store, repo);
    for await (const entries of repository.tree(commit, { signal })) {
      await turn.share();
      for (const { mode, id, path } of entries) {
        if (!isFileMode(mode)) continue;
        fileCount += 1;
        if (wanted.has(path)) blobs.set(path, id);
      }
    }
    const ids = [...new Set(blobs.values())];
    const told = await repository.sizes(ids, signal);
    const sizes = new Map(ids.map((id, at) => [id, told[at]]));
    // A blob that is not there has no size, and is not read.
    const files = [...blobs].map(([path, blob]): [string, TreeFile] => [path, { blob, bytes: sizes.get(blob) || 0 }]);
    return { files: new Map(files), fileCount };
  }
}

const keyOf = ({ repo, commit }: Opened): string => `${repo}\0${commit}`;

/** Throws `unavailable` where the repository has gone. */
export async function storedIn(store: GitStore, repo: string): Promise<StoredRepository> {
  const repository = await store.find(repo);
  if (!repository) throw await store.whyAbsent(repo);
  return repository;
}
