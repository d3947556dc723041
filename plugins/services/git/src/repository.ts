import { SextantError, isSextantError, messageOf } from '@sextant/core';
import type { ErrorCode } from '@sextant/core';
import type {
  BlameRequest,
  BlamedLine,
  CommitDetails,
  ComparedRevisions,
  Comparison,
  ComparisonPage,
  FoundEntry,
  LineTrace,
  RefFilter,
  RefList,
  Repository,
  RepositoryInfo,
  TextFile,
  TraceRequest,
  TreeFolder,
  TreeListing,
} from '@sextant/contracts';
import type { GitFolder } from './storage/git-folder.ts';
import type { Readers } from './readers.ts';

/** Names that are compared to suggest the nearest branch or tag. */
const maxSuggestions = 5000;

/** A repository on this machine, read through the git program. */
export class GitRepository implements Repository {
  readonly info: RepositoryInfo;
  readonly #folder: GitFolder;
  readonly #readers: Readers;

  constructor(info: RepositoryInfo, folder: GitFolder, readers: Readers) {
    this.info = info;
    this.#folder = folder;
    this.#readers = readers;
  }

  resolve(revision: string | undefined, signal: AbortSignal): Promise<string> {
    return this.#whileThere((key) => this.#resolved(key, revision, signal));
  }

  #resolved(key: string, revision: string | undefined, signal: AbortSignal): Promise<string> {
    const namesToSuggest = async (): Promise<string[]> => {
      const { refs } = await this.listRefs({ types: ['branch', 'tag'], limit: maxSuggestions }, signal);
      return refs.map(({ name }) => name);
    };
    return this.#readers.revisions.resolve({ folder: this.#folder, key, revision, signal, namesToSuggest });
  }

  find(commit: string, path: string, signal: AbortSignal): Promise<FoundEntry> {
    return this.#whileThere((key) => this.#readers.trees.entryAt({ folder: this.#folder, key, commit, path, signal }));
  }

  readCommit(commit: string, signal: AbortSignal): Promise<CommitDetails> {
    return this.#whileThere(() => this.#readers.commits.read(this.#folder, commit, signal));
  }

  readBytes(commit: string, path: string, signal: AbortSignal): Promise<Uint8Array> {
    return this.#whileThere((key) => this.#readers.texts.bytes({ folder: this.#folder, key, commit, path, signal }));
  }

  readText(commit: string, path: string, signal: AbortSignal): Promise<TextFile> {
    return this.#whileThere((key) => this.#readers.texts.read({ folder: this.#folder, key, commit, path, signal }));
  }

  readTextAt(
    revision: string | undefined,
    path: string,
    signal: AbortSignal,
  ): Promise<{ commit: string; file: TextFile }> {
    // The folder is looked at once for both.
    return this.#whileThere(async (key) => {
      const commit = await this.#resolved(key, revision, signal);
      const file = await this.#readers.texts.read({ folder: this.#folder, key, commit, path, signal });
      return { commit, file };
    });
  }

  blame({ commit, path, startLine, endLine }: BlameRequest, signal: AbortSignal): Promise<readonly BlamedLine[]> {
    return this.#whileThere((key) =>
      this.#readers.blame.lines({ folder: this.#folder, key, commit, path, signal }, { startLine, endLine }),
    );
  }

  trace({ commit, path, ...range }: TraceRequest, signal: AbortSignal): Promise<LineTrace> {
    return this.#whileThere((key) =>
      this.#readers.lines.trace({ folder: this.#folder, key, commit, path, signal }, range),
    );
  }

  listTree({ commit, path, limit }: TreeFolder, signal: AbortSignal): Promise<TreeListing> {
    return this.#whileThere((key) =>
      this.#readers.trees.list({ folder: this.#folder, key, commit, path, signal }, limit),
    );
  }

  listRefs(filter: RefFilter, signal: AbortSignal): Promise<RefList> {
    return this.#whileThere(async () => {
      const { containsCommit, ...rest } = filter;
      const contained =
        containsCommit === undefined ? {} : { containsCommit: await this.resolve(containsCommit, signal) };
      return this.#readers.refs.list({ folder: this.#folder, filter: { ...rest, ...contained }, signal });
    });
  }

  mergeBase(base: string, head: string, signal: AbortSignal): Promise<ComparedRevisions> {
    return this.#whileThere(async () => {
      const [from, to] = await Promise.all([this.resolve(base, signal), this.resolve(head, signal)]);
      return {
        ...(await this.#readers.comparer.mergeBase({ folder: this.#folder, base: from, head: to, signal })),
        head: to,
      };
    });
  }

  compare(page: ComparisonPage, signal: AbortSignal): Promise<Comparison> {
    return this.#whileThere(() =>
      this.#readers.comparer.compare({ folder: this.#folder, base: page.base, head: page.head, signal }, page),
    );
  }

  async #whileThere<T>(work: (key: string) => Promise<T>): Promise<T> {
    try {
      await this.#folder.prepare();
      return await work(this.#folder.cacheKey());
    } catch (error) {
      throw this.#named(this.#reasonOf(error));
    }
  }

  /** Whatever goes wrong because the repository was removed meanwhile is told as that. */
  #reasonOf(error: unknown): unknown {
    const isUnavailable = isSextantError(error) && error.code === 'unavailable';
    try {
      if (!isSextantError(error) || isUnavailable) this.#folder.cacheKey();
    } catch (gone) {
      return gone;
    }
    if (isUnavailable)
      this.#readers.log.warn(
        { repository: this.info.name, reason: messageOf(error.cause ?? error) },
        'a repository could not be read',
      );
    return error;
  }

  /** A caller who asks many repositories is told which one it was. */
  #named(error: unknown): unknown {
    const { name } = this.info;
    // One method may call another.
    if (!isSextantError(error) || !ofRepository.includes(error.code) || error.message.startsWith(`${name}: `))
      return error;
    const { code, message, cause = error, retryAfterSeconds } = error;
    const details = { cause, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
    return new SextantError(code, `${name}: ${message}`, details);
  }
}

/** What may go wrong because of the repository and not of what was asked. */
const ofRepository: readonly ErrorCode[] = ['unavailable', 'timeout', 'not_found'];
