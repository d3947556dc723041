import type { CommitRequest, DiffRequest, DiffSide } from '@sextant/contracts';
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
