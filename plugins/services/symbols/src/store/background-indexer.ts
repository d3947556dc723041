import { branchCommits, contentsIn, isFileMode, lfsPointer } from '@sextant/contracts';
import type { GitStore, Language, ListedEntry, StoredRepository } from '@sextant/contracts';
import type { Logger, ServiceStatus } from '@sextant/core';
import { indexedText } from '@sextant/library-keyword-search';
import { IndexQueue } from '@sextant/library-workers';
import type { IndexTurn } from '@sextant/library-workers';
import type { LanguageTable } from '../languages/language-table.ts';
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
  /** Seconds for one repository while others wait. */
  readonly turnSeconds?: number;
}

/** Blobs that one git command reads. */
const blobsAtOnce = 1000;
/** Longer blobs are not read. A few kilobytes of git objects can be gigabytes of content. */
const longestBlob = 4 << 20;
const longestTurnSeconds = 60;

interface KnownRepository {
  /** The commits whose files are parsed. Undefined until all are. */
  commits?: readonly string[];
  /** Files that take too long or break the parser, by blob. They are tried again when a call needs them, or after a restart. */
  readonly givenUp: Map<string, FileContent>;
  /** Blobs that were parsed in earlier turns. On a full disk the store does not know them. */
  readonly looked: Set<string>;
}

/** Parses the files of the indexed branches before anyone asks for them, and after a push the files that it changed. */
export class BackgroundIndexer {
  readonly #options: BackgroundIndexerOptions;
  readonly #queue: IndexQueue;
  readonly #known = new Map<string, KnownRepository>();
  #counts = { parsed: 0, skipped: 0 };
  #stopListening: (() => void) | undefined;
  #listing: Promise<void> | undefined;

  constructor(options: BackgroundIndexerOptions) {
    this.#options = options;
    this.#queue = new IndexQueue({
      turnSeconds: options.turnSeconds ?? longestTurnSeconds,
      update: (name, turn) => this.#update(name, turn),
      onFailure: (repository, err) =>
        options.log.warn({ repository, err }, 'the symbols of a repository could not be read ahead'),
    });
  }

  start(): void {
    const { git, heads } = this.#options;
    this.#stopListening = git.onChange((name) => {
      heads.markChanged(name);
      this.#queue.add(name);
    });
    this.#listing = git.list().then((repositories) => this.#queue.start(repositories.map(({ name }) => name)));
  }

  /** Answers do not wait for it. */
  status(): ServiceStatus {
    const known = [...this.#known];
    const failures = known
      .map(([name, { givenUp }]) => ({
        name,
        count: [...givenUp.values()].filter((file) => !this.#options.parsed.has(file)).length,
      }))
      .filter(({ count }) => count > 0)
      .map(({ name, count }) => ({
        name,
        reason: `${count} of its files take longer than parseMs to parse, or break the parser: their text answers instead of their syntax`,
      }));
    const repositories = known.filter(([, { commits }]) => commits).length;
    return {
      isReady: true,
      detail: { repositories, ...this.#counts, waiting: this.#queue.length },
      ...(failures.length > 0 && { failures }),
    };
  }

  /** Resolves once nothing is waiting to be parsed. */
  async idle(): Promise<void> {
    await this.#listing;
    await this.#queue.whenIdle();
  }

  async close(): Promise<void> {
    this.#stopListening?.();
    await this.#queue.close();
    await this.#listing;
  }

  /** Whether all files were parsed before the turn was over. */
  async #update(name: string, turn: IndexTurn): Promise<boolean> {
    const { git, heads, languages } = this.#options;
    const repository = await git.find(name);
    if (!repository) {
      this.#known.delete(name);
      heads.remove(name);
      return true;
    }
    await git.untilQuiet(turn.signal);
    const change = heads.changeOf(name);
    const commits = await branchCommits(repository, maxBranches, turn.signal);
    const known: KnownRepository = this.#known.get(name) ?? { givenUp: new Map(), looked: new Set() };
    this.#known.set(name, known);
    const { commits: before = [] } = known;
    // Only the differences to the commit before are listed.
    let since = before[0];
    // HEAD may move to a commit that is known as that of another branch.
    const isFresh = (commit: string, index: number): boolean => index === 0 || !before.includes(commit);
    for (const commit of commits.filter((one, index) => one !== before[0] && isFresh(one, index))) {
      const isWanted = (path: string): boolean => languages.of(path) !== undefined;
      const changed = await changedBlobs(repository, { commit, since, isWanted }, turn.signal);
      if (!(await this.#parse(repository, known, { wanted: this.#wantedOf(known, changed), turn }))) return false;
      known.looked.clear();
      if (commit === commits[0]) heads.add(name, new Set(changed.map(({ blob }) => blob)));
      since = commit;
    }
    known.commits = commits;
    heads.markRead(name, change);
    return true;
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
    { wanted, turn: { isOver, signal } }: { wanted: ReadonlyMap<string, Language>; turn: IndexTurn },
  ): Promise<boolean> {
    const { heads } = this.#options;
    const ids = [...wanted.keys()];
    for (let at = 0; at < ids.length; at += blobsAtOnce) {
      const contents = textsOf(repository, ids.slice(at, at + blobsAtOnce), signal);
      const parseNext = async (): Promise<void> => {
        for (let next = await contents.next(); !next.done; next = await contents.next()) {
          const { id, text, isLost } = next.value;
          const language = wanted.get(id);
          if (!language) continue;
          const content = { blob: id, language };
          const isParsed = text === undefined || (await this.#parseOne(known, content, text));
          if (isLost || !isParsed) heads.markUnknown(repository.name, { ...content, isLost });
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

  /** Whether its names are known then: nothing is stored on a full disk. */
  async #parseOne({ givenUp }: KnownRepository, file: FileContent, text: string): Promise<boolean> {
    const { parsed } = this.#options;
    const prepared = await parsed.prepare(file, text);
    if (prepared !== 'givenUp') this.#counts[prepared] += 1;
    else givenUp.set(file.blob, file);
    return parsed.has(file);
  }
}

/** Branches of one repository that are read ahead besides the default one. */
const maxBranches = 50;

interface ChangedBlob {
  readonly path: string;
  readonly blob: string;
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

interface BlobText {
  readonly id: string;
  /** Undefined for what is binary, very long, a Git LFS pointer, or lost. */
  readonly text: string | undefined;
  /** Whether git lacks the blob. */
  readonly isLost: boolean;
}

/** The texts of blobs in their order. */
async function* textsOf(
  repository: StoredRepository,
  ids: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<BlobText, void, void> {
  for await (const batch of repository.blobs(ids, { maxBytes: longestBlob, isBackground: true, signal })) {
    const contents = [...contentsIn(batch)];
    const absent = contents.flatMap(({ id, content }) => (content ? [] : [id]));
    const sizes = absent.length > 0 ? await repository.sizes(absent, signal) : [];
    const lost = new Set(absent.filter((_, index) => sizes[index] === undefined));
    for (const { id, content } of contents) yield { id, text: content && textOf(content), isLost: lost.has(id) };
  }
}

/** As callers read it. */
const textOf = (bytes: Buffer): string | undefined => (lfsPointer(bytes) ? undefined : indexedText(bytes)?.toString());
