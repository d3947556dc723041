import { wantedFiles } from '../code/search/answer-limits.ts';
import { SextantError } from '@sextant/core';
import type { FoundFile, SearchRequest, SearchResult } from '../code/search/search.ts';
import type { RepositoryInfo } from '../code/repositories.ts';
import { evaluate, leavesOf } from './algebra.ts';
import type { Algebra } from './algebra.ts';
import { leavesOfRole } from './filters.ts';
import { isOfNames } from './query.ts';
import type { CommitFilter, Presence, Query, QueryLeaf, RangeBound } from './query.ts';

/** The names that an expression matches: unanchored, any case. */
export type NamesMatching = (pattern: string, names: readonly string[]) => ReadonlySet<string>;

type NameMatcher = (pattern: string, name: string) => boolean;

/** Adds the default branch, as the empty revision, to each group that names no revision. */
function withDefaultRevision(query: Query): Query {
  if (!hasRevision(query)) return { kind: 'and', children: [{ kind: 'rev', revisions: [''] }, query] };
  if (query.kind === 'or') return { kind: 'or', children: query.children.map(withDefaultRevision) };
  if (query.kind !== 'and' || query.children.some((child) => child.kind === 'rev')) return query;
  const children = query.children.map((child) => (hasRevision(child) ? withDefaultRevision(child) : child));
  return { kind: 'and', children };
}

const hasRevision = (query: Query): boolean => leavesOf(query).some(({ leaf }) => leaf.kind === 'rev');

/** Reduces a query to each repository where it can be true. Repositories with equal answers share one object. */
export function forRepositories(
  query: Query,
  visible: readonly RepositoryInfo[],
  matching: NamesMatching,
): Map<string, Query> {
  const matches = matcherOf(visible, matching);
  const pinned = withDefaultRevision(query);
  const filters = repositoryFilters(pinned).map(({ filter }) => filter);
  const known = new Map<string, Query>();
  const reduced = new Map<string, Query>();
  for (const info of visible) {
    const decided = filters.map((filter) => isTrueOf(filter, info, matches));
    const key = decided.join();
    const left = known.get(key) ?? evaluate(pinned, knownBy(filters, decided));
    known.set(key, left);
    if (left.kind !== 'none') reduced.set(info.name, left);
  }
  return reduced;
}

export function matcherOf(repositories: readonly RepositoryInfo[], matching: NamesMatching): NameMatcher {
  const names = repositories.map(({ name }) => name);
  const matchingNames = new Map<string, ReadonlySet<string>>();
  return (pattern, name) => {
    const found = matchingNames.get(pattern) ?? matching(pattern, names);
    matchingNames.set(pattern, found);
    return found.has(name);
  };
}

/** Most repositories that a search names: one that leaves more is about a group. */
const mostNamed = 10;

/** How many repositories expressions on names leave. */
export interface LeftRepositories {
  readonly left: number;
  /** Those that the caller may read. */
  readonly all: number;
}

/** Whether some expressions on names are as good as the names of the few repositories that they leave. */
export const areNames = (patterns: readonly string[], { left, all }: LeftRepositories): boolean =>
  patterns.length > 0 && left <= mostNamed && (left < all || all === 1 || patterns.every(isOfNames));

/** Whether a query names the repositories that it is about: its `repo:` filters leave few of those that the caller may read. */
export const namesRepositories = (query: Query, of: LeftRepositories): boolean =>
  areNames(
    repositoryFilters(query).flatMap(({ filter, isNegated }) =>
      filter.kind === 'repo' && !isNegated ? filter.pattern : [],
    ),
    of,
  );

function knownBy(
  filters: readonly RepositoryFilter[],
  decided: readonly boolean[],
): (leaf: QueryLeaf) => boolean | undefined {
  const known = new Map<QueryLeaf, boolean | undefined>(filters.map((filter, at) => [filter, decided[at]]));
  return (leaf) => known.get(leaf);
}

const repositoryKinds = ['repo', 'repo-has-topic', 'fork', 'archived', 'visibility', 'stars', 'pushed'] as const;
type RepositoryFilter = Extract<QueryLeaf, { kind: (typeof repositoryKinds)[number] }>;

/** What is left of a query once it is known where to search. An engine has to know each of these filters. */
export type QueryOfFiles = Algebra<FileLeaf>;

