import type { QueryThreads } from '../pool/query-threads.ts';
import type { StoredShard } from '../shards/loaded-shard.ts';
import type { SharedIndex } from '../shards/shared-index.ts';
import type { LaidCommit } from './changed-files.ts';
import { fileOf } from './commit-files.ts';
import type { SnapshotCache } from './kept-views.ts';
import { LaidCommits } from './laid-commits.ts';
import type { LaidCommitsOptions } from './laid-commits.ts';
import { namedOnlyIn } from './named-only.ts';
import { Snapshot } from './snapshot.ts';
import { makeView } from './view.ts';

export interface LaidViewsOptions extends LaidCommitsOptions {
  readonly shared: SharedIndex;
  readonly kept: SnapshotCache;
  readonly threads: QueryThreads;
  /** Called when the memory of a view could not be given back. */
  readonly onLeak: (error: unknown) => void;
}

/** Of so many commits that were laid last it is found out what is different in another. */
const mostBefore = 3;

/** What a view was made of. */
interface Made {
  readonly commit: string;
  readonly parts: readonly StoredShard[];
  readonly isWhole: boolean;
  isKept: boolean;
}

/** Makes the views of the commits of a repository. */
export class LaidViews {
  readonly #options: LaidViewsOptions;
  readonly #laid: LaidCommits;
  readonly #unreleased = new Map<Snapshot, Made>();

  constructor(options: LaidViewsOptions) {
    this.#options = options;
    this.#laid = new LaidCommits(options);
  }

  /** Those too that nobody will ask for any more, for as long as somebody looks at them. */
  get unreleased(): readonly Snapshot[] {
    return [...this.#unreleased.keys()];
  }

  /** `next`: as of `LaidCommits`. */
  async make(commit: string, next?: readonly string[]): Promise<Snapshot> {
    const { shared, threads, folder, kept, onLeak } = this.#options;
    const { files, isKept, isWhole } = await this.#lay(commit, next);
    const file = isKept && { file: fileOf(folder, commit, 'paths') };
    const paths = await shared.paths(folder, { text: files.text, ...file });
    const handle = await makeView(files, paths);
    threads.add(handle);
    const { counts, firstMissing } = files;
    const view = new Snapshot({ handle, counts, firstMissing, unsearched: namedOnlyIn(files, handle) }, async () => {
      this.#unreleased.delete(view);
      kept.leave(view);
      await threads.forget(handle.id);
      await shared.release([paths.handle.address, paths.address]).catch(onLeak);
    });
    this.#unreleased.set(view, { commit, parts: files.parts, isWhole, isKept });
    return view;
  }

  /** Keeps what was laid for whoever searched a commit before it was known as that of a branch: a start has it at once then. */
  async keep(commits: ReadonlySet<string>): Promise<void> {
    for (const [view, made] of this.#unreleased) {
      if (made.isKept || !made.isWhole || !commits.has(made.commit) || !view.hold()) continue;
      try {
        made.isKept = true;
        await this.#laid.keep(this.#laidAs(view, made));
      } finally {
        view.release();
      }
    }
  }

  async #lay(commit: string, next: readonly string[] | undefined): ReturnType<LaidCommits['lay']> {
    const whole = [...this.#unreleased].filter(([, { isWhole }]) => isWhole);
    const last = whole.slice(-mostBefore).filter(([view]) => view.hold());
    try {
      const before = last.toReversed().map(([view, made]) => this.#laidAs(view, made));
      return await this.#laid.lay(commit, { next, before });
    } finally {
      for (const [view] of last) view.release();
    }
  }

  #laidAs({ handle, counts }: Snapshot, { commit, parts }: Made): LaidCommit {
    const { pathStarts, classes, documents, oddPaths: odd, paths } = handle;
    const text = this.#options.shared.textOf(paths, pathStarts.at(-1) ?? 0);
    return { commit, files: { text, odd, classes, documents, parts, counts, pathStarts } };
  }
}
