import { SextantError } from '@sextant/core';
import type { GitStore } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';

/** The files of a commit with the ids of their contents. */
export interface FileTree {
  readonly blobs: ReadonlyMap<string, string>;
  /** Paths of the files directly in each folder. */
  readonly folders: ReadonlyMap<string, readonly string[]>;
  readonly named: ReadonlyMap<string, readonly string[]>;
}

const tab = 9;

/** The trees of the commits that were asked for of late. It knows no caller: ask only for what one has opened. */
export class FileTrees {
  readonly #store: GitStore;
  readonly #trees: LRUCache<string, FileTree>;

  constructor(store: GitStore, cachedPaths: number) {
    this.#store = store;
    this.#trees = new LRUCache({ maxSize: cachedPaths, sizeCalculation: ({ blobs }) => blobs.size + 1 });
  }

  async read(repo: string, commit: string, signal: AbortSignal): Promise<FileTree> {
    const key = `${repo}\0${commit}`;
    const known = this.#trees.get(key);
    if (known) return known;
    const repository = this.#store.find(repo);
    if (!repository) throw new SextantError('unavailable', `repository "${repo}" cannot be read now; try again later`);
    const pieces: Uint8Array[] = [];
    const args = ['ls-tree', '-r', '-z', '--full-tree', '--end-of-options', commit];
    for await (const piece of repository.stream({ args, signal })) pieces.push(piece);
    const tree = parse(Buffer.concat(pieces));
    this.#trees.set(key, tree);
    return tree;
  }
}

/** Symbolic links and submodules are left out. */
function parse(output: Buffer): FileTree {
  const blobs = new Map<string, string>();
  const folders = new Map<string, string[]>();
  const named = new Map<string, string[]>();
  for (let at = 0; at < output.length; ) {
    const middle = output.indexOf(tab, at);
    const end = output.indexOf(0, middle);
    const [mode = '', , id = ''] = output.toString('latin1', at, middle).split(' ');
    const path = output.toString('utf8', middle + 1, end);
    if (mode.startsWith('100')) {
      const slash = path.lastIndexOf('/');
      blobs.set(path, id);
      append(folders, path.slice(0, Math.max(0, slash)), path);
      append(named, path.slice(slash + 1), path);
    }
    at = end + 1;
  }
  return { blobs, folders, named };
}

function append(lists: Map<string, string[]>, key: string, path: string): void {
  const list = lists.get(key);
  if (list) list.push(path);
  else lists.set(key, [path]);
}
