import type { Query } from './query.ts';

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
