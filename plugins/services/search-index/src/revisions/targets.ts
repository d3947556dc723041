import { SextantError, isSextantError } from '@sextant/core';
import { evaluate, leavesOf, matchesGlob } from '@sextant/contracts';
import type { Presence, Query, QueryLeaf, RepositoryInfo, StoredRepository } from '@sextant/contracts';
import { refsIn } from '../indexing/branches.ts';
import type { NamedCommit } from '../indexing/branches.ts';
import { isGlob, refGlob } from './named-revisions.ts';
import type { NamedRevisions } from './named-revisions.ts';

/** A commit to search in, with what is left of the query there. */
export interface Target {
  readonly repository: StoredRepository;
  /** As the query names it; undefined for the default branch. */
  readonly revision: string | undefined;
  readonly commit: string;
  readonly query: Query;
}

type NameMatcher = (pattern: string, name: string) => boolean;

/** Most revisions of a repository in one search. */
const maxRevisions = 64;

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
  matches: NameMatcher,
): Map<string, Query> {
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

function knownBy(
  filters: readonly RepositoryFilter[],
  decided: readonly boolean[],
): (leaf: QueryLeaf) => boolean | undefined {
  const known = new Map<QueryLeaf, boolean | undefined>(filters.map((filter, at) => [filter, decided[at]]));
  return (leaf) => known.get(leaf);
}

const repositoryKinds = ['repo', 'repo-has-topic', 'fork', 'archived', 'visibility'] as const;
type RepositoryFilter = Extract<QueryLeaf, { kind: (typeof repositoryKinds)[number] }>;

const isRepositoryFilter = (leaf: QueryLeaf): leaf is RepositoryFilter =>
  repositoryKinds.some((kind) => kind === leaf.kind);

/** The filters on the names and kinds of repositories. */
export const repositoryFilters = (query: Query): { filter: RepositoryFilter; isNegated: boolean }[] =>
  leavesOf(query).flatMap(({ leaf, isNegated }) => (isRepositoryFilter(leaf) ? [{ filter: leaf, isNegated }] : []));

function isTrueOf(filter: RepositoryFilter, info: RepositoryInfo, matches: NameMatcher): boolean {
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
  }
}

const isPresent = (wanted: Presence, is: boolean): boolean => wanted === 'yes' || (wanted === 'only') === is;

/** The revisions that queries name, cached for all repositories that share a query. */
export class RevisionQueries {
  readonly #named = new Map<Query, readonly string[]>();
  readonly #left = new Map<Query, Map<string, Query>>();

  /** The revisions that a query names. */
  namedIn(query: Query): readonly string[] {
    const known = this.#named.get(query);
    const named = known ?? [
      ...new Set(leavesOf(query).flatMap(({ leaf }) => (leaf.kind === 'rev' ? leaf.revisions : []))),
    ];
    if (!known) this.#named.set(query, named);
    return named;
  }

  /** Reduces a query to a commit that has these of its revisions. The empty revision is the default branch. */
  leftAt(query: Query, namedBy: readonly string[]): Query {
    const byNames = this.#left.get(query) ?? new Map<string, Query>();
    this.#left.set(query, byNames);
    // No revision has a colon.
    const names = namedBy.join(':');
    const isNamed = (filter: QueryLeaf): boolean | undefined =>
      filter.kind === 'rev' ? filter.revisions.some((revision) => namedBy.includes(revision)) : undefined;
    const left = byNames.get(names) ?? evaluate(query, isNamed);
    byNames.set(names, left);
    return left;
  }
}

/** A HEAD that was read is taken as current for this time, in milliseconds: searches in a row do not read refs again. */
const knownMs = 10;
/** With many repositories the time grows by this for each, up to a limit, so that reading HEADs takes little of the time. */
const [knownMsOfEach, longestKnownMs] = [0.1, 500];

/** The commits of default branches, as they were a moment ago. */
export class Heads {
  readonly #known = new Map<string, { commit: string | undefined; readAt: number }>();

  /** Undefined where a repository has no commit. */
  async read(repository: StoredRepository, signal: AbortSignal): Promise<string | undefined> {
    const readAt = performance.now();
    const known = this.#known.get(repository.name);
    if (known?.commit !== undefined && known.readAt > readAt - this.#knownMs) return known.commit;
    try {
      const commit = await repository.head(signal);
      this.#known.set(repository.name, { commit, readAt });
      return commit;
    } catch (error) {
      // While a repository is repacked, it is searched as it was.
      if (known && isSextantError(error) && error.retryAfterSeconds !== undefined) return known.commit;
      throw error;
    }
  }

  get #knownMs(): number {
    return Math.max(knownMs, Math.min(longestKnownMs, this.#known.size * knownMsOfEach));
  }
}

interface RevisionContext {
  readonly queries: RevisionQueries;
  /** Collects which revisions each repository has. */
  readonly revisions: NamedRevisions;
  readonly heads: Heads;
  readonly signal: AbortSignal;
}

/** The commits of a repository that a query is about. */
export async function targetsIn(
  repository: StoredRepository,
  query: Query,
  { queries, revisions, ...context }: RevisionContext,
): Promise<Target[]> {
  const commits = new Map<string, { commit: string; namedBy: string[] }>();
  for (const revision of queries.namedIn(query)) {
    const found = await commitsOf(repository, revision, context);
    if (found.length > 0) revisions.add(revision);
    else if (revision !== '') revisions.addLack(revision, repository);
    for (const { name, commit } of found) {
      const known = commits.get(name) ?? { commit, namedBy: [] };
      commits.set(name, known);
      known.namedBy.push(revision);
    }
  }
  if (commits.size > maxRevisions)
    throw new SextantError(
      'too_large',
      `the query names ${commits.size} revisions of one repository; at most ${maxRevisions} are searched at once`,
    );
  return [...commits].flatMap(([name, { commit, namedBy }]) => {
    const left = queries.leftAt(query, namedBy);
    const revision = name === '' ? undefined : name;
    return left.kind === 'none' ? [] : [{ repository, revision, commit, query: left }];
  });
}

async function commitsOf(
  repository: StoredRepository,
  revision: string,
  { heads, signal }: Pick<RevisionContext, 'heads' | 'signal'>,
): Promise<NamedCommit[]> {
  if (revision === '') {
    const head = await heads.read(repository, signal);
    return head === undefined ? [] : [{ name: revision, commit: head }];
  }
  if (isGlob(revision)) {
    const { place, glob } = refGlob(revision);
    return (await refsIn(repository, place, signal)).filter(({ name }) => matchesGlob(glob, name));
  }
  try {
    return [{ name: revision, commit: await repository.resolve(revision, signal) }];
  } catch (error) {
    if (!isSextantError(error) || error.code !== 'not_found') throw error;
    return [];
  }
}
