import { isFileMode } from '@sextant/contracts';
import type { GitStore, ListedEntry } from '@sextant/contracts';
import type { Caller } from '@sextant/core';
import { FairMutex } from '@sextant/library-workers';
import { LRUCache } from 'lru-cache';
import { contentKey } from '../store/file-key.ts';

/** Trees of at most this many paths are listed at once. Larger ones wait for each other. */
const mostAtOnce = 10_000;

interface Reading {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Awaited between batches of the tree. */
  share(): Promise<void>;
}

/** An LRU cache of trees of commits. It checks no rights: callers ask only for commits that they have opened. */
export class FileTrees {
  readonly #store: GitStore;
  readonly #trees: LRUCache<string, FileTree>;
  readonly #turns = new FairMutex();

  constructor(store: GitStore, cachedPaths: number) {
    this.#store = store;
    // A tree larger than the cache is still cached, alone: otherwise each call would list its own.
    this.#trees = new LRUCache({
      maxSize: cachedPaths,
      sizeCalculation: ({ size }) => Math.min(size + 1, cachedPaths),
    });
  }

  /** Large trees are listed one at a time, so calls that need the same one share it. */
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

  /** Whether the commit has at most `mostPaths` paths. If not, the tree is incomplete. */
  async #fill(
    tree: FileTree,
    { repo, commit, signal, share }: Reading & { readonly repo: string; readonly commit: string },
    mostPaths: number,
  ): Promise<boolean> {
    const repository = await this.#store.find(repo);
    if (!repository) throw await this.#store.whyAbsent(repo);
    for await (const entries of repository.tree(commit, { signal })) {
      await share();
      tree.add(entries);
      if (tree.size > mostPaths) return false;
    }
    return true;
  }
}

/** The files of a commit with the ids of their contents. Symbolic links and submodules are left out. */
export class FileTree {
  readonly #blobs = new Map<string, string>();
  readonly #folders = new Map<string, string[]>();
  readonly #named = new Map<string, string[]>();
  readonly #derived = new Map<unknown, unknown>();
  readonly #byContent = new Map<string, string[]>();

  add(entries: readonly ListedEntry[]): void {
    for (const { mode, path, id } of entries) if (isFileMode(mode)) this.#add(path, id);
  }

  get size(): number {
    return this.#blobs.size;
  }

  get paths(): Iterable<string> {
    return this.#blobs.keys();
  }

  /** The id of a file's content. Undefined if there is no such file. */
  blobOf(path: string): string | undefined {
    return this.#blobs.get(path);
  }

  /** The `contentKey` of a file. Empty if there is no such file. */
  contentOf(path: string): string {
    const blob = this.#blobs.get(path);
    return blob === undefined ? '' : contentKey(blob);
  }

  inFolder(folder: string): readonly string[] {
    return this.#folders.get(folder) ?? [];
  }

  named(name: string): readonly string[] {
    return this.#named.get(name) ?? [];
  }

  /** The files with a content, by its `contentKey`. */
  withContent(key: string): readonly string[] {
    return this.#byContent.get(key) ?? [];
  }

  /** Memoizes what `make` derives from the tree. A failure is not memoized. */
  async derived<T>(key: unknown, make: () => Promise<T>): Promise<T> {
    // Each key has one maker, so the type is right.
    if (this.#derived.has(key)) return this.#derived.get(key) as T;
    const made = await make();
    this.#derived.set(key, made);
    return made;
  }

  #add(path: string, id: string): void {
    const slash = path.lastIndexOf('/');
    this.#blobs.set(path, id);
    append(this.#folders, path.slice(0, Math.max(0, slash)), path);
    append(this.#named, path.slice(slash + 1), path);
    append(this.#byContent, contentKey(id), path);
  }
}

function append(lists: Map<string, string[]>, key: string, path: string): void {
  const list = lists.get(key);
  if (list) list.push(path);
  else lists.set(key, [path]);
}
