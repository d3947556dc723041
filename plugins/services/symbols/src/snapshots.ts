import type { Repositories } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import type { Caller, Turn } from '@sextant/core';
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
  /** Milliseconds after which a call answers with what it has. */
  readonly answerMs: number;
  readonly turn: Turn;
}

/** The commits that one call looks at, all opened as its caller: what the caller may not read is not there. */
export class Snapshots {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly #late: AbortSignal;
  readonly #sources: SnapshotSources;
  #readable: Promise<readonly string[]> | undefined;
  readonly #opened = new Once<Snapshot | undefined>();
  readonly #unreadable = new Set<string>();

  constructor(sources: SnapshotSources, caller: Caller, signal: AbortSignal) {
    this.#sources = sources;
    this.caller = caller;
    this.signal = signal;
    this.#late = AbortSignal.any([signal, AbortSignal.timeout(sources.answerMs)]);
  }

  /** Whether the call has taken so long that it is to answer with what it has. */
  get isLate(): boolean {
    return this.#late.aborted;
  }

  /** To be awaited between steps of work that does not wait for anything. Throws where the call was canceled. */
  async share(): Promise<void> {
    this.signal.throwIfAborted();
    await this.#sources.turn.share(this.caller.user.id);
  }

  get languages(): LanguageTable {
    return this.#sources.languages;
  }

  /** Throws `not_found` for a repository or revision that is not there for the caller. */
  async open(repo: string, revision?: string): Promise<Snapshot> {
    const { repositories, languages, trees, parsed } = this.#sources;
    const { caller, signal } = this;
    const repository = await repositories.open(caller, repo);
    const commit = await repository.resolve(revision, signal);
    const { name } = repository.info;
    const tree = await trees.read(name, commit, { caller, signal, share: () => this.share() });
    const onUnreadable = (): void => void this.#unreadable.add(name);
    const shared = { caller, signal, late: this.#late, share: () => this.share() };
    return new Snapshot({ repository, commit, revision, languages, tree, parsed, ...shared, onUnreadable });
  }

  /** A sentence for each repository of which something could not be read so far, by name; the caller may read all of them. */
  get notes(): string[] {
    const unreadable = [...this.#unreadable]
      .toSorted()
      .map((name) => `Repository ${name} could not be read completely now; what it has may be missing here.`);
    return this.isLate ? [...unreadable, this.#lateNote] : unreadable;
  }

  get #lateNote(): string {
    const seconds = this.#sources.answerMs / 1000;
    return `Only what was found within ${seconds} s is here; ask again, or for less, such as one repository or folder.`;
  }

  /** The names of the repositories that the caller may read. */
  readable(): Promise<readonly string[]> {
    this.#readable ??= this.#sources.repositories.list(this.caller).then((all) => all.map(({ name }) => name));
    return this.#readable;
  }

  /** The default branch of another repository; undefined where it is not there (any more), or cannot be read. */
  openOther(repo: string): Promise<Snapshot | undefined> {
    return this.openFound(repo, undefined);
  }

  /** A revision in which something was found; undefined where it is not there (any more), or cannot be read. */
  openFound(repo: string, revision: string | undefined): Promise<Snapshot | undefined> {
    return this.#opened.find([repo, revision ?? ''], () => this.#openUnlessDamaged(repo, revision));
  }

  /** One repository that cannot be read fails no call over many. */
  async #openUnlessDamaged(repo: string, revision: string | undefined): Promise<Snapshot | undefined> {
    try {
      return await this.open(repo, revision);
    } catch (error) {
      if (this.signal.aborted) throw error;
      // What is not there for the caller is not named.
      if (!isSextantError(error) || error.code !== 'not_found') this.#unreadable.add(repo);
      return undefined;
    }
  }
}
