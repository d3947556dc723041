import type {
  Commit,
  CommitRequest,
  ContributorRequest,
  ContributorResult,
  DiffRequest,
  FoundDiff,
  FoundHistory,
  GitStore,
  History,
  HistoryQuery,
  HistoryResult,
  Repositories,
  StoredRepository,
} from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { HistoryConfig } from './config.ts';
import type { Contributors } from './contributors/contributors.ts';
import type { ChangeIndex } from './index/change-index.ts';
import { isShallow } from './git/shallow.ts';
import { tipsOf } from './git/tips.ts';
import { Walks } from './git/walks.ts';
import { windowOf } from './request/dates.ts';
import type { Patterns } from './request/patterns.ts';
import { questionOf } from './request/query-question.ts';
import { commitQuery, diffQuery } from './request/query-text.ts';
import { wantedCommits, wantedDiffs } from './request/wanted.ts';
import type { Wanted } from './request/wanted.ts';
import { merged } from './search/answer.ts';
import type { RepositoryAnswer } from './search/answer.ts';
import { Conditions } from './search/conditions.ts';
import { findCommits, findHunks } from './search/find.ts';
import type { FindOptions, Found } from './search/find.ts';
import { inTurns } from './search/in-turns.ts';
import type { RepositorySearch } from './search/repository-search.ts';
import { TimeLimit } from './search/time-limit.ts';
import { pickMatching, pickNames, pickWhere } from './search/visible.ts';
import type { Picked } from './search/visible.ts';

export interface HistoryServiceParts {
  readonly repositories: Repositories;
  readonly store: GitStore;
  readonly patterns: Patterns;
  readonly contributors: Contributors;
  readonly changes: ChangeIndex;
  readonly settings: HistoryConfig;
}

/** What one request looks for, and where. */
interface Question {
  readonly picked: Picked;
  readonly revisions: readonly string[];
  readonly wanted: Wanted;
  /** Most results. */
  readonly count: number;
  /** The same as a query. */
  readonly query: string;
}

/** Looks for what is wanted in one repository. */
type Find<T> = (search: RepositorySearch, options: FindOptions) => Promise<Found<T>>;

/** Results of a query that says `count:all`, or more. */
const mostByQuery = 100;

/** History by git itself. The repositories that the caller may read are the first thing that is decided. */
export class HistoryService implements History {
  readonly #parts: HistoryServiceParts;
  readonly #walks = new Walks();

  constructor(parts: HistoryServiceParts) {
    this.#parts = parts;
  }

