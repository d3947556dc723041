import { buffer } from 'node:stream/consumers';
import { SextantError } from '@sextant/core';
import type { GitStore } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';

/** A file of a commit. */
export interface TreeFile {
  /** Object id of its content. */
  readonly blob: string;
  readonly bytes: number;
}

/** Files of a commit by their paths, in the order of git; without symbolic links and submodules. */
export type Tree = ReadonlyMap<string, TreeFile>;

const tab = 9;

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
    const args = ['ls-tree', '-r', '-l', '-z', '--full-tree', '--end-of-options', commit];
    const tree = parse(await outputOf(this.#store, repo, { args, signal }));
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
  const repository = store.find(repo);
  if (!repository) throw new SextantError('unavailable', `repository "${repo}" cannot be read now; try again later`);
  return buffer(repository.stream(command));
}

function parse(output: Buffer): Tree {
  const files = new Map<string, TreeFile>();
  for (let at = 0; at < output.length; ) {
    const middle = output.indexOf(tab, at);
    const end = output.indexOf(0, middle);
    const [mode = '', , blob = '', bytes = ''] = output.toString('latin1', at, middle).split(/ +/);
    if (mode.startsWith('100')) files.set(output.toString('utf8', middle + 1, end), { blob, bytes: Number(bytes) });
    at = end + 1;
  }
  return files;
}
