import type { Repositories } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { LanguageTable } from './language-table.ts';
import { Once } from './once.ts';
import type { ParsedFiles } from './parsed-files.ts';
import { Snapshot } from './snapshot.ts';
import type { FileTrees } from './trees.ts';

export interface SnapshotSources {
  readonly repositories: Repositories;
  readonly languages: LanguageTable;
  readonly trees: FileTrees;
  readonly parsed: ParsedFiles;
}

/** The commits that one call looks at, all opened as its caller: what the caller may not read is not there. */
export class Snapshots {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly #sources: SnapshotSources;
  #readable: Promise<readonly string[]> | undefined;
  readonly #opened = new Once<Snapshot | undefined>();

  constructor(sources: SnapshotSources, caller: Caller, signal: AbortSignal) {
    this.#sources = sources;
    this.caller = caller;
    this.signal = signal;
  }

  get languages(): LanguageTable {
    return this.#sources.languages;
  }

  /** Throws `not_found` for a repository or revision that is not there for the caller. */
  async open(repo: string, revision?: string): Promise<Snapshot> {
    const { repositories, languages, trees, parsed } = this.#sources;
    const { signal } = this;
    const repository = await repositories.open(this.caller, repo);
    const commit = await repository.resolve(revision, signal);
    const tree = await trees.read(repository.info.name, commit, signal);
    return new Snapshot({ repository, commit, revision, languages, tree, parsed, signal });
  }

  /** The names of the repositories that the caller may read. */
  readable(): Promise<readonly string[]> {
    this.#readable ??= this.#sources.repositories.list(this.caller).then((all) => all.map(({ name }) => name));
    return this.#readable;
  }

  /** The default branch of another repository; undefined where it is not there (any more). */
  openOther(repo: string): Promise<Snapshot | undefined> {
    return this.openFound(repo, undefined);
  }

  /** A revision in which something was found; undefined where it is not there (any more). */
  openFound(repo: string, revision: string | undefined): Promise<Snapshot | undefined> {
    return this.#opened.find([repo, revision ?? ''], () => this.open(repo, revision).catch(undefinedIfGone));
  }
}

function undefinedIfGone(error: unknown): undefined {
  if (isSextantError(error) && ['not_found', 'unavailable'].includes(error.code)) return undefined;
  throw error;
}
