import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { scipUpload } from '@sextant/contracts';
import type {
  IndexUpload,
  PreciseIndex,
  PrecisePlace,
  PreciseUses,
  Repositories,
  SymbolRequest,
  UploadedIndex,
} from '@sextant/contracts';
import { SextantError, hasPermission, unlessAborted } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { isPathOfFile } from './index-store.ts';
import type { IndexStore, Kept } from './index-store.ts';
import { ingestInThread } from './ingest.ts';
import { PreciseFinder } from './precise-finder.ts';
import type { FinderParts } from './precise-finder.ts';

interface ScipServiceOptions extends FinderParts {
  readonly repositories: Repositories;
  readonly store: IndexStore;
  /** The folder of uploads that are not complete. */
  readonly incoming: string;
  readonly maxBytes: number;
  readonly maxDocumentBytes: number;
  readonly maxOccurrences: number;
  readonly maxDocuments: number;
  readonly ingestSeconds: number;
  readonly uploadsAtOnce: number;
  readonly kept: Kept;
}

/** Stores indexes of compilers, and answers from them. */
export class ScipService implements PreciseIndex {
  readonly #options: ScipServiceOptions;
  /** One index is written at a time, so that the memory for it is bounded. */
  #writing: Promise<unknown> = Promise.resolve();
  /** Uploads that are being received or wait for their turn. Each has at most `maxBytes` on disk. */
  #uploads = 0;

  constructor(options: ScipServiceOptions) {
    this.#options = options;
  }

  findDefinition(
    caller: Caller,
    request: SymbolRequest,
    signal: AbortSignal,
  ): Promise<readonly PrecisePlace[] | undefined> {
    return new PreciseFinder(this.#options, caller, signal).definitions(request);
  }

  findReferences(caller: Caller, request: SymbolRequest, signal: AbortSignal): Promise<PreciseUses | undefined> {
    return new PreciseFinder(this.#options, caller, signal).uses(request);
  }

  async upload(
    caller: Caller,
    { repo, commit: revision, root = '', content }: IndexUpload,
    signal: AbortSignal,
  ): Promise<UploadedIndex> {
    const repository = await this.#options.repositories.open(caller, repo);
    if (!hasPermission(caller, scipUpload))
      throw new SextantError('forbidden', `this needs the permission ${scipUpload}`);
    const commit = await repository.resolve(revision, signal);
    const target = { repo: repository.info.name, commit, root: folderIn(root) };
    const id = randomUUID();
    this.#assertFree();
    const upload = join(this.#options.incoming, `${id}.upload`);
    const part = join(this.#options.incoming, `${id}.part`);
    this.#uploads += 1;
    try {
      await spool(content, { path: upload, maxBytes: this.#options.maxBytes }, signal);
      const ingested = await this.#inTurn({ ...target, upload, part }, signal);
      await this.#options.store.keepNewest(target.repo, this.#options.kept);
      return { repo: target.repo, commit, ...ingested };
    } finally {
      this.#uploads -= 1;
      await Promise.all([rm(upload, { force: true }), rm(part, { force: true })]);
    }
  }

  #assertFree(): void {
    const { uploadsAtOnce } = this.#options;
    if (this.#uploads >= uploadsAtOnce)
      throw new SextantError(
        'unavailable',
        `${uploadsAtOnce} indexes are being received, the most at once: try again later`,
        {
          retryAfterSeconds: 10,
        },
      );
  }

  #inTurn(
    files: { repo: string; commit: string; root: string; upload: string; part: string },
    signal: AbortSignal,
  ): ReturnType<typeof ingestInThread> {
    const { maxBytes, maxDocumentBytes, maxOccurrences, maxDocuments, store } = this.#options;
    const limits = { maxBytes, maxDocumentBytes, maxOccurrences, maxDocuments };
    const longestMs = 1000 * this.#options.ingestSeconds;
    const run = this.#writing.then(() =>
      ingestInThread({ ...files, ...limits, folder: store.folder, longestMs }, signal),
    );
    this.#writing = run.catch(() => undefined);
    return run;
  }
}

/** Without slashes at its ends. */
function folderIn(root: string): string {
  const folder = root.replace(/^(\.?\/)+/, '').replace(/\/+$/, '');
  if (folder === '' || folder === '.') return '';
  if (isPathOfFile(folder)) return folder;
  throw new SextantError(
    'invalid_argument',
    `root: a folder of the repository is wanted; found ${JSON.stringify(root)}`,
  );
}

interface SpoolTarget {
  readonly path: string;
  readonly maxBytes: number;
}

/** Writes an upload to a new file. Throws `too_large`, `invalid_argument` for an empty one, and the reason of the signal at once. */
async function spool(
  content: AsyncIterable<Uint8Array>,
  { path, maxBytes }: SpoolTarget,
  signal: AbortSignal,
): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  const pieces = content[Symbol.asyncIterator]();
  let total = 0;
  try {
    for (;;) {
      const { value, done } = await unlessAborted(pieces.next(), signal);
      if (done) break;
      total += value.length;
      if (total > maxBytes)
        throw new SextantError('too_large', `the upload has more than ${maxBytes} bytes, the most that are taken`);
      await file.appendFile(value);
    }
  } finally {
    // The end of the iterator is not awaited, because a sender that has stopped would block it.
    pieces.return?.().catch(() => undefined);
    await file.close();
  }
  if (total === 0) throw new SextantError('invalid_argument', 'the upload is empty: send a SCIP index as the body');
}
