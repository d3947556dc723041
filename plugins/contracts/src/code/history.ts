import { token } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { ParsedQuery } from '../query/query.ts';

/** Kinds of condition combine with AND, the values of one kind with OR; an empty list is no condition. */
export interface HistoryFilter {
  /** Parts of `Name <e-mail>` in any case, as written and as the mailmap maps it; regular expressions where `isRegex`. */
  authors: readonly string[];
  /** RFC 3339, YYYY-MM-DD (its beginning in UTC) or what git users write (`2 weeks ago`); the committer date, inclusive. */
  after?: string;
  before?: string;
  /**
   * Branches, tags, commits; `^rev` without what it reaches, `a..b` for what b reaches and a does not; globs of refs (`feature/*`,
   * `refs/heads/*`; `*glob` as `git log --glob`), `*!glob` for refs that no glob means. Empty: HEAD.
   */
  revisions: readonly string[];
  /** Whose results come first and are kept where there are more than `count`: `newest` unless said. */
  order?: HistoryOrder;
  /** Patterns are regular expressions in RE2 syntax instead of text. Either way in any case. */
  isRegex: boolean;
  /** Whether the call names the repositories; absent: where the request leaves few of those that the caller may read. */
  isNamed?: boolean;
}

/** By committer date. */
export type HistoryOrder = 'newest' | 'oldest';

export interface CommitRequest extends HistoryFilter {
  /** Names of repositories, or regular expressions on names. A hidden one is answered like one that does not exist. */
  repositories: readonly string[];
  /** A line of the message has it. */
  messages: readonly string[];
  /** An added or removed line has it. */
  contents: readonly string[];
  /** A changed path: a file, a folder or a glob, whose `*` also matches `/`. */
  paths: readonly string[];
  /** Most commits to give. */
  count: number;
}

export interface DiffRequest extends HistoryFilter {
  /** Names of repositories, or regular expressions on names: unanchored, any case. */
  repositories: readonly string[];
  /** What an added or removed line has. */
  pattern: string;
  /** The lines that are looked at. */
  sides: readonly DiffSide[];
  /** Most hunks to give. */
  count: number;
  /** Whether long hunks are given whole, up to 1 MiB each, for programs that read them. */
  isWhole?: boolean;
}

export type DiffSide = 'added' | 'removed';

export interface Commit {
  readonly repo: string;
  /** Full hash. */
  readonly commit: string;
  /** As the mailmap maps it. */
  readonly author: { readonly name: string; readonly email: string };
  /** Committer date, RFC 3339 in UTC: when it got its place in the history. */
  readonly date: string;
  /** Author date, RFC 3339 in UTC: when it was written first. */
  readonly authorDate: string;
  /** First line of the message; its first 1,000 characters where it is longer. */
  readonly title: string;
  /** The whole message, without line ends at its end. */
  readonly message: string;
}

export interface FoundCommit extends Commit {
  /** Absent where git cannot tell them. A merge has none. */
  readonly files?: CommitFiles;
}

/** The paths that a commit changes. */
export interface CommitFiles {
  /** The first of them, at most 100, in git's order. */
  readonly paths: readonly string[];
  /** How many there are. */
  readonly total: number;
}

/** One hunk with a match. */
export interface FoundDiff extends Commit {
  readonly path: string;
  /** With three lines of context, as git prints it from `@@` on; long hunks are cut around the first match. */
  readonly hunk: string;
  /** Where the pattern is, in order, not overlapping. */
  readonly matchRanges: readonly MatchRange[];
}

export interface MatchRange {
  /** Line of the hunk, from 1; the line with `@@` is the first. */
  readonly line: number;
  /** First and past-the-last UTF-16 code unit in that line, its marker included. */
  readonly start: number;
  readonly end: number;
}

export interface HistoryResult<T> {
  /** A query that `find` answers in the same way. */
  readonly query: ParsedQuery;
  /** In the order that was asked for. */
  readonly results: readonly T[];
  /** Results counted; a lower bound where `isLimited`. */
  readonly totalCount: number;
  /** Whether there is more than `results`. */
  readonly isLimited: boolean;
  /** Sentences for the caller: unknown repositories and revisions, history that is cut or was not read to its end. */
  readonly notes: readonly string[];
  /** Code nodes that did not answer; absent: all answered, or there are none. */
  readonly missing?: readonly string[];
}

/** A query with `type:commit` or `type:diff`. */
export interface HistoryQuery extends ParsedQuery {
  /** Most results where the query has no `count:`. */
  limit: number;
  /** As in `HistoryFilter`. */
  isNamed?: boolean;
}

export type FoundHistory =
  | ({ readonly type: 'commit' } & HistoryResult<FoundCommit>)
  | ({ readonly type: 'diff' } & HistoryResult<FoundDiff>);

export interface ContributorRequest {
  /** Parts of a name or e-mail in any case, as written or as the mailmap maps it; one of them is enough. */
  authors: readonly string[];
  /** Fewest commits that a repository must have of them. */
  minCommits: number;
  limit: number;
}

/** How much the authors asked for did on the default branch of a repository; merges do not count. */
export interface Contribution {
  readonly repo: string;
  readonly commits: number;
  /** Committer date of the newest, RFC 3339 in UTC. */
  readonly latest: string;
}

export interface ContributorResult {
  /** Most commits first, then by name. */
  readonly contributions: readonly Contribution[];
  readonly isLimited: boolean;
  readonly notes: readonly string[];
  /** Code nodes that did not answer; absent: all answered, or there are none. */
  readonly missing?: readonly string[];
}

/**
 * The history of repositories, with results equal to git's. Every method looks only at what the caller may read, and
 * stops when `signal` aborts. Throws `invalid_argument` for an impossible date, pattern or revision, and `not_found` if
 * none of the repositories, or none of the revisions, exists.
 */
export interface History {
  commits(caller: Caller, request: CommitRequest, signal: AbortSignal): Promise<HistoryResult<FoundCommit>>;
  diffs(caller: Caller, request: DiffRequest, signal: AbortSignal): Promise<HistoryResult<FoundDiff>>;
  /**
   * At most 100 commits or hunks, the newest, whatever `count:` says. The `query` of a result of `commits` or `diffs` finds the same.
   * Throws `invalid_argument` also for a query that is not about history.
   */
  find(caller: Caller, request: HistoryQuery, signal: AbortSignal): Promise<FoundHistory>;
  contributors(caller: Caller, request: ContributorRequest, signal: AbortSignal): Promise<ContributorResult>;
}

export const History = token<History>('history', {
  remote: { commits: 'caller', diffs: 'caller', find: 'caller', contributors: 'caller' },
});
