import type { GitStore, Language, StoredRepository } from '@sextant/contracts';
import { Retries } from '@sextant/core';
import type { Logger, ServiceStatus } from '@sextant/core';
import type { HeadFiles } from '../head-files.ts';
import type { LanguageTable } from '../language-table.ts';
import type { ParsedFiles } from '../parsed-files.ts';
import { blobContents } from './blob-contents.ts';
import { changedBlobs, commitsToIndex } from './changed-blobs.ts';
import type { ChangedBlob } from './changed-blobs.ts';

export interface BackgroundIndexerOptions {
  readonly git: GitStore;
  readonly languages: LanguageTable;
  readonly parsed: ParsedFiles;
  readonly heads: HeadFiles;
  /** Files that are parsed side by side; few, so that a caller's file is soon at its turn. */
  readonly atOnce: number;
  readonly log: Logger;
}

/** Blobs that one git command reads. */
const blobsAtOnce = 1000;

/** Parses the files of the branches that are indexed before anyone asks for them; after a push those that it changed. */
export class BackgroundIndexer {
  readonly #options: BackgroundIndexerOptions;
  readonly #waiting = new Set<string>();
  /** The commits of each repository whose files are parsed. */
  readonly #done = new Map<string, readonly string[]>();
  readonly #closing = new AbortController();
  readonly #retries = new Retries((name) => this.#follow(name));
  #counts = { parsed: 0, skipped: 0 };
  #stopListening: (() => void) | undefined;
  #work: Promise<void> | undefined;

  constructor(options: BackgroundIndexerOptions) {
    this.#options = options;
  }

  start(): void {
    const { git } = this.#options;
    this.#stopListening = git.onChange((name) => this.#follow(name));
    for (const { name } of git.list()) this.#follow(name);
  }

  /** Answers do not wait for it. */
  status(): ServiceStatus {
    return { isReady: true, detail: { repositories: this.#done.size, ...this.#counts, waiting: this.#waiting.size } };
  }

  /** Resolves once nothing is waiting to be parsed. */
  async idle(): Promise<void> {
    while (this.#work) await this.#work;
  }

  async close(): Promise<void> {
    this.#stopListening?.();
    this.#closing.abort();
    this.#retries.close();
    this.#waiting.clear();
    await this.idle();
  }

  #follow(name: string): void {
    if (this.#closing.signal.aborted) return;
    this.#waiting.add(name);
    this.#work ??= this.#run();
  }

  async #run(): Promise<void> {
    // Whoever follows a repository now finds the work begun.
    await Promise.resolve();
    for (const name of this.#waiting) {
      this.#waiting.delete(name);
      const repository = this.#options.git.find(name);
      if (!repository) this.#forget(name);
      else await this.#index(repository).catch((error: unknown) => this.#failed(name, error));
    }
    this.#work = undefined;
  }

  async #index(repository: StoredRepository): Promise<void> {
    const { signal } = this.#closing;
    await this.#options.git.untilQuiet(signal);
    const commits = await commitsToIndex(repository, signal);
    const before = this.#done.get(repository.name) ?? [];
    // What one commit has is known when the next is looked at: only what differs is asked for.
    let since = before[0];
    for (const commit of commits.filter((one) => !before.includes(one))) {
      const isWanted = (path: string): boolean => this.#options.languages.of(path) !== undefined;
      const changed = await changedBlobs(repository, { commit, since, isWanted }, signal);
      await this.#parse(repository, this.#wantedOf(changed));
      if (commit === commits[0]) this.#addHead(repository.name, changed);
      since = commit;
    }
    this.#done.set(repository.name, commits);
    this.#retries.succeeded(repository.name);
  }

  #addHead(name: string, changed: readonly ChangedBlob[]): void {
    this.#options.heads.add(name, new Set(changed.map(({ blob }) => blob)));
  }

  #forget(name: string): void {
    this.#done.delete(name);
    this.#retries.succeeded(name);
    this.#options.heads.remove(name);
  }

  #wantedOf(blobs: readonly ChangedBlob[]): Map<string, Language> {
    const { languages, parsed } = this.#options;
    const wanted = new Map<string, Language>();
    for (const { path, blob } of blobs) {
      const language = languages.of(path);
      if (language && !parsed.has({ blob, language })) wanted.set(blob, language);
    }
    return wanted;
  }

  async #parse(repository: StoredRepository, wanted: ReadonlyMap<string, Language>): Promise<void> {
    const ids = [...wanted.keys()];
    for (let at = 0; at < ids.length; at += blobsAtOnce) {
      const contents = blobContents(repository, ids.slice(at, at + blobsAtOnce), this.#closing.signal);
      const parseNext = async (): Promise<void> => {
        for (let next = await contents.next(); !next.done; next = await contents.next()) {
          const { id, text } = next.value;
          const language = wanted.get(id);
          if (text !== undefined && language) await this.#parseOne({ blob: id, language }, text);
        }
      };
      try {
        await Promise.all(Array.from({ length: this.#options.atOnce }, parseNext));
      } finally {
        await contents.return();
      }
    }
  }

  async #parseOne(file: { blob: string; language: Language }, text: string): Promise<void> {
    const isParsed = await this.#options.parsed.prepare(file, text);
    this.#counts[isParsed ? 'parsed' : 'skipped'] += 1;
  }

  #failed(repository: string, error: unknown): void {
    if (this.#closing.signal.aborted) return;
    if (this.#retries.failed(repository))
      this.#options.log.warn({ repository, err: error }, 'the symbols of a repository could not be read ahead');
  }
}
