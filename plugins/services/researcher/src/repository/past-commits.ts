import { hashesIn, readPatches } from '@sextant/contracts';
import type { CommitRecord, GitStore, PatchSink, StoredRepository } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';
import { identifierParts, isStopWord, stem } from '@sextant/library-ranking';
import { withoutNoise } from '../task/noise.ts';
import { turn } from '../turn.ts';
import { storedIn } from './trees.ts';

/** What an earlier commit tells of the files that it changed. */
export interface PastCommit {
  /** Of the words of its message, each as often as it stands there. */
  readonly stems: readonly string[];
  readonly paths: readonly string[];
}

/** A commit that changes more files tells little of each. */
const mostPaths = 30;
const mostStems = 120;
const mostMessage = 4000;
/** Of the messages and paths of the commits of one repository; what lies beyond is of older commits. */
const mostCharacters = 32 * 2 ** 20;
/** Time for git to tell them. */
const mostSeconds = 10;
/** Commits of which the past is kept as a list. */
const keptLists = 32;

/** The newest commits before a revision, merges left out. It knows no caller: ask only for what one has opened. */
export class PastCommits {
  readonly #store: GitStore;
  readonly #most: number;
  /** By repository and hash: commits never change. */
  readonly #commits: LRUCache<string, PastCommit>;
  /** By repository and commit: of one task after the other it is the same. */
  readonly #lists = new LRUCache<string, readonly PastCommit[]>({ max: keptLists });

  constructor(store: GitStore, { commits, cached }: { commits: number; cached: number }) {
    this.#store = store;
    this.#most = commits;
    // Each has size 1: `max` would take the room for all of them at the start.
    this.#commits = new LRUCache({ maxSize: cached, sizeCalculation: () => 1 });
  }

  /** Whether more would push out what is kept. */
  get isFull(): boolean {
    return this.#commits.size + this.#most > this.#commits.maxSize;
  }

  forget(): void {
    this.#commits.clear();
    this.#lists.clear();
  }

  /** Newest first; only what the commit reaches, itself included. Of a past that git does not tell in time the newest part, or none. */
  async before(repo: string, commit: string, signal: AbortSignal): Promise<readonly PastCommit[]> {
    const key = `${repo} ${commit}`;
    const known = this.#lists.get(key);
    if (known) return known;
    const list = await this.#list(repo, commit, signal);
    // Nothing may be what could not be read.
    if (list.length > 0) this.#lists.set(key, list);
    return list;
  }

  /** Whether the repository is a shallow clone. */
  async beginsLate(repo: string, signal: AbortSignal): Promise<boolean> {
    return (await (await storedIn(this.#store, repo)).shallow(signal)) !== '';
  }

  async #list(repo: string, commit: string, signal: AbortSignal): Promise<readonly PastCommit[]> {
    const repository = await storedIn(this.#store, repo);
    const hashes = await this.#hashes(repository, commit, signal);
    // Looked up before the others are read: meanwhile what is kept may be given up.
    const known = hashes.map((hash) => this.#commits.get(`${repo} ${hash}`));
    const missing = hashes.filter((_, at) => !known[at]);
    const loaded = await this.#load(repository, missing, signal);
    return hashes.flatMap((hash, at) => known[at] ?? loaded.get(hash) ?? []);
  }

  /** None where git cannot tell them. */
  async #hashes(repository: StoredRepository, commit: string, signal: AbortSignal): Promise<string[]> {
    try {
      const range = { include: [commit], withoutMerges: true, most: this.#most };
      return hashesIn(await repository.graph(range, { signal }));
    } catch (error) {
      if (signal.aborted) throw error;
      return [];
    }
  }

  /** As many as git tells within the limits. Throws what the signal is aborted with. */
  async #load(
    repository: StoredRepository,
    hashes: readonly string[],
    signal: AbortSignal,
  ): Promise<Map<string, PastCommit>> {
    const loaded = new Map<string, PastCommit>();
    if (hashes.length === 0) return loaded;
    const told = new ToldCommits();
    try {
      const options = { wants: 'paths', signal, seconds: mostSeconds } as const;
      await readPatches(inTurns(repository.patches({ commits: hashes }, options)), told);
    } catch (error) {
      // A task is answered without the past that cannot be read.
      if (signal.aborted) throw error;
    }
    const interned = new Map<string, string>();
    for (const [hash, { message, paths }] of told.commits) {
      await turn.share();
      const commit = pastCommit(message, paths, interned);
      loaded.set(hash, commit);
      this.#commits.set(`${repository.name} ${hash}`, commit);
    }
    return loaded;
  }
}

/** Between two pieces others have their turn. */
async function* inTurns(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    await turn.share();
    yield piece;
  }
}

/** Messages and paths of commits, up to a number of characters. */
class ToldCommits implements PatchSink {
  readonly commits = new Map<string, { readonly message: string; readonly paths: string[] }>();
  #paths: string[] = [];
  #characters = 0;

  get isDone(): boolean {
    return this.#characters > mostCharacters;
  }

  commit({ hash, message }: CommitRecord): void {
    this.#paths = [];
    this.#characters += message.length;
    this.commits.set(hash, { message, paths: this.#paths });
  }

  path(path: string): void {
    this.#characters += path.length;
    // One more tells that there are too many.
    if (this.#paths.length <= mostPaths) this.#paths.push(path);
  }
}

/** Equal strings are kept once. */
function pastCommit(message: string, paths: readonly string[], interned: Map<string, string>): PastCommit {
  const intern = (text: string): string => {
    const known = interned.get(text);
    if (known === undefined) interned.set(text, text);
    return known ?? text;
  };
  const stems = identifierParts(withoutNoise(message.slice(0, mostMessage)))
    .filter((word) => !isStopWord(word))
    .slice(0, mostStems)
    .map((word) => intern(stem(word)));
  return { stems, paths: paths.length > mostPaths ? [] : paths.map(intern) };
}
