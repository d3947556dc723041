import { escapeRegExp, isSextantError } from '@sextant/core';
import { defaultSearchLimits, literal, partNotSearched, queryOf, repositoriesNamed } from '@sextant/contracts';
import type { ParsedQuery, Query, Search, SearchRequest, SearchResult } from '@sextant/contracts';
import type { Snapshot, Snapshots } from '../snapshot/snapshot.ts';
import type { CommitFile } from '../snapshot/source-file.ts';
import type { Asking, CandidateList, Where } from './candidates.ts';

/** Repositories that one query names. */
const maxNamed = 50;

/** Finds files by their text. `Search` looks only at what the caller may read. */
export class TextCandidates {
  readonly #search: Search;
  readonly #snapshots: Snapshots;

  constructor(search: Search, snapshots: Snapshots) {
    this.#search = search;
    this.#snapshots = snapshots;
  }

  /** Paths in a commit. */
  async inSnapshot(
    snapshot: Snapshot,
    where: Where,
  ): Promise<{ readonly paths: readonly string[]; readonly isCut: boolean }> {
    const { files, limitHit } = await this.matching(filesWith(scopeOf(snapshot), where, snapshot), inPassing);
    return { paths: files.map(({ path }) => path), isCut: limitHit };
  }

  /** Files of the default branches of some repositories. The answer of the call says which of them could not be searched. */
  async inRepositories(repositories: ReadonlySet<string>, like: Asking, where: Where): Promise<CandidateList> {
    const scope: Query =
      repositories.size > maxNamed
        ? { kind: 'not', child: repositoriesNamed([like.repo]) }
        : repositoriesNamed([...repositories]);
    const { files, limitHit } = await this.#matchingAny(filesWith([scope], where, like));
    const found = await Promise.all(
      files.map(async ({ repo, path }): Promise<CommitFile[]> => {
        const snapshot = repositories.has(repo) ? await this.#snapshots.openOther(repo) : undefined;
        return snapshot ? [{ snapshot, path }] : [];
      }),
    );
    return { files: found.flat(), isCut: limitHit };
  }

  async #matchingAny(query: ParsedQuery): Promise<Pick<SearchResult, 'files' | 'limitHit'>> {
    try {
      const found = await this.matching(query, { ...inPassing, isPart: true });
      const reasons = found.notSearched?.reasons ?? [];
      for (const note of found.notes) if (reasons.includes(note)) this.#snapshots.lacks(note);
      return found;
    } catch (error) {
      if (!isSextantError(error) || error.code !== 'unavailable') throw error;
      this.#snapshots.lacks(partNotSearched(error));
      return { files: [], limitHit: true };
    }
  }

  /** The files that a query matches, in all repositories that it is about. Of a part of an answer nobody asks why it has none. */
  matching(query: ParsedQuery, asked: Pick<SearchRequest, 'isPart' | 'isNamed'>): Promise<SearchResult> {
    const { caller, signal } = this.#snapshots;
    return this.#search.find(caller, { ...query, mode: 'keyword', limits: defaultSearchLimits, ...asked }, signal);
  }

  /** The lines of one commit with a word, best first. `isNamed` ranks files whose name has the word higher. */
  lines(
    snapshot: Snapshot,
    word: string,
    { limit, isNamed }: { limit: number; isNamed: boolean },
  ): Promise<SearchResult> {
    const { caller, signal } = this.#snapshots;
    const parts: Query[] = [
      ...scopeOf(snapshot),
      ...(isNamed ? [literal(word, { isCaseSensitive: true })] : []),
      wholeWord(word),
    ];
    const limits = { ...defaultSearchLimits, files: limit };
    const query = queryOf(parts, { types: ['file'] });
    return this.#search.find(caller, { ...query, mode: 'keyword', limits, ...inPassing }, signal);
  }
}

/** Who names a repository has opened it before. */
const inPassing = { isNamed: false };

const scopeOf = ({ repo, commit }: Snapshot): Query[] => [
  repositoriesNamed([repo]),
  { kind: 'rev', revisions: [commit] },
];

function wholeWord(name: string): Query {
  const [before, after] = [/^\w/.test(name) ? '\\b' : '', /\w$/.test(name) ? '\\b' : ''];
  return { kind: 'regex', pattern: `${before}${escapeRegExp(name)}${after}`, isCaseSensitive: true };
}

function filesWith(scope: readonly Query[], where: Where, { languages }: Asking): ParsedQuery {
  const { name, besides, language, folder, isFolderWhole, limit } = where;
  const names = [name, besides].filter((one) => one !== undefined);
  const ends = languages.endsOf(language).map(escapeRegExp).join('|');
  const inFolder = folder === undefined || folder === '' ? '^' : `^${escapeRegExp(folder)}/`;
  const place = isFolderWhole || folder === undefined ? inFolder : `${inFolder}[^/]+$`;
  const parts: Query[] = [
    ...scope,
    ...names.map(wholeWord),
    { kind: 'file', pattern: `(${ends})$` },
    { kind: 'file', pattern: place },
  ];
  return queryOf(parts, { types: ['file'], select: 'file', count: limit });
}
