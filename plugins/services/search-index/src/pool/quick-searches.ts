import { setImmediate } from 'node:timers/promises';
import { Arena, Workspace } from '@sextant/library-block-index';
import type { ArenaRegion } from '@sextant/library-block-index';
import { smallAnswerFiles } from '../rank/weights.ts';
import { estimateCandidates } from '../match/candidates.ts';
import type { Asked } from '../match/candidates.ts';
import type { JobResult, JobView } from './protocol.ts';
import type { SnapshotHandle } from '../snapshot/snapshot.ts';
import { AttachedSnapshots } from '../snapshot/attached-snapshot.ts';
import { beginJob, JobRun } from './job.ts';
import type { JobRequest } from './job.ts';

/** Blocks of 4 KB that are searched in less time than a message to a worker takes. */
const mostBlocks = 1024;
/** The same for a search of paths with a large answer: paths stand close together in their blocks. */
const mostBlocksOfPaths = 64;
/** A first estimate of up to so many times `mostBlocks` is made exact: it may turn out to be small. */
const timesMore = 32;
/** Queries with more terms go to a worker at once. */
const mostTerms = 64;
/** Milliseconds of one turn of the event loop. While others search, a search that takes longer goes to a worker. */
const turnMs = 3;
/** Any search that takes longer, in milliseconds, goes to the workers: two of them may take half of the time. */
const mostMs = 100;

interface Running {
  /** Whether nobody else searches or did so lately. */
  readonly isAlone: boolean;
  readonly signal: AbortSignal;
}

const nothing: JobResult = { files: [], matchCount: 0, fileCount: 0 };

/** The result, or what is left for workers: a request, and the estimated blocks of each of its views where they are known. */
type Tried =
  | { readonly result: JobResult; readonly left?: never; readonly blocks?: never }
  | { readonly result?: never; readonly left: JobRequest; readonly blocks?: readonly number[] };

/** The views that may match, and the most blocks of each that need to be searched. */
interface Candidates {
  readonly views: readonly JobView[];
  readonly blocks: readonly number[];
}

/** Runs searches with few candidate blocks on the main thread: they end before a worker has begun. */
export class QuickSearches {
  readonly #views: AttachedSnapshots;
  /** Searches that run. */
  #begun = 0;

  constructor(part: ArenaRegion) {
    this.#views = new AttachedSnapshots(new Workspace(new Arena(part)));
  }

  add(view: SnapshotHandle): void {
    this.#views.add(view);
  }

  forget(view: number): void {
    this.#views.forget(view);
  }

  /** The rest for workers has only the views that may match. */
  async run(request: JobRequest, running: Running): Promise<Tried> {
    // The weight of a word of a question depends on all views.
    if (request.question || request.terms.length > mostTerms) return { left: request };
    const isAlone = running.isAlone && this.#begun === 0;
    try {
      const likely = this.#candidates(request);
      const little = this.#littleOf(request, likely, isAlone);
      const result = little && (await this.#search(little, { ...running, isAlone }));
      return result ? { result } : { left: { ...request, views: likely.views }, blocks: likely.blocks };
    } catch {
      running.signal.throwIfAborted();
      // A thread meets the same, and tells what it means.
      return { left: request };
    }
  }

  #candidates(request: JobRequest): Candidates {
    const blocks: number[] = [];
    const views = this.#views.thatMayMatch(request.views, request).filter((each) => {
      const most = this.#mostBlocks(each, request);
      if (most > 0) blocks.push(most);
      return most > 0;
    });
    return { views, blocks };
  }

  #mostBlocks({ view, query }: JobView, asked: Asked): number {
    return estimateCandidates(this.#views.find(view), query, asked);
  }

  /** The request, limited to views that may match, where all of them can be searched here. While others search the estimate stays the first one. */
  #littleOf(request: JobRequest, { views, blocks }: Candidates, isAlone: boolean): JobRequest | undefined {
    const { wantsPathsOnly, limits } = request;
    const most = wantsPathsOnly && limits.files > smallAnswerFiles ? mostBlocksOfPaths : mostBlocks;
    const all = blocks.reduce((sum, each) => sum + each, 0);
    const asksMore = isAlone && all <= most * timesMore;
    const likely = all <= most ? views : asksMore ? this.#likelyOf(request, { views, most }) : undefined;
    const isInMemory = ({ view }: JobView): boolean => this.#views.find(view).slices.every((part) => part.isInMemory);
    return likely?.every(isInMemory) ? { ...request, views: likely } : undefined;
  }

  /** The views with candidate blocks by the exact estimate; undefined where these are too many. */
  #likelyOf(request: JobRequest, { views, most }: { views: readonly JobView[]; most: number }): JobView[] | undefined {
    const asked = { ...request, few: Infinity };
    const likely: JobView[] = [];
    let left = most;
    for (const view of views) {
      const blocks = this.#mostBlocks(view, asked);
      if (blocks > 0) likely.push(view);
      left -= blocks;
      if (left < 0) return undefined;
    }
    return likely;
  }

  /** Undefined where it takes too long here. */
  async #search(request: JobRequest, { isAlone, signal }: Running): Promise<JobResult | undefined> {
    const job = { ...beginJob(request, isAlone ? mostMs : turnMs), id: 0 };
    const steps = new JobRun(job, this.#views).run();
    this.#begun += 1;
    try {
      for (;;) {
        const result = takeTurn(steps);
        if (result || !isAlone || Date.now() > job.deadline) return result;
        await setImmediate(undefined, { signal });
      }
    } finally {
      this.#begun -= 1;
      steps.return(nothing);
    }
  }
}

/** Undefined where there is more to do. */
function takeTurn(steps: Generator<void, JobResult>): JobResult | undefined {
  const begun = performance.now();
  do {
    const next = steps.next();
    if (next.done === true) return next.value;
  } while (performance.now() - begun < turnMs);
  return undefined;
}
