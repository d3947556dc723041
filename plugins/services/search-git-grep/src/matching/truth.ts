import type { FileQuery } from './protocol.ts';

export type Leaf = Extract<FileQuery, { kind: 'text' | 'path' }>;

/** Whether a query is true, where `truthOf` knows of each leaf whether it is; undefined while that is open. */
export function truth(query: FileQuery, truthOf: (leaf: Leaf) => boolean | undefined): boolean | undefined {
  switch (query.kind) {
    case 'and':
      return every(query.children.map((child) => truth(child, truthOf)));
    case 'or':
      return not(every(query.children.map((child) => not(truth(child, truthOf)))));
    case 'not':
      return not(truth(query.child, truthOf));
    case 'text':
    case 'path':
      return truthOf(query);
    default:
      return query.kind === 'all';
  }
}

const not = (value: boolean | undefined): boolean | undefined => (value === undefined ? undefined : !value);

function every(values: readonly (boolean | undefined)[]): boolean | undefined {
  if (values.includes(false)) return false;
  return values.includes(undefined) ? undefined : true;
}

/** The texts whose matches are shown: those that are not negated. */
export function shownTexts(query: FileQuery): Extract<FileQuery, { kind: 'text' }>[] {
  if (query.kind === 'and' || query.kind === 'or') return query.children.flatMap(shownTexts);
  return query.kind === 'text' ? [query] : [];
}

/** The same query with some leaves replaced. */
export function replaceLeaves(query: FileQuery, replace: (leaf: Leaf) => FileQuery): FileQuery {
  switch (query.kind) {
    case 'and':
    case 'or':
      return { kind: query.kind, children: query.children.map((child) => replaceLeaves(child, replace)) };
    case 'not':
      return { kind: 'not', child: replaceLeaves(query.child, replace) };
    case 'text':
    case 'path':
      return replace(query);
    default:
      return query;
  }
}
