import type { RepositoryInfo } from '@sextant/contracts';
import { simplify } from '@sextant/library-query';
import type { Filter, Presence, Query } from '@sextant/library-query';

export type RevisionFilter = Extract<Filter, { kind: 'rev' }>;

/** The default branch, where a query says nothing of the revision. */
export const defaultRevision = '';

/** The query with the revision said everywhere: a group without one is about the default branch. */
export function withRevisions(query: Query): Query {
  if (revisionFilters(query).length === 0)
    return { kind: 'and', children: [{ kind: 'rev', revisions: [defaultRevision] }, query] };
  if (query.kind === 'or') return { kind: 'or', children: query.children.map(withRevisions) };
  if (query.kind !== 'and' || query.children.some(({ kind }) => kind === 'rev')) return query;
  const children = query.children.map((child) => (revisionFilters(child).length > 0 ? withRevisions(child) : child));
  return { kind: 'and', children };
}

export function revisionFilters(query: Query): RevisionFilter[] {
  if (query.kind === 'and' || query.kind === 'or') return query.children.flatMap(revisionFilters);
  return query.kind === 'rev' ? [query] : [];
}

/** What is left of a query in one repository. */
export const inRepository = (query: Query, info: RepositoryInfo, isNamed: (pattern: string) => boolean): Query =>
  decide(query, (filter) => {
    switch (filter.kind) {
      case 'repo':
        return isNamed(filter.pattern);
      case 'fork':
        return isPresent(filter.value, info.isFork);
      case 'archived':
        return isPresent(filter.value, info.isArchived);
      default:
        return undefined;
    }
  });

/** What is left of a query at one revision. */
export const atRevision = (query: Query, isRevision: (filter: RevisionFilter) => boolean): Query =>
  decide(query, (filter) => (filter.kind === 'rev' ? isRevision(filter) : undefined));

/** The query with the leaves put in that are known to be true or false. */
export function decide(query: Query, isTrue: (leaf: Query) => boolean | undefined): Query {
  const walk = (node: Query): Query => {
    if (node.kind === 'and' || node.kind === 'or') return { kind: node.kind, children: node.children.map(walk) };
    if (node.kind === 'not') return { kind: 'not', child: walk(node.child) };
    const known = isTrue(node);
    return known === undefined ? node : { kind: known ? 'all' : 'none' };
  };
  return simplify(walk(query));
}

const isPresent = (wanted: Presence, is: boolean): boolean => {
  if (wanted === 'yes') return true;
  return is === (wanted === 'only');
};

/** The patterns of `repo:` filters, negated or not. */
export function allRepositoryPatterns(query: Query): string[] {
  if (query.kind === 'and' || query.kind === 'or') return query.children.flatMap(allRepositoryPatterns);
  if (query.kind === 'not') return allRepositoryPatterns(query.child);
  return query.kind === 'repo' ? [query.pattern] : [];
}
