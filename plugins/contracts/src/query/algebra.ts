/** AND, OR and NOT over leaves. `all` is true of everything, `none` of nothing. */
export type Algebra<Leaf> = Node<Leaf> | Leaf;

type Node<Leaf> =
  | { readonly kind: 'all' | 'none' }
  | { readonly kind: 'and' | 'or'; readonly children: readonly Algebra<Leaf>[] }
  | { readonly kind: 'not'; readonly child: Algebra<Leaf> };

interface HasKind {
  readonly kind: string;
}

const nodeKinds: ReadonlySet<string> = new Set<Node<never>['kind']>(['all', 'none', 'and', 'or', 'not']);

const isNode = <Leaf extends HasKind>(query: Algebra<Leaf>): query is Node<Leaf> => nodeKinds.has(query.kind);

/**
 * Reduces a query by leaves that are known to be true or false. The result is `all` if the query is true, `none` if it
 * is false, else a query of the leaves for which `known` is undefined. Nested AND and OR are flattened, and double NOT
 * is removed.
 */
export function evaluate<Leaf extends HasKind>(
  query: Algebra<Leaf>,
  known: (leaf: Leaf) => boolean | undefined,
): Algebra<Leaf> {
  if (!isNode(query)) {
    const isTrue = known(query);
    return isTrue === undefined ? query : { kind: isTrue ? 'all' : 'none' };
  }
  switch (query.kind) {
    case 'and':
    case 'or':
      return joined(
        query.kind,
        query.children.map((child) => evaluate(child, known)),
      );
    case 'not':
      return negated(evaluate(query.child, known));
    default:
      return query;
  }
}

/** The same query with nothing more known. */
export const simplify = <Leaf extends HasKind>(query: Algebra<Leaf>): Algebra<Leaf> => evaluate(query, () => undefined);

/** `all` is the neutral element of AND and ends OR; `none` the other way round. */
function joined<Leaf extends HasKind>(kind: 'and' | 'or', children: readonly Algebra<Leaf>[]): Algebra<Leaf> {
  const [neutral, ending] = kind === 'and' ? (['all', 'none'] as const) : (['none', 'all'] as const);
  const flat = children.flatMap((child) => (isNode(child) && child.kind === kind ? child.children : [child]));
  if (flat.some((child) => child.kind === ending)) return { kind: ending };
  const kept = flat.filter((child) => child.kind !== neutral);
  const [first] = kept;
  if (!first) return { kind: neutral };
  return kept.length === 1 ? first : { kind, children: kept };
}

function negated<Leaf extends HasKind>(child: Algebra<Leaf>): Algebra<Leaf> {
  if (!isNode(child)) return { kind: 'not', child };
  if (child.kind === 'all') return { kind: 'none' };
  if (child.kind === 'none') return { kind: 'all' };
  return child.kind === 'not' ? child.child : { kind: 'not', child };
}

/** Every leaf in order, and whether it stands below an odd number of NOTs. */
export function leavesOf<Leaf extends HasKind>(
  query: Algebra<Leaf>,
  isNegated = false,
): { readonly leaf: Leaf; readonly isNegated: boolean }[] {
  if (!isNode(query)) return [{ leaf: query, isNegated }];
  switch (query.kind) {
    case 'and':
    case 'or':
      return query.children.flatMap((child) => leavesOf(child, isNegated));
    case 'not':
      return leavesOf(query.child, !isNegated);
    default:
      return [];
  }
}
