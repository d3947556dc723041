import { SextantError, isSextantError } from '@sextant/core';
import { evaluate, leavesOf } from '../../query/algebra.ts';
import { isOfFiles } from '../../query/of-repositories.ts';
import type { QueryOfFiles } from '../../query/of-repositories.ts';
import type { Query, QueryLeaf } from '../../query/query.ts';
import { matchesGlob } from '../git/branch-glob.ts';
import type { StoredRepository } from '../git/git-store.ts';
import { refsIn } from '../git/named-commits.ts';
import type { NamedCommit } from '../git/named-commits.ts';
import { isGlob, refGlob } from './named-revisions.ts';
import type { NamedRevisions } from './named-revisions.ts';

/** A commit to search in, with what is left of the query there. */
export interface Target {
  readonly repository: StoredRepository;
  /** As the query names it; undefined for the default branch. */
  readonly revision: string | undefined;
  readonly commit: string;
  readonly query: QueryOfFiles;
}

/** Most revisions of a repository in one search. */
const maxRevisions = 64;

/** The revisions that queries name, cached for all repositories that share a query. */
export class RevisionQueries {
  readonly #named = new Map<Query, readonly string[]>();
  readonly #left = new Map<Query, Map<string, QueryOfFiles>>();

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
  leftAt(query: Query, namedBy: readonly string[]): QueryOfFiles {
    const byNames = this.#left.get(query) ?? new Map<string, QueryOfFiles>();
    this.#left.set(query, byNames);
    // No revision has a colon.
    const names = namedBy.join(':');
    const known = byNames.get(names);
    if (known) return known;
    const isNamed = (filter: QueryLeaf): boolean | undefined =>
      filter.kind === 'rev' ? filter.revisions.some((revision) => namedBy.includes(revision)) : undefined;
    const left = evaluate(query, isNamed);
    if (!isOfFiles(left)) throw new Error('a filter of the query is not about files');
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