  async commits(caller: Caller, request: CommitRequest, signal: AbortSignal): Promise<HistoryResult<Commit>> {
    const window = windowOf(request, new Date());
    const wanted = wantedCommits(this.#parts.patterns, request, window);
    const picked = pickNames(request.repositories, await this.#parts.repositories.list(caller));
    const { revisions, count } = request;
    return this.#answer({ picked, revisions, wanted, count, query: commitQuery(request, window) }, findCommits, signal);
  }

  async diffs(caller: Caller, request: DiffRequest, signal: AbortSignal): Promise<HistoryResult<FoundDiff>> {
    const { patterns, repositories } = this.#parts;
    const window = windowOf(request, new Date());
    const wanted = wantedDiffs(patterns, request, window);
    const picked = pickMatching(request.repositories, await repositories.list(caller), patterns);
    const { revisions, count } = request;
    return this.#answer({ picked, revisions, wanted, count, query: diffQuery(request, window) }, findHunks, signal);
  }

  async find(caller: Caller, { query, limit }: HistoryQuery, signal: AbortSignal): Promise<FoundHistory | undefined> {
    const { patterns, repositories } = this.#parts;
    const asked = questionOf(patterns, query, new Date());
    if (!asked) return undefined;
    const { revisions, wanted, type } = asked;
    const names = pickWhere(asked.repositories, await repositories.list(caller), patterns);
    const picked = { ...names, notes: [...asked.notes, ...names.notes] };
    const count = asked.count === 'all' ? mostByQuery : Math.min(asked.count ?? limit, mostByQuery);
    const question = { picked, revisions, wanted, count, query };
    return type === 'commit'
      ? { type, ...(await this.#answer(question, findCommits, signal)) }
      : { type, ...(await this.#answer(question, findHunks, signal)) };
  }

  async contributors(caller: Caller, request: ContributorRequest, signal: AbortSignal): Promise<ContributorResult> {
    const visible = await this.#parts.repositories.list(caller);
    const limit = new TimeLimit(this.#parts.settings.answerSeconds, signal);
    const names = visible.map(({ name }) => name);
    return this.#parts.contributors.find(request, { names, limit });
  }

  async #answer<T extends Commit>(question: Question, find: Find<T>, signal: AbortSignal): Promise<HistoryResult<T>> {
    const { picked, wanted, query, count } = question;
    const conditions = new Conditions(this.#parts.patterns, wanted);
    try {
      const options = { sides: wanted.sides, most: count + 1 };
      const search = (one: RepositorySearch): Promise<Found<T>> => find(one, options);
      const { answers, notes } = await this.#searchEach({ question, conditions, search }, signal);
      return merged({ query, count, notes: [...picked.notes, ...notes], answers });
    } finally {
      conditions.release();
    }
  }

  async #searchEach<T>(
    asked: Asked<T>,
    signal: AbortSignal,
  ): Promise<{ answers: RepositoryAnswer<T>[]; notes: readonly string[] }> {
    const { answerSeconds, repositoriesAtOnce } = this.#parts.settings;
    const { names } = asked.question.picked;
    const limit = new TimeLimit(answerSeconds, signal);
    const stored = names.map((name) => this.#parts.store.find(name));
    const cloning = names.filter((_, index) => !stored[index]);
    const ready = stored.filter((repository) => repository !== undefined);
    const answers = await inTurns(ready, repositoriesAtOnce, (one) => this.#searchOne(asked, one, limit));
    refuseUnknownRevisions(answers);
    const waiting = `Not searched, because they are still being cloned: ${cloning.join(', ')}.`;
    return { answers, notes: cloning.length === 0 ? [] : [waiting] };
  }

  async #searchOne<T>(
    { question, conditions, search }: Asked<T>,
    repository: StoredRepository,
    limit: TimeLimit,
  ): Promise<RepositoryAnswer<T>> {
    const nothing = { repo: repository.name, found: [], unreadable: 0, unknownRevisions: [], isShallow: false };
    const { signal } = limit;
    const { revisions, wanted } = question;
    try {
      const request = { revisions, patterns: this.#parts.patterns, signal };
      const { unknown: unknownRevisions, ...tips } = await tipsOf(repository, request);
      if (tips.include.length === 0) return { ...nothing, unknownRevisions, isLate: false };
      const mayHave = await this.#mayHave(repository.name, wanted);
      const found = await search({ repository, tips, conditions, limit, mayHave, walks: this.#walks });
      return { ...nothing, unknownRevisions, ...found, isShallow: await isShallow(repository, signal) };
    } catch (error) {
      if (!limit.isOver) throw error;
      return { ...nothing, isLate: true };
    }
  }

  async #mayHave(name: string, { content }: Wanted): Promise<(hash: string) => boolean> {
    return content?.foldCase ? this.#parts.changes.mayHave(name, content.regex) : () => true;
  }
}

/** A question on its way through the repositories. */
interface Asked<T> {
  readonly question: Question;
  readonly conditions: Conditions;
  search(search: RepositorySearch): Promise<Found<T>>;
}

/** A revision that only some repositories have is a note; one that none has is an error. */
function refuseUnknownRevisions(answers: readonly RepositoryAnswer<unknown>[]): void {
  const [first] = answers;
  const missing = first?.unknownRevisions.filter((revision) =>
    answers.every(({ unknownRevisions }) => unknownRevisions.includes(revision)),
  );
  if (!missing || missing.length === 0) return;
  const names = missing.map((revision) => `"${revision}"`).join(', ');
  throw new SextantError('not_found', `revision ${names} not found; list_refs shows the branches and tags`);
}
