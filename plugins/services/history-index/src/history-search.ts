import type {
  Commit,
  FoundCommit,
  FoundDiff,
  GitStore,
  HistoryOrder,
  HistoryResult,
  ParsedQuery,
  PickedRepositories,
  StoredRepository,
} from '@sextant/contracts';
import { mapConcurrently } from '@sextant/library-workers';
import { tipsOf } from './request/tips.ts';
import type { FoundInIndex, HistoryIndex } from './history-index.ts';
import { CommitPredicate } from './match/commit-predicate.ts';
import { findCommits, findHunks } from './match/git-search.ts';
import type { FoundByGit, GitSearch } from './match/git-search.ts';
import { TimeLimit } from './match/time-limit.ts';
import type { HistoryPatterns } from './request/patterns.ts';
import type { Wanted } from './request/wanted.ts';
import { commitOf, merged, refuseUnknownRevisions } from './answer.ts';
import type { RepositoryAnswer } from './answer.ts';
import type { FoundHunk } from './match/hunk-collector.ts';
import type { FoundRecord } from './match/results.ts';
import type { SearchFailures } from './search-failures.ts';
import type { SearchJob } from './threads/search-server.ts';

export interface HistorySearchParts {
  readonly store: GitStore;
  readonly patterns: HistoryPatterns;
  readonly index: HistoryIndex;
  readonly failures: SearchFailures;
  readonly settings: {
    /** Longest time of one search. */
    readonly answerSeconds: number;
    /** Repositories that one search looks at at once. */
    readonly repositoriesAtOnce: number;
  };
}

/** What to look for, and where. */
export interface HistoryQuestion {
  readonly picked: PickedRepositories;
  readonly revisions: readonly string[];
  readonly wanted: Wanted;
  /** Most results. */
  readonly count: number;
  /** `newest` unless said. */
  readonly order?: HistoryOrder | undefined;
  /** Whether long hunks are given whole. */
  readonly isWhole?: boolean | undefined;
  /** The same as a query. */
  readonly query: ParsedQuery;
}

/** How results are found and shown: `T` is found, `R` is answered. */
export interface ResultKind<T, R> {
  readonly finds: SearchJob['finds'];
  ofIndex(found: FoundInIndex): readonly T[];
  findByGit(search: GitSearch): Promise<FoundByGit<T>>;
  result(repo: string, found: T): R;
}

export const commitResults: ResultKind<FoundRecord, FoundCommit> = {
  finds: 'commits',
  ofIndex: ({ commits }) => commits,
  findByGit: findCommits,
  result: (repo, { record, files }) => ({ ...commitOf(repo, record), ...(files && { files }) }),
};
export const hunkResults: ResultKind<FoundHunk, FoundDiff> = {
  finds: 'hunks',
  ofIndex: ({ hunks }) => hunks,
  findByGit: findHunks,
  result: (repo, { record, ...hunk }) => ({ ...commitOf(repo, record), ...hunk }),
};

export interface HistorySearchRequest<T, R> {
  readonly question: HistoryQuestion;
  readonly kind: ResultKind<T, R>;
  readonly signal: AbortSignal;
}

/** The answer of a repository so far, and the commits that are left to git. */
interface Progress<R> {
  readonly answer: RepositoryAnswer<R>;
  readonly rest?: { readonly repository: StoredRepository; readonly hashes: readonly string[] };
}

/** One search over some repositories: first in the index of each, then by git for the commits that the index lacks. */
export class HistorySearch<T, R extends Commit> {
  readonly #parts: HistorySearchParts;
  readonly #question: HistoryQuestion;
  readonly #kind: ResultKind<T, R>;
  readonly #limit: TimeLimit;

  constructor(parts: HistorySearchParts, { question, kind, signal }: HistorySearchRequest<T, R>) {
    this.#parts = parts;
    this.#question = question;
    this.#kind = kind;
    this.#limit = new TimeLimit(parts.settings.answerSeconds, signal);
  }

