import { defaultSearchLimits } from '@sextant/contracts';
import type { Search, SearchResult } from '@sextant/contracts';
import { escaped } from './pattern.ts';
import type { Snapshot } from './snapshot.ts';
import type { Snapshots } from './snapshots.ts';

/** A file that has a text, found without reading it. */
export interface Candidate {
  readonly snapshot: Snapshot;
  readonly path: string;
}

export interface CandidateList {
  readonly files: readonly Candidate[];
  readonly isCut: boolean;
}

export interface Where {
  /** Files with these ends of names only; any unless said. */
  readonly extensions?: readonly string[];
  /** A regular expression on paths. */
  readonly file?: string;
  /** Most files. */
  readonly limit: number;
}

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

/** Finds the files that have a text by asking `Search`, which looks only at what the caller may read. */
export class Candidates {
  readonly #search: Search;
  readonly #snapshots: Snapshots;

  constructor(search: Search, snapshots: Snapshots) {
    this.#search = search;
    this.#snapshots = snapshots;
  }

  /** Files of one commit. */
  async inSnapshot(snapshot: Snapshot, text: string, where: Where): Promise<CandidateList> {
    const { files, limitHit } = await this.#find(`${scopeOf(snapshot)} ${queryOf(text, where)}`);
    return { files: files.map(({ path }) => ({ snapshot, path })), isCut: limitHit };
  }

  /** The files that a query matches, in all repositories that it names. */
  matching(query: string): Promise<SearchResult> {
    return this.#find(query);
  }

  /** The lines of one commit with a word, the best first. */
  lines(snapshot: Snapshot, word: string, limit: number): Promise<SearchResult> {
    const { caller, signal } = this.#snapshots;
    const [before, after] = [/^\w/.test(word) ? '\\b' : '', /\w$/.test(word) ? '\\b' : ''];
    const query = `${scopeOf(snapshot)} case:yes type:file /${before}${escaped(word)}${after}/`;
    return this.#search.find(
      caller,
      { query, mode: 'keyword', limits: { ...defaultSearchLimits, files: limit } },
      signal,
    );
  }

  /** Files of the default branches of all repositories but one. */
  async elsewhere(than: Snapshot, text: string, where: Where): Promise<CandidateList> {
    const { files, limitHit } = await this.#find(`-repo:^${escaped(than.repo)}$ ${queryOf(text, where)}`);
    const found = await Promise.all(
      files.map(async ({ repo, path }): Promise<Candidate[]> => {
        const snapshot = await this.#snapshots.openOther(repo);
        return snapshot ? [{ snapshot, path }] : [];
      }),
    );
    return { files: found.flat(), isCut: limitHit };
  }

  #find(query: string): Promise<SearchResult> {
    const { caller, signal } = this.#snapshots;
    return this.#search.find(caller, { query, mode: 'keyword', limits: defaultSearchLimits }, signal);
  }
}

const scopeOf = ({ repo, commit }: Snapshot): string => `repo:^${escaped(repo)}$ rev:${commit}`;

function queryOf(text: string, { extensions = [], file, limit }: Where): string {
  const ends = extensions.length > 0 ? ` file:(${extensions.map(escaped).join('|')})$` : '';
  const place = file === undefined ? '' : ` file:${file}`;
  return `${quoted(text)} case:yes type:file select:file count:${limit}${ends}${place}`;
}
