import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
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
import { SextantError, hasPermission } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { IndexStore } from './index-store.ts';
import { ingestInThread } from './ingest-run.ts';
import { PreciseFinder } from './precise-finder.ts';
import type { FinderParts } from './precise-finder.ts';
import { spool } from './spool.ts';

export interface ScipServiceOptions extends FinderParts {
  readonly repositories: Repositories;
  readonly store: IndexStore;
  /** Where uploads wait until they are whole. */
  readonly incoming: string;
  readonly maxBytes: number;
  readonly maxDocumentBytes: number;
  readonly indexesPerRepository: number;
}

/** Stores what compilers said of commits, and answers from it. */
export class ScipService implements PreciseIndex {
  readonly #options: ScipServiceOptions;
  /** One index is written at a time: what it takes is bounded for the whole server. */
  #writing: Promise<unknown> = Promise.resolve();

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
    const upload = join(this.#options.incoming, `${id}.upload`);
    const part = join(this.#options.incoming, `${id}.part`);
    try {
      await spool(content, { path: upload, maxBytes: this.#options.maxBytes }, signal);
      const ingested = await this.#inTurn({ ...target, upload, part }, signal);
      await this.#options.store.keepNewest(target.repo, this.#options.indexesPerRepository);
      return { repo: target.repo, commit, ...ingested };
    } finally {
      await Promise.all([rm(upload, { force: true }), rm(part, { force: true })]);
    }
  }

  #inTurn(
    files: { repo: string; commit: string; root: string; upload: string; part: string },
    signal: AbortSignal,
  ): ReturnType<typeof ingestInThread> {
    const { maxBytes, maxDocumentBytes, store } = this.#options;
    const job = { ...files, folder: store.folder, maxBytes, maxDocumentBytes };
    const run = this.#writing.then(() => ingestInThread(job, signal));
    this.#writing = run.catch(() => undefined);
    return run;
  }
}

/** Without slashes at its ends. */
function folderIn(root: string): string {
  const folder = root.replace(/^(\.?\/)+/, '').replace(/\/+$/, '');
  if (folder.split('/').includes('..'))
    throw new SextantError('invalid_argument', `root: a folder of the repository is wanted; found "${root}"`);
  return folder === '.' ? '' : folder;
}
