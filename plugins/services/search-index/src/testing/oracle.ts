import { languagePattern } from '@sextant/contracts';
import type { Query } from '@sextant/contracts';

export type Term = Extract<Query, { kind: 'literal' | 'regex' }>;

/** What somebody else finds in one commit. */
export interface Oracle {
  /** The files that it reads as a search does. */
  readonly paths: ReadonlySet<string>;
  /** How many lines of each file match. */
  linesWith(term: Term): ReadonlyMap<string, number>;
  isPathWith(term: Term, path: string): boolean;
  isNamed(filter: string, path: string): boolean;
}

/** How many lines of each file match; files that only their path matches have none. */
export function linesOf(oracle: Oracle, term: Term): Map<string, number> {
  const found = new Map<string, number>();
  for (const path of matching(oracle, (each) => oracle.isPathWith(term, each))) found.set(path, 0);
  for (const [path, lines] of oracle.linesWith(term)) found.set(path, lines);
  return found;
}

/** The files that a query means; by their paths alone, if wanted. */
export function filesOf(oracle: Oracle, query: Query, byPath = false): ReadonlySet<string> {
  switch (query.kind) {
    case 'and':
      return query.children
        .map((child) => filesOf(oracle, child, byPath))
        .reduce((all, files) => only(all, (path) => files.has(path)));
    case 'or':
      return new Set(query.children.flatMap((child) => [...filesOf(oracle, child, byPath)]));
    case 'not': {
      const others = filesOf(oracle, query.child, byPath);
      return matching(oracle, (path) => !others.has(path));
    }
    case 'literal':
    case 'regex':
      return byPath
        ? matching(oracle, (path) => oracle.isPathWith(query, path))
        : new Set(linesOf(oracle, query).keys());
    case 'file':
      return matching(oracle, (path) => oracle.isNamed(query.pattern, path));
    case 'lang': {
      const pattern = new RegExp(languagePattern(query.name) ?? '$^', 'i');
      return matching(oracle, (path) => pattern.test(path));
    }
    default:
      throw new Error(`nobody else knows of ${query.kind}`);
  }
}

const only = (paths: Iterable<string>, isWanted: (path: string) => boolean): Set<string> =>
  new Set([...paths].filter(isWanted));
const matching = ({ paths }: Oracle, isWanted: (path: string) => boolean): Set<string> => only(paths, isWanted);
