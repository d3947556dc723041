import { isFileMode } from '@sextant/contracts';
import type { StoredRepository } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';

/** A path of a commit. */
export interface CommitFile {
  readonly path: string;
  /** Undefined for what has no text: a link, a submodule, a file that is too large or missing. */
  readonly blob: string | undefined;
  readonly bytes: number;
}

/** Paths of all lists that stay in memory. */
const mostPaths = 2_000_000;

/** The files of commits; those that were asked for last stay in memory. */
export class CommitFiles {
  readonly #known = new LRUCache<string, readonly CommitFile[]>({ maxSize: mostPaths });
  readonly #maxFileBytes: number;

  constructor(maxFileBytes: number) {
    this.#maxFileBytes = maxFileBytes;
  }

  /** In the order of git. */
  async of(repository: StoredRepository, commit: string, signal: AbortSignal): Promise<readonly CommitFile[]> {
    const known = this.#known.get(commit);
    if (known) return known;
    const files: CommitFile[] = [];
    for await (const entries of repository.tree(commit, { wantsSizes: true, signal }))
      for (const { mode, id, size, path } of entries) {
        const hasText = isFileMode(mode) && size <= this.#maxFileBytes;
        files.push({ path, blob: hasText ? id : undefined, bytes: hasText ? size : 0 });
      }
    this.#known.set(commit, files, { size: files.length + 1 });
    return files;
  }
}
