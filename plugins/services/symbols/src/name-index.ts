import type { Language } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import { LRUCache } from 'lru-cache';
import type { FileTree } from './file-tree.ts';
import type { HeadFiles } from './head-files.ts';
import type { LanguageTable } from './language-table.ts';
import type { ParsedFiles } from './parsed-files.ts';
import type { Snapshot } from './snapshot.ts';
import { contentOf, languageKey, languageOf } from './stored/file-key.ts';
import { nameRoles } from './stored/name-runs.ts';
import type { StoredSymbols } from './stored/stored-symbols.ts';

/** Files of a commit that are parsed for one call, so that all of it is known. */
const maxParsed = 100;
/** Contents that are remembered, those of all names together. */
const rememberedContents = 200_000;

/** A name, and what files shall have it for. */
export interface NameWanted {
  readonly name: string;
  readonly role: keyof typeof nameRoles;
  /** Of the files: this one and those that use its names. */
  readonly language: Language;
  /** Another name that they shall define. */
  readonly besides?: string;
}

export interface NameIndexParts {
  readonly stored: StoredSymbols;
  readonly parsed: ParsedFiles;
  readonly languages: LanguageTable;
  readonly heads: HeadFiles;
}

/** Finds the files that have a name among those that were parsed, without reading any. */
export class NameIndex {
  readonly #parts: NameIndexParts;
  /** Files of a commit that were not parsed when it was looked at last. */
  readonly #unknown = new WeakMap<FileTree, readonly string[]>();

  /** The contents that have a name, of late; a method of a common name asks for the same types in every file. */
  readonly #found = new LRUCache<string, readonly string[]>({
    maxSize: rememberedContents,
    sizeCalculation: ({ length }) => length + 1,
  });
  #countWhenFound = 0;

  constructor(parts: NameIndexParts) {
    this.#parts = parts;
  }

  /** Paths in a commit; undefined where too many of its files are not parsed yet. */
  async inSnapshot(snapshot: Snapshot, wanted: NameWanted): Promise<string[] | undefined> {
    if (!(await this.#isKnown(snapshot))) return undefined;
    return [...new Set(this.#contents(wanted).flatMap((content) => this.#paths(snapshot, content, wanted)))];
  }

  /** The contents that have the name, by repository in which they were; every one of these must know the caller. */
  elsewhere(isWanted: (repository: string) => boolean, wanted: NameWanted): Map<string, string[]> {
    const found = new Map<string, string[]>();
    for (const content of this.#contents(wanted))
      for (const repository of this.#parts.heads.withContent(content).filter(isWanted)) {
        const contents = found.get(repository);
        if (contents) contents.push(content);
        else found.set(repository, [content]);
      }
    return found;
  }

  /** Whether the files of a repository's default branch are known. */
  has(repository: string): boolean {
    return this.#parts.heads.has(repository);
  }

  #paths(snapshot: Snapshot, content: string, { language }: NameWanted): readonly string[] {
    const { family } = language;
    return snapshot.tree.withContent(content).filter((path) => snapshot.languages.of(path)?.family === family);
  }

  #contents(wanted: NameWanted): readonly string[] {
    const { count } = this.#parts.stored;
    if (count !== this.#countWhenFound) this.#found.clear();
    this.#countWhenFound = count;
    const key = [wanted.name, wanted.role, wanted.language.family, wanted.besides].join('\0');
    const known = this.#found.get(key) ?? this.#find(wanted);
    this.#found.set(key, known);
    return known;
  }

  #find({ name, role, language, besides }: NameWanted): string[] {
    if (besides !== undefined) {
      const both = new Set(this.#contents({ name: besides, role: 'definition', language }));
      return this.#contents({ name, role, language }).filter((content) => both.has(content));
    }
    const { languages, stored } = this.#parts;
    const family = languages.languages.filter((one) => one.family === language.family).map(languageKey);
    const keys = new Set(family);
    return stored
      .having(name)
      .filter(({ key, roles }) => (roles & nameRoles[role]) > 0 && keys.has(languageOf(key)))
      .map(({ key }) => contentOf(key));
  }

  async #isKnown(snapshot: Snapshot): Promise<boolean> {
    const { tree } = snapshot;
    const isUnknown = (path: string): boolean => {
      const content = snapshot.contentOf(path);
      return content !== undefined && !this.#parts.parsed.knows(content);
    };
    let unknown = [...(this.#unknown.get(tree) ?? tree.paths)].filter(isUnknown);
    if (unknown.length > 0 && unknown.length <= maxParsed) {
      const lost = await Promise.all(unknown.map((path) => isLost(snapshot, path)));
      unknown = unknown.filter((path, index) => lost[index] === false && isUnknown(path));
    }
    this.#unknown.set(tree, unknown);
    return unknown.length === 0;
  }
}

/** Whether a file cannot be read, as in a partial clone: nobody will know its names. */
async function isLost(snapshot: Snapshot, path: string): Promise<boolean> {
  try {
    await snapshot.symbols(path);
    return false;
  } catch (error) {
    if (isSextantError(error) && error.code === 'unavailable') return true;
    throw error;
  }
}
