import type { Repository } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import type { FileSymbols } from './file-symbols.ts';
import type { LanguageTable } from './language-table.ts';
import type { SourceTree } from '@sextant/contracts';
import type { ParsedFiles } from './parsed-files.ts';
import type { FileTree } from './trees.ts';

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
  readonly #parts: SnapshotParts;

  constructor(parts: SnapshotParts) {
    this.#parts = parts;
    this.repo = parts.repository.info.name;
    this.commit = parts.commit;
    this.revision = parts.revision;
    this.languages = parts.languages;
  }

  has(path: string): boolean {
    return this.#parts.tree.blobs.has(path);
  }

  inFolder(folder: string): readonly string[] {
    return this.#parts.tree.folders.get(folder) ?? [];
  }

  named(name: string): readonly string[] {
    return this.#parts.tree.named.get(name) ?? [];
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

  /** Undefined for a file whose syntax is not known, or that is not parsed for its size. */
  async symbols(path: string): Promise<FileSymbols | undefined> {
    const { tree, parsed } = this.#parts;
    const language = this.languages.of(path);
    const blob = tree.blobs.get(path);
    if (!language || blob === undefined) return undefined;
    return parsed.read({ blob, language }, async () => (await this.read(path)) ?? '');
  }
}
