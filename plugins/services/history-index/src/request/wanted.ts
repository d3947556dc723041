import { escapeRegExp } from '@sextant/core';
import { literal, queryOf, rfc3339 } from '@sextant/contracts';
import type { CommitRequest, DiffRequest, DiffSide, HistoryFilter, ParsedQuery, Query } from '@sextant/contracts';
import type { Window } from './dates.ts';
import { pathRegex } from './glob.ts';
import type { HistoryPatterns } from './patterns.ts';

/** A valid expression that a text must match or, if it is negated, must not match. */
export interface Clause {
  readonly regex: string;
  readonly foldCase: boolean;
  readonly isNegated: boolean;
}

/** The conditions of a search, joined with AND. They are plain data, so that they can be sent to a thread. */
export interface Wanted {
  readonly window: Window;
  /** About `Name <e-mail>`, as written or as the mailmap maps it. */
  readonly authors: readonly Clause[];
  /** Each about any line of the message. */
  readonly messages: readonly Clause[];
  /** All about the same changed path. */
  readonly paths: readonly Clause[];
  /** About a changed line of such a path, on one of the sides. */
  readonly content: Clause | undefined;
  readonly sides: readonly DiffSide[];
}

/** Throws `invalid_argument` naming the argument that cannot be used. */
export function wantedCommits(patterns: HistoryPatterns, request: CommitRequest, window: Window): Wanted {
  const { isRegex, authors, messages, contents, paths } = request;
  const clause = clauseIn(patterns, isRegex);
  return {
    window,
    authors: clause(authors, 'authors'),
    messages: clause(messages, 'messageTerms'),
    paths: clauseIn(patterns, true, false)(paths.map(pathRegex), 'files'),
    content: clause(contents, 'contentTerms')[0],
    sides: ['added', 'removed'],
  };
}

/** Throws `invalid_argument` naming the argument that cannot be used. */
export function wantedDiffs(patterns: HistoryPatterns, request: DiffRequest, window: Window): Wanted {
  const clause = clauseIn(patterns, request.isRegex);
  return {
    window,
    authors: clause(request.authors, 'authors'),
    messages: [],
    paths: [],
    content: clause([request.pattern], 'pattern')[0],
    sides: request.sides,
  };
}

const clauseIn =
  (patterns: HistoryPatterns, isRegex: boolean, foldCase = true) =>
  (values: readonly string[], argument: string): readonly Clause[] => {
    const regex = patterns.regexOf({ patterns: values, argument, isRegex, foldCase });
    return regex === undefined ? [] : [{ regex, foldCase, isNegated: false }];
  };

/** What of a request is said in other words in its query. */
interface Restated {
  readonly window: Window;
  /** Expressions on names. */
  readonly repositories: readonly string[];
}

/** A commit search as a query; in queries the names of files are taken in any case, and globs are expressions. */
export const commitQuery = (request: CommitRequest, { window, repositories }: Restated): ParsedQuery =>
  queryOf(
    [
      { kind: 'repo', pattern: anyOf(repositories) },
      ...common(request, window),
      ...either('message', request.messages, request),
      ...(request.paths.length === 0
        ? []
        : [{ kind: 'file', pattern: anyOf(request.paths.map((path) => `(?-i:${pathRegex(path)})`)) } as const]),
      ...either('line', request.contents, request),
    ],
    { types: ['commit'], count: request.count },
  );

/** A diff search as a query. */
export const diffQuery = (request: DiffRequest, { window, repositories }: Restated): ParsedQuery =>
  queryOf(
    [
      { kind: 'repo', pattern: anyOf(repositories) },
      ...common(request, window),
      ...(request.sides.length === 1 ? request.sides.map((side) => ({ kind: 'diff', side }) as const) : []),
      request.isRegex ? { kind: 'regex', pattern: request.pattern, isCaseSensitive: false } : literal(request.pattern),
    ],
    { types: ['diff'], count: request.count },
  );

const common = (filter: HistoryFilter, { after, before }: Window): Query[] => [
  ...(filter.revisions.length === 0 ? [] : [{ kind: 'rev', revisions: filter.revisions } as const]),
  ...either('author', filter.authors, filter),
  ...(after === undefined ? [] : [{ kind: 'after', date: rfc3339(after) } as const]),
  ...(before === undefined ? [] : [{ kind: 'before', date: rfc3339(before) } as const]),
];

/** One of some values; nothing where there are none. */
function either(kind: 'author' | 'message' | 'line', values: readonly string[], { isRegex }: HistoryFilter): Query[] {
  const children = values.map((value): Query => ({ kind, pattern: isRegex ? value : escapeRegExp(value) }));
  return children.length === 0 ? [] : [{ kind: 'or', children }];
}

const anyOf = (regexes: readonly string[]): string =>
  regexes.length === 1 ? regexes.join('') : regexes.map((regex) => `(?:${regex})`).join('|');
