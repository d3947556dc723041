import type { CommitRequest, DiffRequest, DiffSide } from '@sextant/contracts';
import type { Window } from './dates.ts';
import { pathRegex } from './glob.ts';
import type { Patterns } from './patterns.ts';

/** The expression is in a text or, where it is negated, is not. Known to be one that can be used. */
export interface Clause {
  readonly regex: string;
  readonly foldCase: boolean;
  readonly isNegated: boolean;
}

/** What commits must be; all of it. Plain data, so that threads can be told. */
export interface Wanted {
  readonly window: Window;
  /** Of `Name <e-mail>`, as written or as mapped. */
  readonly authors: readonly Clause[];
  /** Of some line of the message. */
  readonly messages: readonly Clause[];
  /** Of one and the same changed path. */
  readonly paths: readonly Clause[];
  /** Of a changed line on one of these sides, in such a path. */
  readonly content: Clause | undefined;
  readonly sides: readonly DiffSide[];
}

/** Throws `invalid_argument` naming the argument that cannot be used. */
export function wantedCommits(patterns: Patterns, request: CommitRequest, window: Window): Wanted {
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
export function wantedDiffs(patterns: Patterns, request: DiffRequest, window: Window): Wanted {
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
  (patterns: Patterns, isRegex: boolean, foldCase = true) =>
  (values: readonly string[], argument: string): readonly Clause[] => {
    const regex = patterns.regexOf({ patterns: values, argument, isRegex, foldCase });
    return regex === undefined ? [] : [{ regex, foldCase, isNegated: false }];
  };
