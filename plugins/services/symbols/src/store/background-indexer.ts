import { isFileMode, matchesGlob } from '@sextant/contracts';
import type { GitStore, Language, ListedEntry, StoredRepository } from '@sextant/contracts';
import { Retries } from '@sextant/core';
import type { Logger, ServiceStatus } from '@sextant/core';
import type { LanguageTable } from '../languages/language-table.ts';
import { blobContents } from './blob-contents.ts';
import type { HeadFiles } from './head-files.ts';
import type { FileContent, ParsedFiles } from './parsed-files.ts';

interface BackgroundIndexerOptions {
  readonly git: GitStore;
  readonly languages: LanguageTable;
  readonly parsed: Pick<ParsedFiles, 'has' | 'prepare'>;
  readonly heads: HeadFiles;
  /** Files that are parsed at once. They are few, so that a caller's file does not wait long. */
  readonly atOnce: number;
  readonly log: Logger;
  /** Milliseconds for one repository while others wait. */
  readonly turnMs?: number;
}

/** Blobs that one git command reads. */
const blobsAtOnce = 1000;
const longestTurnMs = 60_000;

interface KnownRepository {
  /** The commits whose files are parsed. Undefined until all are. */
  commits?: readonly string[];
  /** Blobs that take too long or break the parser. They are tried again after a restart. */
  readonly givenUp: Set<string>;
  /** Blobs that were parsed in earlier turns. On a full disk the store does not know them. */
  readonly looked: Set<string>;
}

/** Parses the files of the indexed branches before anyone asks for them, and after a push the files that it changed. */
export class BackgroundIndexer {
  readonly #options: BackgroundIndexerOptions;
  readonly #waiting = new Set<string>();
  readonly #known = new Map<string, KnownRepository>();
  readonly #closing = new AbortController();
  readonly #retries = new Retries((name) => this.#follow(name));
  #counts = { parsed: 0, skipped: 0 };
  #stopListening: (() => void) | undefined;
  #listing: Promise<void> | undefined;
  #work: Promise<void> | undefined;

  constructor(options: BackgroundIndexerOptions) {
    this.#options = options;
  }

  start(): void {
    const { git } = this.#options;
    this.#stopListening = git.onChange((name) => this.#follow(name));
    this.#listing = git.list().then((repositories) => repositories.forEach(({ name }) => this.#follow(name)));
  }

  /** Answers do not wait for it. */
  status(): ServiceStatus {
    const known = [...this.#known];
    const failures = known
      .filter(([, { givenUp }]) => givenUp.size > 0)
      .map(([name, { givenUp }]) => ({
        name,
        reason: `${givenUp.size} of its files take longer than parseMs to parse, or break the parser: their text answers instead of their syntax`,
      }));
    const repositories = known.filter(([, { commits }]) => commits).length;
    return {
      isReady: true,
      detail: { repositories, ...this.#counts, waiting: this.#waiting.size },
      ...(failures.length > 0 && { failures }),
    };
  }

  /** Resolves once nothing is waiting to be parsed. */
  async idle(): Promise<void> {
    await this.#listing;
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
      const repository = await this.#options.git.find(name);
      if (!repository) this.#forget(name);
      else await this.#index(repository).catch((error: unknown) => this.#failed(name, error));
    }
    this.#work = undefined;
  }

  /** Stops after `turnMs` if others wait, and goes on after them, so that one slow repository delays nobody else. */
  async #index(repository: StoredRepository): Promise<void> {
    const { signal } = this.#closing;
    await this.#options.git.untilQuiet(signal);
    const end = performance.now() + (this.#options.turnMs ?? longestTurnMs);
    const isOver = (): boolean => performance.now() > end && this.#waiting.size > 0;
    const commits = await commitsToIndex(repository, signal);
    const known = this.#knownOf(repository.name);
    const { commits: before = [] } = known;
    // Only the differences to the commit before are listed.
    let since = before[0];
    for (const commit of commits.filter((one) => !before.includes(one))) {
      const isWanted = (path: string): boolean => this.#options.languages.of(path) !== undefined;
      const changed = await changedBlobs(repository, { commit, since, isWanted }, signal);
      const isWhole = await this.#parse(repository, known, { wanted: this.#wantedOf(known, changed), isOver });
      if (!isWhole) return void this.#waiting.add(repository.name);
      known.looked.clear();
      if (commit === commits[0]) this.#options.heads.add(repository.name, new Set(changed.map(({ blob }) => blob)));
      since = commit;
    }
    known.commits = commits;
    this.#retries.succeeded(repository.name);
  }

  #knownOf(name: string): KnownRepository {
    const known = this.#known.get(name) ?? { givenUp: new Set(), looked: new Set() };
    this.#known.set(name, known);
    return known;
  }