/** What files must have or be. */
export type FileLeaf = Exclude<QueryLeaf, RepositoryFilter | CommitFilter | { readonly kind: 'rev' }>;

const commitKinds: ReadonlySet<string> = new Set(leavesOfRole('commit'));

/** Whether all filters are about files. */
export const isOfFiles = (query: Query): query is QueryOfFiles =>
  leavesOf(query).every(({ leaf }) => !isRepositoryFilter(leaf) && leaf.kind !== 'rev' && !commitKinds.has(leaf.kind));

export const isRepositoryFilter = (leaf: QueryLeaf): leaf is RepositoryFilter =>
  repositoryKinds.some((kind) => kind === leaf.kind);

/** The filters on the names and kinds of repositories. */
export const repositoryFilters = (query: Query): { filter: RepositoryFilter; isNegated: boolean }[] =>
  leavesOf(query).flatMap(({ leaf, isNegated }) => (isRepositoryFilter(leaf) ? [{ filter: leaf, isNegated }] : []));

export function isTrueOf(filter: RepositoryFilter, info: RepositoryInfo, matches: NameMatcher): boolean {
  switch (filter.kind) {
    case 'repo':
      return matches(filter.pattern, info.name);
    case 'repo-has-topic':
      return info.topics?.some((topic) => topic.toLowerCase() === filter.name) ?? false;
    case 'fork':
      return isPresent(filter.value, info.isFork);
    case 'archived':
      return isPresent(filter.value, info.isArchived);
    case 'visibility':
      return filter.value === 'any' || (filter.value === 'private') === info.isPrivate;
    case 'stars':
      return isWithin(filter, info.stars);
    case 'pushed':
      return isWithin({ ...filter, value: Date.parse(filter.value) }, info.pushed && Date.parse(info.pushed));
  }
}

/** False of what is not known, which `repositoryNotes` tells. */
const isWithin = ({ bound, value }: { bound: RangeBound; value: number }, at: number | string | undefined): boolean =>
  typeof at === 'number' && (bound === 'least' ? at >= value : at < value);

const isPresent = (wanted: Presence, is: boolean): boolean => wanted === 'yes' || (wanted === 'only') === is;

/** What only code hosts know of repositories, and not all of them. */
export const hostFacts = [
  { kind: 'stars', name: 'stars' },
  { kind: 'pushed', name: 'last push' },
] as const;

const isOfHost = (leaf: QueryLeaf): leaf is RepositoryFilter => hostFacts.some(({ kind }) => kind === leaf.kind);

/** `query` with the filters decided that only code hosts know, where that is the same for all of these repositories. */
export function withHostFacts(query: Query, repositories: readonly RepositoryInfo[]): Query {
  return evaluate(query, (leaf) => {
    if (!isOfHost(leaf)) return undefined;
    const [first, ...others] = new Set(repositories.map((info) => isTrueOf(leaf, info, () => false)));
    return others.length === 0 ? first : undefined;
  });
}

/** `type:repo`: repositories whose name has the words. */
export function findRepositories(
  reduced: ReadonlyMap<string, Query>,
  { request, notes }: { request: SearchRequest; notes: readonly string[] },
): SearchResult {
  const matching = [...reduced].filter(([name, query]) => isNameMatching(query, name)).map(([name]) => name);
  const files = matching
    .slice(0, wantedFiles(request.limits.files, request.options.count))
    .map((repo): FoundFile => ({ repo, path: '', commit: '', chunks: [], matches: [], matchCount: 0 }));
  const total = matching.length;
  return { type: 'repo', files, matchCount: total, fileCount: total, limitHit: files.length < total, notes };
}

function isNameMatching(query: Query, name: string): boolean {
  const known = (leaf: QueryLeaf): boolean => {
    if (leaf.kind === 'literal') return hasText(name, leaf.text, leaf.isCaseSensitive);
    if (leaf.kind === 'rev') return true;
    throw new SextantError(
      'invalid_argument',
      `type:repo looks at names only: words, repo:, fork:, archived:, visibility:, stars: and pushed: are allowed with it, not ${leaf.kind}`,
    );
  };
  return evaluate(query, known).kind === 'all';
}

const hasText = (name: string, text: string, isCaseSensitive: boolean): boolean =>
  isCaseSensitive ? name.includes(text) : name.toLowerCase().includes(text.toLowerCase());
