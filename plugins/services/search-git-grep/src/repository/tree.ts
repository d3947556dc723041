import { isSextantError, SextantError } from '@sextant/core';
import { LRUCache } from 'lru-cache';
import { isFileMode, treeEntries } from '@sextant/contracts';
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
    const files = await listFiles(repository, commit, signal).catch((error: unknown) => {
      throw isSextantError(error) && error.code === 'too_large' ? asUnavailable(error) : error;
    });
    this.#known.set(key, files);
    return files;
  }
}

/** A search of many goes on without a repository that has too much. */
const asUnavailable = (error: SextantError): SextantError =>
  new SextantError('unavailable', error.message, { cause: error });

/** In the order of git. Submodules are left out: their files are in repositories of their own. */
async function listFiles(repository: StoredRepository, commit: string, signal: AbortSignal): Promise<TreeFile[]> {
  const files: TreeFile[] = [];
  for await (const piece of repository.tree(commit, { wantsSizes: true, signal }))
    for (const { type, mode, id, size, path } of treeEntries(piece))
      if (type === 'blob') files.push({ path, blob: isFileMode(mode) ? id : undefined, bytes: size });
  return files;
}
