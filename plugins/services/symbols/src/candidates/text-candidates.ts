import { defaultSearchLimits } from '@sextant/contracts';
import type { Search, SearchResult } from '@sextant/contracts';
import { escaped } from '../paths.ts';
import type { Snapshot, Snapshots } from '../snapshot/snapshot.ts';
import type { Candidate, CandidateList, Where } from './candidates.ts';

/** Repositories that one query names. */
const maxNamed = 50;

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

/** Finds files by their text by asking `Search`, which looks only at what the caller may read. */
export class TextCandidates {
  readonly #search: Search;
  readonly #snapshots: Snapshots;

  constructor(search: Search, snapshots: Snapshots) {
    this.#search = search;
    this.#snapshots = snapshots;
  }

  async inSnapshot(snapshot: Snapshot, where: Where): Promise<CandidateList> {
    const { files, limitHit } = await this.matching(`${scopeOf(snapshot)} ${queryOf(where, snapshot)}`);
    return { files: files.map(({ path }) => ({ snapshot, path })), isCut: limitHit };
  }

  /** Files of the default branches of some repositories, of which the languages are those of a snapshot. */
  async inRepositories(repositories: ReadonlySet<string>, like: Snapshot, where: Where): Promise<CandidateList> {
    const names = [...repositories].map(escaped).join('|');
    const scope = repositories.size > maxNamed ? `-repo:^${escaped(like.repo)}$` : `repo:^(${names})$`;
    const { files, limitHit } = await this.matching(`${scope} ${queryOf(where, like)}`);
    const found = await Promise.all(
      files.map(async ({ repo, path }): Promise<Candidate[]> => {
        const snapshot = repositories.has(repo) ? await this.#snapshots.openOther(repo) : undefined;
        return snapshot ? [{ snapshot, path }] : [];
      }),
    );
    return { files: found.flat(), isCut: limitHit };
  }

  /** The files that a query matches, in all repositories that it names. */
  matching(query: string): Promise<SearchResult> {
    const { caller, signal } = this.#snapshots;
    return this.#search.find(caller, { query, mode: 'keyword', limits: defaultSearchLimits }, signal);
  }

  /** The lines of one commit with a word, the best first. With `isNamed` files that are named so are better, and a match counts twice. */
  lines(
    snapshot: Snapshot,
    word: string,
    { limit, isNamed }: { limit: number; isNamed: boolean },
  ): Promise<SearchResult> {
    const { caller, signal } = this.#snapshots;
    const [before, after] = [/^\w/.test(word) ? '\\b' : '', /\w$/.test(word) ? '\\b' : ''];
    const name = isNamed ? `${quoted(word)} ` : '';
    const query = `${scopeOf(snapshot)} case:yes type:file ${name}/${before}${escaped(word)}${after}/`;
    return this.#search.find(
      caller,
      { query, mode: 'keyword', limits: { ...defaultSearchLimits, files: limit } },
      signal,
    );
  }
}

const scopeOf = ({ repo, commit }: Snapshot): string => `repo:^${escaped(repo)}$ rev:${commit}`;

function queryOf(where: Where, { languages }: Snapshot): string {
  const { name, besides, language, folder, isFolderWhole, limit } = where;
  const names = [name, besides].flatMap((one) => (one === undefined ? [] : quoted(one))).join(' ');
  const ends = languages.endsOf(language).map(escaped).join('|');
  const inFolder = folder === undefined || folder === '' ? '^' : `^${escaped(folder)}/`;
  const place = isFolderWhole || folder === undefined ? inFolder : `${inFolder}[^/]+$`;
  return `${names} case:yes type:file select:file count:${limit} file:(${ends})$ file:${place}`;
}
