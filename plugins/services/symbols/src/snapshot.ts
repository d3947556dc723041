import type { Repository, SourceTree } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import type { FileSymbols } from './file-symbols.ts';
import type { FileTree } from './file-tree.ts';
import type { LanguageTable } from './language-table.ts';
import { Once } from './once.ts';
import type { FileContent, ParsedFiles } from './parsed-files.ts';

export interface SnapshotParts {
  readonly repository: Repository;
  readonly commit: string;
  readonly revision: string | undefined;
  readonly languages: LanguageTable;
  readonly tree: FileTree;
  readonly parsed: ParsedFiles;
  readonly signal: AbortSignal;
}

/** One commit of a repository that a caller has opened, during one call. */
export class Snapshot implements SourceTree {
  readonly repo: string;
  readonly commit: string;
  readonly revision: string | undefined;
  readonly languages: LanguageTable;
  readonly tree: FileTree;
  readonly #parts: SnapshotParts;
  /** Who follows values comes to the same files again and again. */
  readonly #symbols = new Once<FileSymbols | undefined>();

  constructor(parts: SnapshotParts) {
    this.#parts = parts;
    this.repo = parts.repository.info.name;
    this.commit = parts.commit;
    this.revision = parts.revision;
    this.languages = parts.languages;
    this.tree = parts.tree;
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

  derived<T>(make: (tree: SourceTree) => Promise<T>): Promise<T> {
    return this.tree.derived(make, () => make(this));
  }

  async read(path: string): Promise<string | undefined> {
    if (!this.has(path)) return undefined;
    try {
      return await this.readText(path);
    } catch (error) {
      // Binary, or too large: no text.
      if (isSextantError(error) && ['invalid_argument', 'too_large'].includes(error.code)) return undefined;
      throw error;
    }
  }

  /** Throws as `Repository.readText` does. */
  async readText(path: string): Promise<string> {
    const { repository, commit, signal } = this.#parts;
    return (await repository.readText(commit, path, signal)).text;
  }

  /** Undefined for what is no file, and for one whose syntax is not known. */
  contentOf(path: string): FileContent | undefined {
    const language = this.languages.of(path);
    const blob = this.tree.blobOf(path);
    return language && blob !== undefined ? { blob, language } : undefined;
  }

  /** Undefined for a file whose syntax is not known, or that is not parsed for its size. */
  symbols(path: string): Promise<FileSymbols | undefined> {
    return this.#symbols.find([path], () => this.#readSymbols(path));
  }

  async #readSymbols(path: string): Promise<FileSymbols | undefined> {
    const content = this.contentOf(path);
    return content && this.#parts.parsed.read(content, async () => (await this.read(path)) ?? '');
  }
}
