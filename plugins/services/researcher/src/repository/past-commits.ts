import type { GitStore } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';
import { withoutNoise } from '../task/clean.ts';
import { identifierParts, isStopWord, stem } from '../task/words.ts';
import { outputOf } from './trees.ts';

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

/** The newest commits before a revision, merges left out. It knows no caller: ask only for what one has opened. */
export class PastCommits {
  readonly #store: GitStore;
  readonly #most: number;
  /** By repository and hash: commits never change. */
  readonly #commits: LRUCache<string, PastCommit>;

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

  /** Newest first; only what the commit reaches, itself included. */
  async before(repo: string, commit: string, signal: AbortSignal): Promise<PastCommit[]> {
    const list = ['rev-list', '--no-merges', `--max-count=${this.#most}`, '--end-of-options', commit];
    const hashes = (await outputOf(this.#store, repo, { args: list, signal }))
      .toString('latin1')
      .split('\n')
      .slice(0, -1);
    const missing = hashes.filter((hash) => !this.#commits.has(`${repo} ${hash}`));
    const loaded = await this.#load(repo, missing, signal);
    return hashes.flatMap((hash) => loaded.get(hash) ?? this.#commits.get(`${repo} ${hash}`) ?? []);
  }

  async #load(repo: string, hashes: readonly string[], signal: AbortSignal): Promise<Map<string, PastCommit>> {
    if (hashes.length === 0) return new Map();
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
    const output = (await outputOf(this.#store, repo, { args, input, signal })).toString('utf8');
    const interned = new Map<string, string>();
    const loaded = new Map(
      output
        .split('\u0001')
        .slice(1)
        .map((entry) => commitIn(entry, interned)),
    );
    for (const [hash, commit] of loaded) this.#commits.set(`${repo} ${hash}`, commit);
    return loaded;
  }
}

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
