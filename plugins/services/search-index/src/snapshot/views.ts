import type { Workspace } from '@sextant/library-block-index';
import { AttachedView } from './attached-view.ts';
import { mayMatch } from '../match/candidates.ts';
import type { Asked } from '../match/candidates.ts';
import type { JobView, ViewHandle } from '../pool/protocol.ts';

/** The views that a thread knows. One is looked at when it is first searched: only then is it held, and its memory there for sure. */
export class Views {
  readonly #workspace: Workspace;
  readonly #handles = new Map<number, ViewHandle>();
  readonly #attached = new Map<number, AttachedView>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  add(view: ViewHandle): void {
    this.#handles.set(view.id, view);
  }

  forget(id: number): void {
    this.#handles.delete(id);
    this.#attached.delete(id);
  }

  find(id: number): AttachedView {
    const known = this.#attached.get(id);
    if (known) return known;
    const view = new AttachedView(this.#workspace, this.#handleOf(id));
    this.#attached.set(id, view);
    return view;
  }

  /** Those in which something may match, by the keys of their shards. */
  thatMayMatch(views: readonly JobView[], { terms, wantsPathsOnly }: Asked): JobView[] {
    const asked = { terms, wantsPathsOnly, arena: this.#workspace.arena };
    return views.filter(({ view, query }) => mayMatch(this.#handleOf(view), query, asked));
  }

  #handleOf(id: number): ViewHandle {
    const handle = this.#handles.get(id);
    if (!handle) throw new Error(`view ${id} is not known to this thread`);
    return handle;
  }
}
