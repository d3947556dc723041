import type { GitStore } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import { LRUCache } from 'lru-cache';
import { identifierParts, isStopWord, stem, withoutNoise } from '../task/words.ts';
import { turn } from '../turn.ts';

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
const mostBytes = 32 * 2 ** 20;
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

  async #list(repo: string, commit: string, signal: AbortSignal): Promise<readonly PastCommit[]> {
    const args = ['rev-list', '--no-merges', `--max-count=${this.#most}`, '--end-of-options', commit];
    const hashes = (await this.#output(repo, { args, signal })).toString('latin1').split('\n').slice(0, -1);
    const missing = hashes.filter((hash) => !this.#commits.has(`${repo} ${hash}`));
    const loaded = await this.#load(repo, missing, signal);
    return hashes.flatMap((hash) => loaded.get(hash) ?? this.#commits.get(`${repo} ${hash}`) ?? []);
  }

  async #load(repo: string, hashes: readonly string[], signal: AbortSignal): Promise<Map<string, PastCommit>> {
    const loaded = new Map<string, PastCommit>();
    if (hashes.length === 0) return loaded;
    const args = [
      'diff-tree',
      '--stdin',
      '--root',
      '-r',
      '-z',
      '--no-renames',
      '--no-ext-diff',
      '--name-only',
      '--format=%x01%H%x02%B%x02',
    ];
    const input = [Buffer.from(hashes.map((hash) => `${hash}\n`).join(''))];
    const output = (await this.#output(repo, { args, input, signal })).toString('utf8');
    const interned = new Map<string, string>();
    for (let at = output.indexOf(begin), end = 0; at >= 0; at = end) {
      await turn.share();
      end = output.indexOf(begin, at + 1);
      const [hash, commit] = commitIn(output.slice(at + 1, end < 0 ? output.length : end), interned);
      loaded.set(hash, commit);
      this.#commits.set(`${repo} ${hash}`, commit);
    }
    return loaded;
  }

  /** As much as git prints within the limits. Throws `unavailable` where the repository has gone, and what the signal is aborted with. */
  async #output(
    repo: string,
    { signal, ...command }: { args: readonly string[]; input?: Iterable<Uint8Array>; signal: AbortSignal },
  ): Promise<Buffer> {
    const repository = await this.#store.find(repo);
    if (!repository) throw new SextantError('unavailable', `repository "${repo}" cannot be read now; try again later`);
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    try {
      for await (const piece of repository.stream({ ...command, signal, seconds: mostSeconds })) {
        pieces.push(piece);
        bytes += piece.length;
        if (bytes > mostBytes) break;
      }
    } catch (error) {
      // A task is answered without the past that cannot be read.
      if (signal.aborted) throw error;
    }
    return Buffer.concat(pieces);
  }
}

/** Before each commit. */
const begin = '\u0001';

/** Equal strings are kept once. */
function commitIn(entry: string, interned: Map<string, string>): [string, PastCommit] {
  const [hash = '', message = '', changes = ''] = entry.split('\u0002');
  const intern = (text: string): string => {
    const known = interned.get(text);
    if (known === undefined) interned.set(text, text);
    return known ?? text;
  };
  const stems = identifierParts(withoutNoise(message.slice(0, mostMessage)))
    .filter((word) => !isStopWord(word))
    .slice(0, mostStems)
    .map((word) => intern(stem(word)));
  const paths = changes.split('\0').filter((path) => path !== '' && path !== '\n');
  return [hash, { stems, paths: paths.length > mostPaths ? [] : paths.map((path) => intern(path.replace(/^\n/, ''))) }];
}