  async run(): Promise<HistoryResult<R>> {
    const { picked, query, count, wanted, order = 'newest' } = this.#question;
    const { store, patterns, settings } = this.#parts;
    const atOnce = settings.repositoriesAtOnce;
    const predicate = new CommitPredicate(patterns, wanted);
    try {
      const indexed = await mapConcurrently(picked.names, atOnce, (name) => this.#searchIndex(name));
      // Git comes last, and the most work for git at the very end. So results of the index never wait for git.
      const byWork = indexed.toSorted((a, b) => (a.rest?.hashes.length ?? 0) - (b.rest?.hashes.length ?? 0));
      const whole = await mapConcurrently(byWork, atOnce, (progress) => this.#searchByGit(progress, predicate));
      const answers = whole.toSorted((a, b) => (a.repo < b.repo ? -1 : 1));
      await refuseUnknownRevisions(answers, { store, signal: this.#limit.signal });
      return merged({ query, count, order, notes: picked.notes, answers });
    } finally {
      predicate.release();
    }
  }

  #searchIndex(name: string): Promise<Progress<R>> {
    const { store, patterns, index } = this.#parts;
    const { picked, revisions, wanted, count, order = 'newest', isWhole = false } = this.#question;
    const empty = { repo: name, ...nothing };
    return this.#guarded({ answer: empty }, async () => {
      const repository = await store.find(name, { isNamed: picked.areNamed });
      if (!repository) {
        const leftOut = { repo: name, reason: (await store.whyAbsent(name)).message };
        return { answer: { ...empty, leftOut } };
      }
      const { signal } = this.#limit;
      const { unknown: unknownRevisions, ...tips } = await tipsOf(repository, { revisions, patterns, signal });
      if (tips.include.length === 0) {
        const isShallow = (await repository.shallow(signal)) !== '';
        return { answer: { ...empty, unknownRevisions, isShallow } };
      }
      const job = { tips, wanted, finds: this.#kind.finds, most: count + 1, order, isWhole };
      const inIndex = await index.search(repository, job, signal);
      this.#limit.throwIfLeft();
      const { isShallow, isStopped, beyondLimits } = inIndex;
      const found = this.#kind.ofIndex(inIndex).map((each) => this.#kind.result(name, each));
      const hashes = isStopped ? [] : inIndex.pending.map(({ hash }) => hash);
      const answer = { ...empty, unknownRevisions, found, isShallow, isLate: isStopped, beyondLimits };
      return { answer, rest: { repository, hashes } };
    });
  }

  async #searchByGit(progress: Progress<R>, predicate: CommitPredicate): Promise<RepositoryAnswer<R>> {
    const { answer, rest } = progress;
    if (!rest) return answer;
    const { wanted, count, isWhole = false } = this.#question;
    const search = { ...rest, predicate, sides: wanted.sides, most: count + 1, isWhole, limit: this.#limit };
    const ended = await this.#guarded(progress, async () => {
      const { found, unreadable, why, notCompared, isLate } = await this.#kind.findByGit(search);
      this.#parts.failures.succeeded(answer.repo);
      return {
        answer: {
          ...answer,
          found: [...answer.found, ...found.map((each) => this.#kind.result(answer.repo, each))],
          unreadable,
          why,
          notCompared,
          notIndexed: rest.hashes.length - unreadable,
          isLate: answer.isLate || isLate,
        },
      };
    });
    return ended.answer;
  }

  /** A failure of one repository becomes a part of its answer, and does not end the search of the others. */
  async #guarded({ answer }: Progress<R>, work: () => Promise<Progress<R>>): Promise<Progress<R>> {
    try {
      return await work();
    } catch (error) {
      this.#limit.throwIfLeft();
      if (this.#limit.isOver) return { answer: { ...answer, isLate: true } };
      return { answer: { ...answer, leftOut: this.#parts.failures.failed(answer.repo, error) } };
    }
  }
}

const nothing = {
  found: [],
  unknownRevisions: [],
  isLate: false,
  unreadable: 0,
  notCompared: [],
  beyondLimits: 0,
  isShallow: false,
  notIndexed: 0,
};
