import type { Language } from '@sextant/contracts';
import type { Turn } from '@sextant/core';
import { LRUCache } from 'lru-cache';
import type { LanguageTable } from '../languages/language-table.ts';
import type { FileTree } from '../snapshot/file-tree.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { contentKey, contentOf, languageKey, languageOf } from '../store/file-key.ts';
import type { HeadFiles, UnknownContent } from '../store/head-files.ts';
import type { ParsedFiles } from '../store/parsed-files.ts';
import { wordsOf } from '../store/symbol-store.ts';
import type { NameRole, SymbolStore } from '../store/symbol-store.ts';

/** If at most this many files of a commit are not parsed, a call parses them. So many lost ones of another repository it tries to read. */
const maxParsed = 100;
/** Paths or contents in one step of the event loop. */
const itemsAtOnce = 500;
/** Contents that are cached, of all names together. */
const rememberedContents = 200_000;

/** A name, and the role in which files must have it. */
export interface NameWanted {
  readonly name: string;
  readonly role: NameRole;
  /** Only files of this language, and of languages that use its names, are found. */
  readonly language: Language;
  /** Another name that the files must define. */
  readonly besides?: string;
}

interface NameIndexParts {
  readonly stored: SymbolStore;
  readonly parsed: ParsedFiles;
  readonly languages: LanguageTable;
  readonly heads: HeadFiles;
  readonly turn: Turn;
}

/** Finds the files that have a name among parsed files, without reading them. */
export class NameIndex {
  readonly #parts: NameIndexParts;
  /** Files of a commit that were not parsed when they were last looked at. */
  readonly #unknown = new WeakMap<FileTree, readonly string[]>();
  /** The same as a call saw it first. */
  readonly #unknownAtFirst = new WeakMap<Snapshot, Promise<readonly string[]>>();

