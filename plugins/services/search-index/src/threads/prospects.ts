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
      return query.children.reduce((least, child) => Math.min(least, prospectsOf(view, child, asked)), Infinity);
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
