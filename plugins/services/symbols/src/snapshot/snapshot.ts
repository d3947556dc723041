import type { Asking, Repositories, Repository, SourceTree } from '@sextant/contracts';
import { isSextantError, joinSignals, oneLine, timeoutSignal } from '@sextant/core';
import type { Caller, Turn } from '@sextant/core';
import type { LanguageTable } from '../languages/language-table.ts';
import { Memoized } from '../memoized.ts';
import type { FileSymbols } from '../parse/file-symbols.ts';
import type { FileContent, ParsedFiles } from '../store/parsed-files.ts';
import type { FileTree, FileTrees } from './file-tree.ts';
import type { SourceFile } from './source-file.ts';

export interface SnapshotSources {
  readonly repositories: Repositories;
  readonly languages: LanguageTable;
  readonly trees: FileTrees;
  readonly parsed: ParsedFiles;
  /** Milliseconds after which a call answers with what it has. */
  readonly answerMs: number;
  readonly turn: Turn;
}

/** The commits that one call opens, with the rights of its caller. What the caller may not read does not exist here. */
export class Snapshots {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Aborts with `signal`, and after `answerMs`. */
  readonly late: AbortSignal;
  readonly #sources: SnapshotSources;
  #readable: Promise<readonly string[]> | undefined;
  readonly #opened = new Memoized<Snapshot | undefined>();
  readonly #unreadable = new Set<string>();
  readonly #lacking = new Set<string>();
  readonly #givenUp = new Set<string>();

  constructor(sources: SnapshotSources, caller: Caller, signal: AbortSignal) {
    this.#sources = sources;
    this.caller = caller;
    this.signal = signal;
    this.late = joinSignals(signal, timeoutSignal(sources.answerMs));
  }

  /** Whether the call has taken `answerMs` and has to answer with what it has found. */
  get isLate(): boolean {
    return this.late.aborted;
  }

  /** Await this between steps of synchronous work. Throws if the call is canceled. */
  async share(): Promise<void> {
    this.signal.throwIfAborted();
    await this.#sources.turn.share(this.caller.user.id);
  }

  get languages(): LanguageTable {
    return this.#sources.languages;
  }

  get parsed(): ParsedFiles {
    return this.#sources.parsed;
  }

  /** Call this when a file of a repository cannot be read. The answer then says that it is incomplete. */
  failed(repo: string): void {
    this.#unreadable.add(repo);
  }

  /** Notes a sentence about repositories that could not be searched. The answer then has it. */
  lacks(sentence: string): void {
    this.#lacking.add(sentence);
  }

  /** Call this when the syntax of a file is not known because its parsing was given up. The answer then says so. */
  gaveUp(repo: string, path: string): void {
    this.#givenUp.add(`${path} in ${repo}`);
  }

  /** Throws `not_found` for a repository or revision that is not there for the caller. */
  open(repo: string, revision?: string): Promise<Snapshot> {
    return this.#open(repo, revision, { isNamed: true });
  }