  /** The contents that have a name. Each file that calls a common method asks for the same types. */
  readonly #found = new LRUCache<string, ReadonlySet<string>, NameWanted>({
    maxSize: rememberedContents,
    sizeCalculation: ({ size }) => size + 1,
    fetchMethod: (_key, _known, { context }) => this.#find(context),
    ignoreFetchAbort: true,
  });
  #countWhenFound = 0;

  constructor(parts: NameIndexParts) {
    this.#parts = parts;
  }

  /** Paths in a commit, or directly in a folder of it. Undefined if too many of its files are not parsed yet. */
  async inSnapshot(snapshot: Snapshot, wanted: NameWanted, folder?: string): Promise<readonly string[] | undefined> {
    const { tree, languages } = snapshot;
    const isOfFamily = (path: string): boolean => languages.of(path)?.family === wanted.language.family;
    if ((await this.#unknownOnce(snapshot)).some(isOfFamily)) return undefined;
    const contents = await this.#contents(wanted);
    // A folder has few files, a common name is in thousands.
    if (folder !== undefined)
      return tree.inFolder(folder).filter((path) => contents.has(tree.contentOf(path)) && isOfFamily(path));
    const known = new Set<string>();
    await this.#each(contents, (content) => {
      for (const path of tree.withContent(content)) if (isOfFamily(path)) known.add(path);
    });
    return [...known];
  }

  /**
   * The contents that have the name, by repository, and those that may have it because git lost them: who reads them tells the caller.
   * `isWanted` must leave out repositories that the caller may not read.
   */
  async elsewhere(isWanted: (repository: string) => boolean, wanted: NameWanted): Promise<Map<string, string[]>> {
    const found = new Map<string, string[]>();
    for (const repository of [...this.#parts.heads.incomplete].filter((one) => isWanted(one) && this.has(one)))
      found.set(
        repository,
        this.#unparsedIn(repository).map(({ blob }) => contentKey(blob)),
      );
    await this.#each(await this.#contents(wanted), (content) => {
      for (const repository of this.#parts.heads.withContent(content).filter(isWanted)) {
        const contents = found.get(repository);
        if (contents) contents.push(content);
        else found.set(repository, [content]);
      }
    });
    return found;
  }

  /** The repositories in which some file has the longest word of the name of one of the packages, as an import would, or is lost. */
  async importing(packages: readonly string[], language: Language): Promise<ReadonlySet<string>> {
    const words = new Set(packages.flatMap((name) => wordsOf(name).toSorted((a, b) => b.length - a.length)[0] ?? []));
    const users = new Set(this.#parts.heads.incomplete);
    for (const name of words)
      await this.#each(await this.#contents({ name, role: 'use', language }), (content) => {
        for (const repository of this.#parts.heads.withContent(content)) users.add(repository);
      });
    return users;
  }

  /** Whether the names of all files of a repository's default branch are known, but those of a few that git lost. */
  has(repository: string): boolean {
    if (!this.#parts.heads.has(repository)) return false;
    const unparsed = this.#unparsedIn(repository);
    return unparsed.length <= maxParsed && unparsed.every(({ isLost }) => isLost);
  }

  #unparsedIn(repository: string): UnknownContent[] {
    return this.#parts.heads.unknownIn(repository).filter((content) => !this.#parts.parsed.has(content));
  }

  /** The contents that have a name. Callers that ask while a search is under way share it. */
  #contents(wanted: NameWanted): Promise<ReadonlySet<string>> {
    const { count } = this.#parts.stored;
    // More was parsed since.
    if (count !== this.#countWhenFound) this.#found.clear();
    this.#countWhenFound = count;
    const key = [wanted.name, wanted.role, wanted.language.family, wanted.besides].join('\0');
    return this.#found.forceFetch(key, { context: wanted });
  }

  async #find({ name, role, language, besides }: NameWanted): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    if (besides !== undefined) {
      const both = await this.#contents({ name: besides, role: 'definition', language });
      const named = await this.#contents({ name, role, language });
      await this.#each(named, (content) => void (both.has(content) && found.add(content)));
      return found;
    }
    const { languages, stored, turn } = this.#parts;
    const family = languages.languages.filter((one) => one.family === language.family).map(languageKey);
    const keys = new Set(family);
    for (const files of stored.having(name, role)) {
      await turn.share(this);
      for (const key of files) if (keys.has(languageOf(key))) found.add(contentOf(key));
    }
    return found;
  }

  /** Calls `look` with each item, in steps of the event loop. */
  async #each<T>(items: Iterable<T>, look: (item: T) => void): Promise<void> {
    let seen = 0;
    for (const item of items) {
      if (seen++ % itemsAtOnce === 0) await this.#parts.turn.share(this);
      look(item);
    }
  }

  /** One call always gets the same list. Otherwise a file that is parsed during the call could be in no list at all. */
  #unknownOnce(snapshot: Snapshot): Promise<readonly string[]> {
    const known = this.#unknownAtFirst.get(snapshot) ?? this.#unknownIn(snapshot);
    this.#unknownAtFirst.set(snapshot, known);
    return known;
  }

  /** The unparsed files of a commit. If they are few, it parses them first. */
  async #unknownIn(snapshot: Snapshot): Promise<readonly string[]> {
    const { tree } = snapshot;
    const isUnknown = (path: string): boolean => {
      const content = snapshot.contentOf(path);
      return content !== undefined && !this.#parts.parsed.knows(content);
    };
    let unknown: string[] = [];
    await this.#each(this.#unknown.get(tree) ?? tree.paths, (path) => void (isUnknown(path) && unknown.push(path)));
    if (unknown.length > 0 && unknown.length <= maxParsed) {
      const lost = await Promise.all(unknown.map((path) => isLost(snapshot, path)));
      unknown = unknown.filter((path, index) => lost[index] === false && isUnknown(path));
    }
    this.#unknown.set(tree, unknown);
    return unknown;
  }
}

/** Whether a file cannot be read, as in a partial clone. Its names stay unknown. */
async function isLost(snapshot: Snapshot, path: string): Promise<boolean> {
  await snapshot.symbols(path);
  return snapshot.isUnreadable(path);
}
