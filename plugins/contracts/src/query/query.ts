import { escapeRegExp } from '@sextant/core';
import { leavesOf, simplify } from './algebra.ts';
import type { Algebra } from './algebra.ts';

/** A search as an algebra over documents: a file at one revision of one repository. */
export type Query = Algebra<QueryLeaf>;

export type QueryLeaf = QueryTerm | QueryFilter;

/** Text that the content (or the path) must contain. */
export type QueryTerm =
  | { readonly kind: 'literal'; readonly text: string; readonly isCaseSensitive: boolean }
  | { readonly kind: 'regex'; readonly pattern: string; readonly isCaseSensitive: boolean };

/** What the document must be. Patterns are unanchored regular expressions in RE2 syntax. */
export type QueryFilter =
  | { readonly kind: 'repo'; readonly pattern: string }
  | { readonly kind: 'repo-has-path'; readonly pattern: string }
  | { readonly kind: 'repo-has-topic'; readonly name: string }
  | { readonly kind: 'file'; readonly pattern: string }
  | { readonly kind: 'lang'; readonly name: string }
  | { readonly kind: 'rev'; readonly revisions: readonly string[] }
  | { readonly kind: 'fork'; readonly value: Presence }
  | { readonly kind: 'archived'; readonly value: Presence }
  | { readonly kind: 'visibility'; readonly value: ReadBy }
  | { readonly kind: 'stars'; readonly bound: RangeBound; readonly value: number }
  /** The last push: RFC 3339 in UTC. */
  | { readonly kind: 'pushed'; readonly bound: RangeBound; readonly value: string }
  | CommitFilter;

/** What a commit must be; only where commits or diffs are asked for. */
export type CommitFilter =
  /** Patterns for `Name <e-mail>`, a line of the message, an added or removed line. */
  | { readonly kind: 'author' | 'message' | 'line'; readonly pattern: string }
  | { readonly kind: 'after' | 'before'; readonly date: string }
  /** The side of the lines that are looked at. */
  | { readonly kind: 'diff'; readonly side: 'added' | 'removed' };

/** `yes`: with them, `no`: without, `only`: nothing else. */
export type Presence = 'yes' | 'no' | 'only';

/** `public`: what every signed-in user may read. */
export type ReadBy = 'any' | 'public' | 'private';

/** `least`: the value or more, `below`: less than it. */
export type RangeBound = 'least' | 'below';

export const resultTypes = ['file', 'path', 'repo', 'symbol', 'commit', 'diff'] as const;
export type ResultType = (typeof resultTypes)[number];

/** What is asked for besides which documents match; holds for the whole query wherever it stands. */
export interface QueryOptions {
  /** Most results, or all of them; undefined: what fits an answer. */
  readonly count?: number | 'all';
  readonly types: readonly ResultType[];
  readonly select?: 'repo' | 'file';
}

export interface ParsedQuery {
  readonly query: Query;
  readonly options: QueryOptions;
  /** Remarks for the caller: what was taken as text although it looks like a filter. */
  readonly notes: readonly string[];
}

/** What a query looks for: its terms under no negation, or under an even number of them. */
export const positiveTerms = (query: Query): QueryTerm[] =>
  leavesOf(query).flatMap(({ leaf, isNegated }) =>
    !isNegated && (leaf.kind === 'literal' || leaf.kind === 'regex') ? [leaf] : [],
  );

/** What answers a query: its `type:` says it. */
export type QuerySubject = 'files' | 'symbols' | 'history';

export function subjectOf({ options: { types } }: Pick<ParsedQuery, 'options'>): QuerySubject {
  if (types.some((type) => type === 'commit' || type === 'diff')) return 'history';
  return types.includes('symbol') ? 'symbols' : 'files';
}

/** A query that a program makes: all of some parts. */
export const queryOf = (parts: readonly Query[], options: Partial<QueryOptions> = {}): ParsedQuery => ({
  query: simplify({ kind: 'and', children: parts }),
  options: { types: [], ...options },
  notes: [],
});

export const literal = (text: string, { isCaseSensitive = false } = {}): QueryTerm => ({
  kind: 'literal',
  text,
  isCaseSensitive,
});

/** The repositories of exactly these names. */
export function repositoriesNamed(names: readonly string[]): Extract<QueryFilter, { kind: 'repo' }> {
  const patterns = names.map(escapeRegExp);
  return { kind: 'repo', pattern: patterns.length === 1 ? `^${patterns.join('')}$` : `^(${patterns.join('|')})$` };
}

/** Whether a pattern is as `repositoriesNamed` writes it: whole names, and no expression. */
export const isOfNames = (pattern: string): boolean => {
  const [, name = ''] = /^\^\(?(.+?)\)?\$$/.exec(pattern) ?? [];
  return name.split('|').every((each) => /^(?:[^\\^$*+?.()[\]{}|]|\\[^\w])+$/.test(each));
};
