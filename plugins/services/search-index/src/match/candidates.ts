import { mayContain } from '@sextant/library-block-index';
import type { Arena } from '@sextant/library-block-index';
import type { FileQuery, Job, PathLeaf, TextLeaf } from '../pool/protocol.ts';
import type { LoadedPaths } from '../shards/loaded-shard.ts';
import type { AttachedSnapshot } from '../snapshot/attached-snapshot.ts';
import type { ShardSlice } from '../snapshot/snapshot.ts';
import { termOf } from './paths.ts';

type Searchable = Pick<AttachedSnapshot, 'mostBlocks'>;
interface WithColumns {
  readonly paths: Pick<LoadedPaths, 'column'>;
  readonly slices: readonly Pick<ShardSlice, 'column'>[];
}
export interface Asked extends Pick<Job, 'terms' | 'wantsPathsOnly'> {
  /** A shard with no more blocks than this by a first estimate is asked for all that its index knows. */
  readonly few?: number;
}

/** Whether the signatures of a snapshot's shards allow that something in it matches. A thousand snapshots are checked in the time that a few take to be searched. */
export function mayMatch(snapshot: WithColumns, query: FileQuery, asked: Asked & { readonly arena: Arena }): boolean {
  switch (query.kind) {
    case 'and':
      return query.children.every((child) => mayMatch(snapshot, child, asked));
    case 'or':
      return query.children.some((child) => mayMatch(snapshot, child, asked));
    case 'text':
    case 'path':
      return mayHaveLeaf(snapshot, query, asked);
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
    mayContain(arena, paths.column, term) ||
    (!wantsPathsOnly && slices.some(({ column }) => mayContain(arena, column, term)))
  );
}

/** The most blocks of a snapshot's paths and texts that need to be read for a query. 0: the index shows that nothing matches. Infinity: it does not tell. */
export function estimateCandidates(snapshot: Searchable, query: FileQuery, asked: Asked): number {
  switch (query.kind) {
    case 'and':
      return leastOf(snapshot, query.children, asked);
    case 'or':
      return query.children.reduce((sum, child) => sum + estimateCandidates(snapshot, child, asked), 0);
    case 'text': {
      const term = asked.terms[query.term];
      return term ? snapshot.mostBlocks(term, { onlyPaths: asked.wantsPathsOnly, few: asked.few }) : 0;
    }
    case 'none':
      return 0;
    default:
      return Infinity;
  }
}

/** The children of each conjunction. The one that the last snapshot lacked is first, because most others lack it, too. */
const ordered = new WeakMap<readonly FileQuery[], FileQuery[]>();

function leastOf(snapshot: Searchable, children: readonly FileQuery[], asked: Asked): number {
  const inOrder = ordered.get(children) ?? [...children];
  ordered.set(children, inOrder);
  let least = Infinity;
  for (const [at, child] of inOrder.entries()) {
    least = Math.min(least, estimateCandidates(snapshot, child, asked));
    if (least > 0) continue;
    if (at > 0) inOrder.unshift(...inOrder.splice(at, 1));
    return 0;
  }
  return least;
}
