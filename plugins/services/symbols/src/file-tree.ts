import { isFileMode } from '@sextant/contracts';
import type { ListedEntry } from '@sextant/contracts';
import { contentKey } from './stored/file-key.ts';

/** The files of a commit with the ids of their contents. Symbolic links and submodules are left out. */
export class FileTree {
  readonly #blobs = new Map<string, string>();
  readonly #folders = new Map<string, string[]>();
  readonly #named = new Map<string, string[]>();
  readonly #derived = new Map<unknown, unknown>();
  readonly #byContent = new Map<string, string[]>();
  /** Of the files of folders that were asked for; a package is asked for again and again. */
  readonly #contents = new Map<string, string>();

  add(entries: readonly ListedEntry[]): void {
    for (const { mode, path, id } of entries) if (isFileMode(mode)) this.#add(path, id);
  }

  get size(): number {
    return this.#blobs.size;
  }

  get paths(): Iterable<string> {
    return this.#blobs.keys();
  }

  /** Undefined for what is no file. */
  blobOf(path: string): string | undefined {
    return this.#blobs.get(path);
  }

  /** The `contentKey` of a file; empty for what is none. */
  contentOf(path: string): string {
    const known = this.#contents.get(path);
    if (known !== undefined) return known;
    const blob = this.#blobs.get(path);
    const content = blob === undefined ? '' : contentKey(blob);
    if (blob !== undefined) this.#contents.set(path, content);
    return content;
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

  /** What is made of the tree, made once. What fails is tried again. */
  async derived<T>(key: unknown, make: () => Promise<T>): Promise<T> {
    // Each key has one maker.
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
