import { pickNamed, pickWhere, wantedChanges } from '@sextant/contracts';
import type {
  Commit,
  CommitRequest,
  ContributorRequest,
  ContributorResult,
  DiffRequest,
  FoundCommit,
  FoundDiff,
  FoundHistory,
  History,
  HistoryQuery,
  HistoryResult,
  NamedRepositories,
  NamesMatching,
  Repositories,
} from '@sextant/contracts';
import type { Caller } from '@sextant/core';
import type { Contributors } from './contributors.ts';
import { HistorySearch, commitResults, hunkResults } from './history-search.ts';
import type { HistorySearchParts, HistorySearchRequest } from './history-search.ts';
import { TimeLimit } from './match/time-limit.ts';
import { windowOf } from './request/dates.ts';
import { questionOf } from './request/query-question.ts';
import { commitQuery, diffQuery, wantedCommits, wantedDiffs } from './request/wanted.ts';

export interface HistoryServiceParts extends HistorySearchParts {
  readonly repositories: Repositories;
  readonly contributors: Contributors;
}

/** History from the index and from git. First it decides which repositories the caller may read; nothing else exists from then on. */
export class HistoryService implements History {
  readonly #parts: HistoryServiceParts;
  readonly #matching: NamesMatching = (pattern, names) =>
    new Set(
      this.#parts.patterns.select(names, (name) => name, {
        patterns: [pattern],
        argument: 'repos',
        isRegex: true,
        foldCase: true,
      }),
    );

  constructor(parts: HistoryServiceParts) {
    this.#parts = parts;
  }

  async commits(caller: Caller, request: CommitRequest, signal: AbortSignal): Promise<HistoryResult<FoundCommit>> {
    const window = windowOf(request, new Date());
    const wanted = wantedCommits(this.#parts.patterns, request, window);
    const picked = await this.#picked(caller, request, true);
    const query = commitQuery(request, { window, repositories: picked.expressions });
    return this.#answer({ question: { ...request, picked, wanted, query }, kind: commitResults, signal });
  }

  async diffs(caller: Caller, request: DiffRequest, signal: AbortSignal): Promise<HistoryResult<FoundDiff>> {
    const window = windowOf(request, new Date());
    const wanted = wantedDiffs(this.#parts.patterns, request, window);
    const picked = await this.#picked(caller, request, false);
    const query = diffQuery(request, { window, repositories: picked.expressions });
    return this.#answer({ question: { ...request, picked, wanted, query }, kind: hunkResults, signal });
  }

  async find(caller: Caller, { limit, isNamed, ...query }: HistoryQuery, signal: AbortSignal): Promise<FoundHistory> {
    const { patterns, repositories } = this.#parts;
    const asked = questionOf(patterns, query, new Date());
    const { revisions, wanted, type } = asked;
    const names = pickWhere(asked.repositories, await repositories.list(caller), this.#matching);
    const picked = { ...names, areNamed: isNamed ?? names.areNamed, notes: [...asked.notes, ...names.notes] };
    const count = wantedChanges(limit, asked.count);
    const question = { picked, revisions, wanted, count, query };
    return type === 'commit'
      ? { type, ...(await this.#answer({ question, kind: commitResults, signal })) }
      : { type, ...(await this.#answer({ question, kind: hunkResults, signal })) };
  }

  async contributors(caller: Caller, request: ContributorRequest, signal: AbortSignal): Promise<ContributorResult> {
    const visible = await this.#parts.repositories.list(caller);
    const limit = new TimeLimit(this.#parts.settings.answerSeconds, signal);
    const names = visible.map(({ name }) => name);
    return this.#parts.contributors.find(request, { names, limit });
  }

  async #picked(
    caller: Caller,
    { repositories, isNamed }: CommitRequest | DiffRequest,
    areNames: boolean,
  ): Promise<NamedRepositories> {
    const visible = await this.#parts.repositories.list(caller);
    const picked = pickNamed(repositories, { visible, matching: this.#matching, areNames });
    return { ...picked, areNamed: isNamed ?? picked.areNamed };
  }

  #answer<T, R extends Commit>(request: HistorySearchRequest<T, R>): Promise<HistoryResult<R>> {
    return new HistorySearch(this.#parts, request).run();
  }
}
