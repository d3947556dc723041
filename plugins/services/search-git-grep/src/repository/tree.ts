import { text } from 'node:stream/consumers';
import { LRUCache } from 'lru-cache';
import type { StoredRepository } from '@sextant/contracts';

/** A file of a commit. */
export interface TreeFile {
  readonly path: string;
  /** Object id; undefined for a symbolic link, whose target is no text of the repository. */
  readonly blob: string | undefined;
  readonly bytes: number;
}

/** Files of the commits that are remembered, all together. */
const filesKept = 300_000;

/** The files of commits, of which the last ones are remembered: a commit never changes. */
export class Trees {
  readonly #known = new LRUCache<string, readonly TreeFile[]>({
    maxSize: filesKept,
    sizeCalculation: ({ length }) => length + 1,
  });

  async files(repository: StoredRepository, commit: string, signal: AbortSignal): Promise<readonly TreeFile[]> {
    const key = `${repository.name} ${commit}`;
    const known = this.#known.get(key);
    if (known) return known;
    const files = await listFiles(repository, commit, signal);
    this.#known.set(key, files);
    return files;
  }
}

/** In the order of git. Submodules are left out: their files are in repositories of their own. */
async function listFiles(repository: StoredRepository, commit: string, signal: AbortSignal): Promise<TreeFile[]> {
  const args = ['ls-tree', '-r', '-z', '-l', '--full-tree', '--end-of-options', commit];
  const entries = (await text(repository.stream({ args, signal }))).split('\0').slice(0, -1);
  return entries.flatMap((entry) => {
    const tab = entry.indexOf('\t');
    const [mode = '', type, id, size] = entry.slice(0, tab).split(/ +/);
    if (type !== 'blob') return [];
    return [{ path: entry.slice(tab + 1), blob: mode.startsWith('100') ? id : undefined, bytes: Number(size) }];
  });
}
