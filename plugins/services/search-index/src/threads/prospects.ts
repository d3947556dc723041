import type { AttachedView } from './attached-view.ts';
import type { FileQuery, Job } from './protocol.ts';

type Searchable = Pick<AttachedView, 'mostBlocks'>;
export interface Asked extends Pick<Job, 'terms' | 'wantsPathsOnly'> {
  /** Where the index tells of no more blocks of a shard than this at first, it is asked for all that it knows. */
  readonly few?: number;
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