  async #open(repo: string, revision: string | undefined, asking: Asking): Promise<Snapshot> {
    const { repositories, trees } = this.#sources;
    const { caller, signal } = this;
    const repository = await repositories.open(caller, repo, asking);
    const commit = await repository.resolve(revision, signal);
    const tree = await trees.read(caller, { repo: repository.info.name, commit }, signal);
    return new Snapshot(this, { repository, commit, revision, tree });
  }

  /** Sentences about the repositories that could not be searched, or read completely, so far. The caller may read all of them. */
  get notes(): string[] {
    const unreadable = [...this.#unreadable]
      .toSorted()
      .map((name) => `Repository ${name} could not be read completely now; what it has may be missing here.`);
    return [...this.#lacking, ...unreadable, ...this.#givenUpNotes, ...(this.isLate ? [this.#lateNote] : [])];
  }

  get #givenUpNotes(): string[] {
    const [first, ...others] = [...this.#givenUp].toSorted();
    if (first === undefined) return [];
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    const reason = 'it took too long or broke the parser; definitions and uses there may be missing here';
    return [
      oneLine(`Parsing ${first}${more} was given up: ${reason}. Ask again in some minutes, when it is tried anew.`),
    ];
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

  /** Another repository at a revision, or its default branch. Undefined if the repository is gone or cannot be read. */
  openOther(repo: string, revision?: string): Promise<Snapshot | undefined> {
    return this.#opened.find([repo, revision ?? ''], () => this.#openUnlessDamaged(repo, revision));
  }

  /** One repository that cannot be read fails no call over many. */
  async #openUnlessDamaged(repo: string, revision: string | undefined): Promise<Snapshot | undefined> {
    try {
      return await this.#open(repo, revision, { isNamed: false });
    } catch (error) {
      if (this.signal.aborted) throw error;
      // A repository that does not exist for the caller is not named.
      if (!isSextantError(error) || error.code !== 'not_found') this.#unreadable.add(repo);
      return undefined;
    }
  }
}

interface SnapshotParts {
  readonly repository: Repository;
  readonly commit: string;
  readonly revision: string | undefined;
  readonly tree: FileTree;
}

/** One commit that a caller has opened, for the time of one call. */
export class Snapshot implements SourceTree {
  readonly repo: string;
  readonly commit: string;
  readonly revision: string | undefined;
  readonly tree: FileTree;
  readonly #snapshots: Snapshots;
  readonly #repository: Repository;
  /** Inference reads the same files many times. */
  readonly #symbols = new Memoized<FileSymbols | undefined>();
  readonly #unreadable = new Set<string>();
  #failures = 0;

  constructor(snapshots: Snapshots, { repository, commit, revision, tree }: SnapshotParts) {
    this.#snapshots = snapshots;
    this.#repository = repository;
    this.repo = repository.info.name;
    this.commit = commit;
    this.revision = revision;
    this.tree = tree;
  }

  get languages(): LanguageTable {
    return this.#snapshots.languages;
  }

  has(path: string): boolean {
    return this.tree.blobOf(path) !== undefined;
  }

  inFolder(folder: string): readonly string[] {
    return this.tree.inFolder(folder);
  }

  named(name: string): readonly string[] {
    return this.tree.named(name);
  }

  async derived<T>(make: (tree: SourceTree) => Promise<T>): Promise<T> {
    const before = this.#failures;
    let made: { readonly value: T } | undefined;
    try {
      return await this.tree.derived(make, async () => {
        made = { value: await make(this) };
        // A result that lacks a file is not memoized for later calls.
        if (this.#failures > before) throw new Error('a file could not be read');
        return made.value;
      });
    } catch (error) {
      if (made) return made.value;
      throw error;
    }
  }

  /** Undefined for what is no file, for a binary or large file, and for one that cannot be read. */
  async read(path: string): Promise<string | undefined> {
    if (!this.has(path)) return undefined;
    try {
      return await this.readText(path);
    } catch (error) {
      const isText = !isSextantError(error) || !['invalid_argument', 'too_large'].includes(error.code);
      if (isText) this.#failed(path, error);
      return undefined;
    }
  }

  /** Whether reading the file failed during this call. */
  isUnreadable(path: string): boolean {
    return this.#unreadable.has(path);
  }

  /** Throws as `Repository.readText` does. */
  async readText(path: string): Promise<string> {
    return (await this.#repository.readText(this.commit, path, this.#snapshots.signal)).text;
  }

  /** Undefined for what is no file, and for a file of an unknown language. */
  contentOf(path: string): FileContent | undefined {
    const language = this.languages.of(path);
    const blob = this.tree.blobOf(path);
    return language && blob !== undefined ? { blob, language } : undefined;
  }

  /** Undefined for a file of an unknown language, for one that is too large to be parsed, and for one that cannot be read or was given up. */
  async symbols(path: string): Promise<FileSymbols | undefined> {
    // Everything that follows names passes here, so this is where it yields.
    await this.#snapshots.share();
    return this.#symbols.find([path], () => this.#readSymbols(path));
  }

  /** A file with its symbols; undefined where these are not known. */
  async file(path: string): Promise<SourceFile | undefined> {
    const symbols = await this.symbols(path);
    const language = this.languages.of(path);
    return symbols && language && { snapshot: this, path, language, symbols };
  }

  async #readSymbols(path: string): Promise<FileSymbols | undefined> {
    const content = this.contentOf(path);
    if (!content) return undefined;
    const { parsed, caller, late, signal } = this.#snapshots;
    try {
      const symbols = await parsed.read(content, () => this.#textToParse(path), { caller, signal: late });
      if (symbols !== 'givenUp') return symbols;
      this.#snapshots.gaveUp(this.repo, path);
      return undefined;
    } catch (error) {
      if (signal.aborted || !late.aborted) this.#failed(path, error);
      return undefined;
    }
  }

  /** Empty for a file that is no text. Throws if the file cannot be read, so that it is not stored as an empty one. */
  async #textToParse(path: string): Promise<string> {
    const text = await this.read(path);
    if (text === undefined && this.isUnreadable(path)) throw new Error(`${path} cannot be read`);
    return text ?? '';
  }

  /** Records a failure, because one file must not fail a call over many. Throws if the call is canceled. */
  #failed(path: string, error: unknown): void {
    if (this.#snapshots.signal.aborted) throw error;
    this.#failures += 1;
    this.#unreadable.add(path);
    this.#snapshots.failed(this.repo);
  }
}
