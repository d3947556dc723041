import type { CommitRequest, DiffRequest, HistoryFilter, ParsedQuery, Query } from '@sextant/contracts';
import { literal, queryOf, repositoriesNamed, rfc3339 } from '@sextant/contracts';
import type { Window } from './dates.ts';
import { escapeRegex, pathRegex } from './glob.ts';

/** A commit search as a query; in queries the names of files are taken in any case, and globs are expressions. */
export const commitQuery = (request: CommitRequest, window: Window): ParsedQuery =>
  queryOf(
    [
      { kind: 'repo', pattern: anyOf(request.repositories.map((name) => repositoriesNamed([name]).pattern)) },
      ...common(request, window),
      ...either('message', request.messages, request),
      ...(request.paths.length === 0
        ? []
        : [{ kind: 'file', pattern: anyOf(request.paths.map((path) => `(?-i:${pathRegex(path)})`)) } as const]),
      ...either('line', request.contents, request),
    ],
    { types: ['commit'], count: request.count },
  );

/** A diff search as a query. */
export const diffQuery = (request: DiffRequest, window: Window): ParsedQuery =>
  queryOf(
    [
      { kind: 'repo', pattern: anyOf(request.repositories) },
      ...common(request, window),
      ...(request.sides.length === 1 ? request.sides.map((side) => ({ kind: 'diff', side }) as const) : []),
      request.isRegex ? { kind: 'regex', pattern: request.pattern, isCaseSensitive: false } : literal(request.pattern),
    ],
    { types: ['diff'], count: request.count },
  );

const common = (filter: HistoryFilter, { after, before }: Window): Query[] => [
  ...(filter.revisions.length === 0 ? [] : [{ kind: 'rev', revisions: filter.revisions } as const]),
  ...either('author', filter.authors, filter),
  ...(after === undefined ? [] : [{ kind: 'after', date: rfc3339(after) } as const]),
  ...(before === undefined ? [] : [{ kind: 'before', date: rfc3339(before) } as const]),
];

/** One of some values; nothing where there are none. */
function either(kind: 'author' | 'message' | 'line', values: readonly string[], { isRegex }: HistoryFilter): Query[] {
  const children = values.map((value): Query => ({ kind, pattern: isRegex ? value : escapeRegex(value) }));
  return children.length === 0 ? [] : [{ kind: 'or', children }];
}

const anyOf = (regexes: readonly string[]): string =>
  regexes.length === 1 ? regexes.join('') : regexes.map((regex) => `(?:${regex})`).join('|');
