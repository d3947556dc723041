import { mayHave } from '@sextant/library-block-index';
import type { Arena } from '@sextant/library-block-index';
import type { AttachedSnapshot } from '../snapshot/attached-snapshot.ts';
import { termOf } from './leaf-term.ts';
import type { FileQuery, Job, PathLeaf, TextLeaf } from '../pool/protocol.ts';
import type { LoadedPaths } from '../shards/loaded-shard.ts';
import type { ShardSlice } from '../snapshot/snapshot.ts';

type Searchable = Pick<AttachedSnapshot, 'mostBlocks'>;
interface WithColumns {
  readonly paths: Pick<LoadedPaths, 'column'>;
  readonly slices: readonly Pick<ShardSlice, 'column'>[];
}
export interface Asked extends Pick<Job, 'terms' | 'wantsPathsOnly'> {
  /** Where the index tells of no more blocks of a shard than this at first, it is asked for all that it knows. */
  readonly few?: number;
}

/** Whether the keys of a view's shards allow that something in it matches: of a thousand views that is told in the time that a few of them take to be asked. */
export function mayMatch(view: WithColumns, query: FileQuery, asked: Asked & { readonly arena: Arena }): boolean {
  switch (query.kind) {
    case 'and':
      return query.children.every((child) => mayMatch(view, child, asked));
    case 'or':
      return query.children.some((child) => mayMatch(view, child, asked));
    case 'text':
    case 'path':
      return mayHaveLeaf(view, query, asked);
    case 'none':
      return false;
    default:
      return true;
  }
}

function mayHaveLeaf(
  { paths, slices }: WithColumns,
  leaf: TextLeaf | PathLeaf,
  { arena, terms, ...asked }: Asked & { readonly arena: Arena },
): boolean {
  const [term, wantsPathsOnly] = [termOf(leaf, terms), asked.wantsPathsOnly || leaf.kind === 'path'];
  if (!term) return false;
  return (
    mayHave(arena, paths.column, term) || (!wantsPathsOnly && slices.some(({ column }) => mayHave(arena, column, term)))
  );
}

/** At most so many blocks of a view's paths and texts need to be looked at for a query. 0: the index shows that nothing matches. Infinity: it does not tell. */
export function prospectsOf(view: Searchable, query: FileQuery, asked: Asked): number {
  switch (query.kind) {
    case 'and':
      return leastOf(view, query.children, asked);
    case 'or':
      return query.children.reduce((sum, child) => sum + prospectsOf(view, child, asked), 0);
    case 'text': {
      const term = asked.terms[query.term];
      return term ? view.mostBlocks(term, { onlyPaths: asked.wantsPathsOnly, few: asked.few }) : 0;
    }
    case 'none':
      return 0;
    default:
      return Infinity;
  }
}

/** What of each conjunction a view lacked last stands first: most of the others lack it, too. */
const ordered = new WeakMap<readonly FileQuery[], FileQuery[]>();

function leastOf(view: Searchable, children: readonly FileQuery[], asked: Asked): number {
  const inOrder = ordered.get(children) ?? [...children];
  ordered.set(children, inOrder);
  let least = Infinity;
  for (const [at, child] of inOrder.entries()) {
    least = Math.min(least, prospectsOf(view, child, asked));
    if (least > 0) continue;
    if (at > 0) inOrder.unshift(...inOrder.splice(at, 1));
    return 0;
  }
  return least;
}
