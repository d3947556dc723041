import { isFileMode } from '@sextant/contracts';
import type { GitStore, ListedEntry } from '@sextant/contracts';
import type { Caller, Turn } from '@sextant/core';
import { FairMutex, SingleFlight } from '@sextant/library-workers';
import { LRUCache } from 'lru-cache';
import { contentKey } from '../store/file-key.ts';

/** Trees of at most this many paths are listed at once. Larger ones wait for each other. */
const mostAtOnce = 10_000;

interface Listing {
  readonly repo: string;
  readonly commit: string;
  readonly owner: number;
  readonly signal: AbortSignal;
}

/** An LRU cache of trees of commits. It checks no rights: callers ask only for commits that they have opened. */
export class FileTrees {
  readonly #store: GitStore;
  readonly #trees: LRUCache<string, FileTree>;
  readonly #listings = new SingleFlight<string, FileTree>();
  readonly #large = new FairMutex();
  readonly #turn: Turn;

  constructor(store: GitStore, cachedPaths: number, turn: Turn) {
    this.#store = store;
    this.#turn = turn;
    // A tree larger than the cache is still cached, alone: otherwise each call would list its own.
    this.#trees = new LRUCache({
      maxSize: cachedPaths,
      sizeCalculation: ({ size }) => Math.min(size + 1, cachedPaths),
    });
  }

  forget(): void {
    this.#trees.clear();
  }

  /** Calls that need the same tree share one listing. Large trees are listed one at a time. */
  async read(
    caller: Caller,
    { repo, commit }: Pick<Listing, 'repo' | 'commit'>,
    signal: AbortSignal,
  ): Promise<FileTree> {
    const key = `${repo}\0${commit}`;
    const known = this.#trees.get(key);
    if (known) return known;
    return this.#listings.run(key, signal, async (ending) => {
      const listing = { repo, commit, owner: caller.user.id, signal: ending };
      const small = await this.#list(listing, mostAtOnce);
      const tree =
        small.size <= mostAtOnce ? small : await this.#large.run(listing.owner, ending, () => this.#list(listing));
      this.#trees.set(key, tree);
      return tree;
    });
  }

  /** Incomplete if it has more than `mostPaths` paths. */
  async #list({ repo, commit, owner, signal }: Listing, mostPaths = Infinity): Promise<FileTree> {
    const repository = await this.#store.find(repo);
    if (!repository) throw await this.#store.whyAbsent(repo);
    const tree = new FileTree();
    for await (const entries of repository.tree(commit, { signal })) {
      await this.#turn.share(owner);
      tree.add(entries);
      if (tree.size > mostPaths) break;
    }
    return tree;
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
