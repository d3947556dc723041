import { fileOf } from '../threads/commit-files.ts';
import type { QueryThreads } from '../query/query-threads.ts';
import { HeldView } from './held-view.ts';
import type { KeptViews } from './kept-views.ts';
import { LaidCommits } from './laid-commits.ts';
import type { LaidCommitsOptions } from './laid-commits.ts';
import { namedOnlyIn } from './named-only.ts';
import type { SharedIndex } from './shared-index.ts';
import { makeView } from './view.ts';

export interface LaidViewsOptions extends LaidCommitsOptions {
  readonly shared: SharedIndex;
  readonly kept: KeptViews;
  readonly threads: QueryThreads;
  /** Called when the memory of a view could not be given back. */
  readonly onLeak: (error: unknown) => void;
}

/** Makes the views of the commits of a repository. */
export class LaidViews {
  readonly #options: LaidViewsOptions;
  readonly #laid: LaidCommits;
  readonly #unreleased = new Set<HeldView>();

  constructor(options: LaidViewsOptions) {
    this.#options = options;
    this.#laid = new LaidCommits(options);
  }

  /** Those too that nobody will ask for any more, for as long as somebody looks at them. */
  get unreleased(): readonly HeldView[] {
    return [...this.#unreleased];
  }

  /** `next`: as of `LaidCommits`. */
  async make(commit: string, next?: readonly string[]): Promise<HeldView> {
    const { shared, threads, folder, kept, onLeak } = this.#options;
    const { files, isKept } = await this.#laid.lay(commit, next);
    const file = isKept && { file: fileOf(folder, commit, 'paths') };
    const paths = await shared.paths({ text: files.text, ...file });
    const handle = makeView(files, paths);
    threads.add(handle);
    const view = new HeldView({ handle, counts: files.counts, namedOnly: namedOnlyIn(files, handle) }, async () => {
      this.#unreleased.delete(view);
      kept.leave(view);
      await threads.forget(handle.id);
      await shared.release([paths.handle.address, paths.address]).catch(onLeak);
    });
    this.#unreleased.add(view);
    return view;
  }
}
