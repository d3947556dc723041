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
  ParsedQuery,
  Repositories,
  StoredRepository,
} from '@sextant/contracts';
import type { Caller } from '@sextant/core';
import type { HistoryConfig } from './config.ts';
import type { Contributors } from './contributors.ts';
import type { CommitRecord } from './git/commit-record.ts';
import { tipsOf } from './git/tips.ts';
import type { Tips } from './git/tips.ts';
import type { FoundInIndex, HistoryIndex } from './history-index.ts';
import type { SearchJob } from './threads/thread-calls.ts';
import { windowOf } from './request/dates.ts';
import type { Patterns } from './request/patterns.ts';
import { questionOf } from './request/query-question.ts';
import { commitQuery, diffQuery } from './request/query-text.ts';
import { wantedCommits, wantedDiffs } from './request/wanted.ts';
import type { Wanted } from './request/wanted.ts';
import { commitOf, merged } from './show/answer.ts';
import type { RepositoryAnswer } from './show/answer.ts';
import { CommitPredicate } from './match/commit-predicate.ts';
import { findCommits, findHunks } from './match/find.ts';
import type { FindOptions, Found } from './match/find.ts';
import { inTurns } from './search/in-turns.ts';
import type { SearchFailures } from './show/search-failures.ts';
import type { FoundHunk } from './show/hunk-collector.ts';
import type { GitSearch } from './match/git-search.ts';
import { TimeLimit } from './search/time-limit.ts';
import { refuseUnknownRevisions } from './show/unknown-revisions.ts';
import { pickMatching, pickNames, pickWhere } from './request/readable-repositories.ts';
import type { Picked } from './request/readable-repositories.ts';

export interface HistoryServiceParts {
  readonly repositories: Repositories;
  readonly store: GitStore;
  readonly patterns: Patterns;
  readonly contributors: Contributors;
  readonly index: HistoryIndex;
  readonly failures: SearchFailures;
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
  readonly query: ParsedQuery;
}

/** What is looked for: `T` is found, `R` is answered. */
interface Kind<T, R> {
  readonly finds: SearchJob['finds'];
  ofIndex(found: FoundInIndex): readonly T[];
  findByGit(search: GitSearch, options: FindOptions): Promise<Found<T>>;
  result(repo: string, found: T): R;
}

const ofCommits: Kind<CommitRecord, Commit> = {
  finds: 'commits',
  ofIndex: ({ commits }) => commits,
  findByGit: findCommits,
  result: commitOf,
};
const ofHunks: Kind<FoundHunk, FoundDiff> = {
  finds: 'hunks',
  ofIndex: ({ hunks }) => hunks,
  findByGit: findHunks,
  result: (repo, { record, ...hunk }) => ({ ...commitOf(repo, record), ...hunk }),
};

/** Results of a query that says `count:all`, or more. */
const mostByQuery = 100;

/** History from the index and from git. The repositories that the caller may read are the first thing that is decided. */
export class HistoryService implements History {
  readonly #parts: HistoryServiceParts;

  constructor(parts: HistoryServiceParts) {
    this.#parts = parts;
  }

