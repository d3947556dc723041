import { Arena, Workspace } from '@sextant/library-block-index';
import type { ArenaPart } from '@sextant/library-block-index';
import { JobRun } from '../threads/job-run.ts';
import { prospectsOf } from '../threads/prospects.ts';
import type { JobResult, JobView, ViewHandle } from '../threads/protocol.ts';
import { Views } from '../threads/views.ts';
import { beginJob } from './job-request.ts';
import type { JobRequest } from './job-request.ts';

/** Blocks of 4 KB whose text is looked at in less time than it takes to tell a thread of it. */
const mostBlocks = 1024;
/** The same of paths, which stand close together, where more files than this are wanted. */
const mostBlocksOfPaths = 64;
const mostFiles = 500;
/** More terms than this are not even looked up here. */
const mostTerms = 64;
/** What takes longer than so many milliseconds all the same is left to a thread. */
const mostMs = 3;

/** What was found; or else what there is to be searched by others, with the most blocks that need to be looked at in each view, where that is known. */
type Tried =
  | { readonly result: JobResult; readonly left?: never; readonly blocks?: never }
  | { readonly result?: never; readonly left: JobRequest; readonly blocks?: readonly number[] };

/** Searches of which the index shows that there is little to be looked at, or nothing: they end here before a thread has begun. */
export class QuickSearches {
  readonly #views: Views;

  constructor(part: ArenaPart) {
    this.#views = new Views(new Workspace(new Arena(part)));
  }

  add(view: ViewHandle): void {
    this.#views.add(view);
  }

  forget(view: number): void {
    this.#views.forget(view);
  }

  /** Leaves only the views in which there may be something. */
  run(request: JobRequest): Tried {
    // How rare a word is depends on all views.
    if (request.question || request.terms.length > mostTerms) return { left: request };
    try {
      const { views, blocks } = this.#prospects(request);
      const left = { ...request, views };
      const result = this.#isLittle(left, blocks) ? this.#search(left) : undefined;
      return result ? { result } : { left, blocks };
    } catch {
      // A thread meets the same, and tells what it means.
      return { left: request };
    }
  }

  #prospects(request: JobRequest): { views: JobView[]; blocks: number[] } {
    const blocks: number[] = [];
    const views = request.views.filter(({ view, query }) => {
      const most = prospectsOf(this.#views.find(view), query, request);
      if (most > 0) blocks.push(most);
      return most > 0;
    });
    return { views, blocks };
  }

  #isLittle({ views, limits, wantsPathsOnly }: JobRequest, blocks: readonly number[]): boolean {
    const most = wantsPathsOnly && limits.files > mostFiles ? mostBlocksOfPaths : mostBlocks;
    if (blocks.reduce((sum, each) => sum + each, 0) > most) return false;
    return views.every(({ view }) => this.#views.find(view).parts.every(({ isInMemory }) => isInMemory));
  }

  /** Undefined where it takes long. */
  #search(request: JobRequest): JobResult | undefined {
    const job = { ...beginJob(request, mostMs), id: 0 };
    const steps = new JobRun(job, this.#views).run();
    for (let next = steps.next(); ; next = steps.next()) {
      if (next.done === true) return next.value;
      if (Date.now() <= job.deadline) continue;
      steps.return({ files: [], matchCount: 0, fileCount: 0 });
      return undefined;
    }
  }
}