  #forget(name: string): void {
    this.#known.delete(name);
    this.#retries.succeeded(name);
    this.#options.heads.remove(name);
  }

  #wantedOf({ givenUp, looked }: KnownRepository, blobs: readonly ChangedBlob[]): Map<string, Language> {
    const { languages, parsed } = this.#options;
    const wanted = new Map<string, Language>();
    for (const { path, blob } of blobs) {
      const language = languages.of(path);
      if (!language || givenUp.has(blob) || looked.has(blob)) continue;
      if (!parsed.has({ blob, language })) wanted.set(blob, language);
    }
    return wanted;
  }

  /** Whether all were parsed before the turn was over. */
  async #parse(
    repository: StoredRepository,
    known: KnownRepository,
    { wanted, isOver }: { wanted: ReadonlyMap<string, Language>; isOver: () => boolean },
  ): Promise<boolean> {
    const ids = [...wanted.keys()];
    for (let at = 0; at < ids.length; at += blobsAtOnce) {
      const contents = blobContents(repository, ids.slice(at, at + blobsAtOnce), this.#closing.signal);
      const parseNext = async (): Promise<void> => {
        for (let next = await contents.next(); !next.done; next = await contents.next()) {
          const { id, text } = next.value;
          const language = wanted.get(id);
          if (text !== undefined && language) await this.#parseOne(known, { blob: id, language }, text);
          known.looked.add(id);
          if (isOver()) return;
        }
      };
      try {
        await Promise.all(Array.from({ length: this.#options.atOnce }, parseNext));
      } finally {
        await contents.return();
      }
      if (isOver()) return false;
    }
    return true;
  }

  async #parseOne({ givenUp }: KnownRepository, file: FileContent, text: string): Promise<void> {
    const prepared = await this.#options.parsed.prepare(file, text);
    if (prepared !== 'givenUp') this.#counts[prepared] += 1;
    else givenUp.add(file.blob);
  }

  #failed(repository: string, error: unknown): void {
    if (this.#closing.signal.aborted) return;
    if (this.#retries.failed(repository))
      this.#options.log.warn({ repository, err: error }, 'the symbols of a repository could not be read ahead');
  }
}

/** Branches of one repository that are read ahead besides the default one. */
const maxBranches = 50;

interface ChangedBlob {
  readonly path: string;
  readonly blob: string;
}

/** The commits to parse ahead: the default branch, then the branches that the operator configured. */
async function commitsToIndex(repository: StoredRepository, signal: AbortSignal): Promise<string[]> {
  const head = await repository.head(signal);
  if (head === undefined) return [];
  if (repository.branches.length === 0) return [head];
  const isWanted = (name: string): boolean =>
    repository.branches.some((glob) => matchesGlob(`refs/heads/${glob}`, name));
  const branches = (await repository.refs(signal)).filter(({ name }) => isWanted(name)).slice(0, maxBranches);
  return [...new Set([head, ...branches.map(({ commit }) => commit)])];
}

/** Which files of a commit are wanted. */
interface Wanting {
  readonly commit: string;
  /** List only the differences to this commit, which may be gone. */
  readonly since: string | undefined;
  readonly isWanted: (path: string) => boolean;
}

async function changedBlobs(
  repository: StoredRepository,
  { commit, since, isWanted }: Wanting,
  signal: AbortSignal,
): Promise<ChangedBlob[]> {
  const options = { isBackground: true, signal };
  const blobsIn = async (
    listed: AsyncIterable<readonly Pick<ListedEntry, 'mode' | 'id' | 'path'>[]>,
  ): Promise<ChangedBlob[]> => {
    const blobs: ChangedBlob[] = [];
    for await (const entries of listed)
      for (const { mode, id, path } of entries) if (isFileMode(mode) && isWanted(path)) blobs.push({ path, blob: id });
    return blobs;
  };
  const changed =
    since === undefined ? undefined : await blobsIn(repository.changes(since, commit, options)).catch(() => undefined);
  signal.throwIfAborted();
  return changed ?? blobsIn(repository.tree(commit, options));
}