  async commits(caller: Caller, request: CommitRequest, signal: AbortSignal): Promise<HistoryResult<Commit>> {
    const window = windowOf(request, new Date());
    const wanted = wantedCommits(this.#parts.patterns, request, window);
    const picked = pickNames(request.repositories, await this.#parts.repositories.list(caller));
    const { revisions, count } = request;
    return this.#answer({ picked, revisions, wanted, count, query: commitQuery(request, window) }, ofCommits, signal);
  }

  async diffs(caller: Caller, request: DiffRequest, signal: AbortSignal): Promise<HistoryResult<FoundDiff>> {
    const { patterns, repositories } = this.#parts;
    const window = windowOf(request, new Date());
    const wanted = wantedDiffs(patterns, request, window);
    const picked = pickMatching(request.repositories, await repositories.list(caller), patterns);
    const { revisions, count } = request;
    return this.#answer({ picked, revisions, wanted, count, query: diffQuery(request, window) }, ofHunks, signal);
  }

  async find(caller: Caller, { limit, ...query }: HistoryQuery, signal: AbortSignal): Promise<FoundHistory> {
    const { patterns, repositories } = this.#parts;
    const asked = questionOf(patterns, query, new Date());
    const { revisions, wanted, type } = asked;
    const names = pickWhere(asked.repositories, await repositories.list(caller), patterns);
    const picked = { ...names, notes: [...asked.notes, ...names.notes] };
    const count = asked.count === 'all' ? mostByQuery : Math.min(asked.count ?? limit, mostByQuery);
    const question = { picked, revisions, wanted, count, query };
    return type === 'commit'
      ? { type, ...(await this.#answer(question, ofCommits, signal)) }
      : { type, ...(await this.#answer(question, ofHunks, signal)) };
  }

  async contributors(caller: Caller, request: ContributorRequest, signal: AbortSignal): Promise<ContributorResult> {
    const visible = await this.#parts.repositories.list(caller);
    const limit = new TimeLimit(this.#parts.settings.answerSeconds, signal);
    const names = visible.map(({ name }) => name);
    return this.#parts.contributors.find(request, { names, limit });
  }

  async #answer<T, R extends Commit>(
    question: Question,
    kind: Kind<T, R>,
    signal: AbortSignal,
  ): Promise<HistoryResult<R>> {
    const { picked, wanted, query, count } = question;
    const conditions = new CommitPredicate(this.#parts.patterns, wanted);
    try {
      const answers = await this.#searchEach({ question, conditions, kind }, signal);
      return merged({ query, count, notes: picked.notes, answers });
    } finally {
      conditions.release();
    }
  }

  async #searchEach<T, R>(asked: Asked<T, R>, signal: AbortSignal): Promise<RepositoryAnswer<R>[]> {
    const { answerSeconds, repositoriesAtOnce } = this.#parts.settings;
    const { names } = asked.question.picked;
    const limit = new TimeLimit(answerSeconds, signal);
    const begun = await inTurns(names, repositoriesAtOnce, (name) => this.#begin(asked, name, limit));
    // Git comes last, and where it has most to do at the very end: what the index has of others never waits for it.
    const inOrder = begun.toSorted((a, b) => (a.rest?.hashes.length ?? 0) - (b.rest?.hashes.length ?? 0));
    const ended = await inTurns(inOrder, repositoriesAtOnce, (one) => this.#end(asked, one, limit));
    const answers = ended.toSorted((a, b) => (a.repo < b.repo ? -1 : 1));
    await refuseUnknownRevisions(answers, { store: this.#parts.store, signal: limit.signal });
    return answers;
  }

  /** What the index knows of a repository. */
  #begin<T, R>(asked: Asked<T, R>, name: string, limit: TimeLimit): Promise<Begun<R>> {
    const answer = { repo: name, ...nothing, unknownRevisions: [] };
    return this.#guarded({ answer }, limit, async () => {
      const repository = this.#parts.store.find(name);
      if (!repository)
        return { answer: { ...answer, leftOut: { repo: name, reason: this.#parts.store.whyAbsent(name).message } } };
      const request = {
        revisions: asked.question.revisions,
        patterns: this.#parts.patterns,
        signal: limit.signal,
      };
      const { unknown, ...tips } = await tipsOf(repository, request);
      const known = { ...answer, unknownRevisions: unknown };
      if (tips.include.length === 0) return { answer: known };
      return this.#searchIndex(asked, { repository, tips, answer: known }, limit);
    });
  }

  async #searchIndex<T, R>(
    { question, kind }: Asked<T, R>,
    { repository, tips, answer }: { repository: StoredRepository; tips: Tips; answer: RepositoryAnswer<R> },
    limit: TimeLimit,
  ): Promise<Begun<R>> {
    const job = { tips, wanted: question.wanted, finds: kind.finds, most: question.count + 1 };
    const inIndex = await this.#parts.index.search(repository, job, limit.signal);
    limit.throwIfLeft();
    const { isShallow, isStopped, beyondLimits } = inIndex;
    const found = kind.ofIndex(inIndex).map((each) => kind.result(repository.name, each));
    const hashes = isStopped ? [] : inIndex.pending.map(({ hash }) => hash);
    return { answer: { ...answer, found, isShallow, isLate: isStopped, beyondLimits }, rest: { repository, hashes } };
  }

  /** Git answers for what the index does not have. */
  async #end<T, R>(asked: Asked<T, R>, begun: Begun<R>, limit: TimeLimit): Promise<RepositoryAnswer<R>> {
    const { answer, rest } = begun;
    if (!rest) return answer;
    const { repository, hashes } = rest;
    const { conditions, kind, question } = asked;
    const options = { sides: question.wanted.sides, most: question.count + 1 };
    const ended = await this.#guarded(begun, limit, async () => {
      const byGit = await kind.findByGit({ repository, hashes, conditions, limit }, options);
      this.#parts.failures.succeeded(repository.name);
      const { unreadable } = byGit;
      return {
        answer: {
          ...answer,
          found: [...answer.found, ...byGit.found.map((each) => kind.result(repository.name, each))],
          unreadable,
          notIndexed: hashes.length - unreadable,
          isLate: answer.isLate || byGit.isLate,
        },
      };
    });
    return ended.answer;
  }

  /** What goes wrong with one repository is a part of its answer: it never ends the search of the others. */
  async #guarded<R>({ answer }: Begun<R>, limit: TimeLimit, work: () => Promise<Begun<R>>): Promise<Begun<R>> {
    try {
      return await work();
    } catch (error) {
      limit.throwIfLeft();
      if (limit.isOver) return { answer: { ...answer, isLate: true } };
      return { answer: { ...answer, leftOut: this.#parts.failures.failed(answer.repo, error) } };
    }
  }
}

/** The answer of a repository as far as it is known, and what is left for git. */
interface Begun<R> {
  readonly answer: RepositoryAnswer<R>;
  readonly rest?: { readonly repository: StoredRepository; readonly hashes: readonly string[] };
}

const nothing = { found: [], isLate: false, unreadable: 0, beyondLimits: 0, isShallow: false, notIndexed: 0 };

/** A question on its way through the repositories. */
interface Asked<T, R> {
  readonly question: Question;
  readonly conditions: CommitPredicate;
  readonly kind: Kind<T, R>;
}
