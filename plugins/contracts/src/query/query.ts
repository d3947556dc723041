/** A search as an algebra over documents: a file at one revision of one repository. */
export type Query =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'and'; readonly children: readonly Query[] }
  | { readonly kind: 'or'; readonly children: readonly Query[] }
  | { readonly kind: 'not'; readonly child: Query }
  | QueryTerm
  | QueryFilter;

/** Text that the content (or the path) must contain. */
export type QueryTerm =
  | { readonly kind: 'literal'; readonly text: string; readonly isCaseSensitive: boolean }
  | { readonly kind: 'regex'; readonly pattern: string; readonly isCaseSensitive: boolean };

/** What the document must be. Patterns are unanchored regular expressions in RE2 syntax. */
export type QueryFilter =
  | { readonly kind: 'repo'; readonly pattern: string }
  | { readonly kind: 'repo-has-path'; readonly pattern: string }
  | { readonly kind: 'file'; readonly pattern: string }
  | { readonly kind: 'lang'; readonly name: string }
  | { readonly kind: 'rev'; readonly revisions: readonly string[] }
  | { readonly kind: 'fork'; readonly value: Presence }
  | { readonly kind: 'archived'; readonly value: Presence }
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

/** The same query with nested AND and OR flattened, double NOT removed, and `all` and `none` folded away. */
export function simplify(query: Query): Query {
  switch (query.kind) {
    case 'and':
      return join('and', query.children.map(simplify));
    case 'or':
      return join('or', query.children.map(simplify));
    case 'not':
      return negate(simplify(query.child));
    default:
      return query;
  }
}

/** `all` is the neutral element of AND and ends OR; `none` the other way round. */
function join(kind: 'and' | 'or', children: readonly Query[]): Query {
  const [neutral, ending] = kind === 'and' ? (['all', 'none'] as const) : (['none', 'all'] as const);
  const flat = children.flatMap((child) => (child.kind === kind ? child.children : [child]));
  if (flat.some((child) => child.kind === ending)) return { kind: ending };
  const kept = flat.filter((child) => child.kind !== neutral);
  const [first] = kept;
  if (!first) return { kind: neutral };
  return kept.length === 1 ? first : { kind, children: kept };
}

function negate(child: Query): Query {
  if (child.kind === 'all') return { kind: 'none' };
  if (child.kind === 'none') return { kind: 'all' };
  return child.kind === 'not' ? child.child : { kind: 'not', child };
}

/** The patterns of the `repo:` filters that say what a repository has to be. */
export function repositoryPatterns(query: Query): string[] {
  if (query.kind === 'and' || query.kind === 'or') return query.children.flatMap(repositoryPatterns);
  return query.kind === 'repo' ? [query.pattern] : [];
}

/** Whether anything is said of repositories by their names or what they are, negated or not. */
export function hasRepositoryFilter(query: Query): boolean {
  if (query.kind === 'and' || query.kind === 'or') return query.children.some(hasRepositoryFilter);
  if (query.kind === 'not') return hasRepositoryFilter(query.child);
  return query.kind === 'repo' || query.kind === 'fork' || query.kind === 'archived';
}

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
  const patterns = names.map((name) => name.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return { kind: 'repo', pattern: patterns.length === 1 ? `^${patterns.join('')}$` : `^(${patterns.join('|')})$` };
}
