import type { Caller } from '@sextant/core';
import { leavesOf } from '../../query/algebra.ts';
import { findRepositories, forRepositories, namesRepositories } from '../../query/of-repositories.ts';
import type { NamesMatching } from '../../query/of-repositories.ts';
import { repositoryNotes } from '../../query/repository-notes.ts';
import type { Query } from '../../query/query.ts';
import type { GitStore } from '../git/git-store.ts';
import type { Repositories } from '../repositories.ts';
import { LeftOut } from './left-out.ts';
import { NamedRevisions } from './named-revisions.ts';
import type { SearchRequest, SearchResult } from './search.ts';
import { Heads, RevisionQueries, targetsIn } from './targets.ts';
import type { Target } from './targets.ts';

/** What a search is about, before an engine reads any text. */
export interface SearchScope {
  readonly targets: readonly Target[];
  readonly notes: readonly string[];
  /** Repositories of the query that have no target. */
  readonly leftOut: LeftOut;
}

export interface SearchScopesParts {
  readonly repositories: Repositories;
  readonly store: GitStore;
  readonly patterns: {
    /** Throws `invalid_argument` for an expression that no search can run. */
    check(pattern: string, options: { readonly foldCase: boolean }): unknown;
    readonly matching: NamesMatching;
  };
}

/** Reduces queries to the repositories that a caller may read, and to their commits, in the same way for every engine. */
export class SearchScopes {
  readonly #parts: SearchScopesParts;
  readonly #heads = new Heads();

  constructor(parts: SearchScopesParts) {
    this.#parts = parts;
  }

  /** With `type:repo` it is the whole answer. */
  async open(caller: Caller, request: SearchRequest, signal: AbortSignal): Promise<SearchScope | SearchResult> {
    const { patterns, repositories } = this.#parts;
    for (const { leaf } of leavesOf(request.query))
      if ('pattern' in leaf) patterns.check(leaf.pattern, { foldCase: true });
    const visible = await repositories.list(caller);
    const matching: NamesMatching = (pattern, names) => patterns.matching(pattern, names);
    const reduced = forRepositories(request.query, visible, matching);
    const why = request.isPart ? [] : repositoryNotes({ query: request.query, visible, matching, reduced });
    const notes = [...request.notes, ...why];
    if (request.options.types.includes('repo')) return findRepositories(reduced, { request, notes });
    const leftOut = new LeftOut(signal);
    const of = { left: reduced.size, all: visible.length };
    const { isNamed = namesRepositories(request.query, of) } = request;
    const { targets, revisions } = await this.#targets(reduced, { leftOut, isNamed, signal });
    return { targets, notes: [...notes, ...revisions], leftOut };
  }

  async #targets(
    reduced: ReadonlyMap<string, Query>,
    { leftOut, isNamed, signal }: { leftOut: LeftOut; isNamed: boolean; signal: AbortSignal },
  ): Promise<{ targets: Target[]; revisions: string[] }> {
    const { store } = this.#parts;
    const revisions = new NamedRevisions();
    const resolving = { queries: new RevisionQueries(), revisions, heads: this.#heads, signal };
    const targetsOf = async ([name, query]: readonly [string, Query]): Promise<readonly Target[]> => {
      const repository = await store.find(name, { isNamed });
      if (repository) return (await leftOut.orWithout(name, () => targetsIn(repository, query, resolving))) ?? [];
      leftOut.add(name, await store.whyAbsent(name));
      return [];
    };
    const targets = (await Promise.all([...reduced].map(targetsOf))).flat();
    if (targets.length === 0) await revisions.requireAny(signal);
    return { targets, revisions: await revisions.notes(signal) };
  }
}
