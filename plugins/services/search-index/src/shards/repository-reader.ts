import { SextantError, isSextantError } from '@sextant/core';
import type { BlobBatch, BlobOptions, ListedEntry, StoredRepository, StoreRun } from '@sextant/contracts';

/** Contents of these blobs, in this order. */
export interface BlobOutput {
  readonly ids: readonly string[];
  readonly batches: AsyncIterable<BlobBatch>;
}

export interface RepositoryReaderOptions {
  /** The repository as it is now: asked for each time, because it may be replaced. */
  readonly repository: () => Promise<StoredRepository | undefined>;
  readonly maxFileBytes: number;
  readonly signal: AbortSignal;
  /** As it is when a read begins. */
  readonly state: { readonly isReady: boolean; readonly failure: unknown };
}

/** Reads a repository while it is indexed. Each read throws `unavailable` when the repository is no longer served. */
export class RepositoryReader {
  readonly #options: RepositoryReaderOptions;

  constructor(options: RepositoryReaderOptions) {
    this.#options = options;
  }

  /** With the sizes of files. */
  async *tree(commit: string): AsyncIterable<readonly ListedEntry[]> {
    yield* (await this.#served()).tree(commit, { wantsSizes: true, ...this.#run });
  }

  /** Contents of blobs that are not larger than is indexed. */
  blobs(ids: readonly string[]): BlobOutput {
    const options = { maxBytes: this.#options.maxFileBytes, areChecked: true, ...this.#run };
    return { ids, batches: this.#blobs(ids, options) };
  }

  /** Whether git still has a commit and its tree: a new process tells, which has no file open that was removed. */
  async isThere(commit: string): Promise<boolean> {
    try {
      for await (const _ of (await this.#served()).tree(commit, this.#run)) break;
      return true;
    } catch (error) {
      return isSextantError(error) && error.code === 'too_large';
    }
  }

  async *#blobs(ids: readonly string[], options: BlobOptions): AsyncIterable<BlobBatch> {
    yield* (await this.#served()).blobs(ids, options);
  }

  async #served(): Promise<StoredRepository> {
    const repository = await this.#options.repository();
    if (!repository) throw new SextantError('unavailable', 'the repository is no longer served');
    return repository;
  }

  get #run(): StoreRun {
    const { signal, state } = this.#options;
    const isRetry = state.failure !== undefined;
    // What was never indexed cannot be searched: histories and symbols wait for that, but not for what cannot be indexed.
    return { signal, comesFirst: !state.isReady && !isRetry, isRetry };
  }
}
