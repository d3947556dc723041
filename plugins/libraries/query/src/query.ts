/** A search as an algebra over documents: a file at one revision of one repository. */
export type Query =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'and'; readonly children: readonly Query[] }
  | { readonly kind: 'or'; readonly children: readonly Query[] }
  | { readonly kind: 'not'; readonly child: Query }
  | Term
  | Filter;

/** Text that the content (or the path) must contain. */
export type Term =
  | { readonly kind: 'literal'; readonly text: string; readonly isCaseSensitive: boolean }
  | { readonly kind: 'regex'; readonly pattern: string; readonly isCaseSensitive: boolean };

/** What the document must be. Patterns are unanchored regular expressions in RE2 syntax. */
export type Filter =
  | { readonly kind: 'repo'; readonly pattern: string }
  | { readonly kind: 'repo-has-path'; readonly pattern: string }
  | { readonly kind: 'file'; readonly pattern: string }
  | { readonly kind: 'lang'; readonly name: string }
  | { readonly kind: 'rev'; readonly revisions: readonly string[] }
  | { readonly kind: 'fork'; readonly value: Presence }
  | { readonly kind: 'archived'; readonly value: Presence }
  | HistoryFilter;

/** What a commit must be; only where commits or diffs are asked for. */
export type HistoryFilter =
  /** Patterns for `Name <e-mail>`, a line of the message, an added or removed line. */
  | { readonly kind: 'author' | 'message' | 'line'; readonly pattern: string }
  | { readonly kind: 'after' | 'before'; readonly date: string }
  /** The side of the lines that are looked at. */
  | { readonly kind: 'diff'; readonly side: 'added' | 'removed' };

/** `yes`: with them, `no`: without, `only`: nothing else. */
export type Presence = 'yes' | 'no' | 'only';

export const resultTypes = ['file', 'path', 'repo', 'symbol', 'commit', 'diff'] as const;
export type ResultType = (typeof resultTypes)[number];

/** What is asked for besides which documents match; holds for the whole query wherever it stands. */
export interface Options {
  /** Most results, or all of them; undefined: what fits an answer. */
  readonly count?: number | 'all';
  readonly types: readonly ResultType[];
  readonly select?: 'repo' | 'file';
}

export interface ParsedQuery {
  readonly query: Query;
  readonly options: Options;
  /** Remarks for the caller: what was taken as text although it looks like a filter. */
  readonly notes: readonly string[];
}
