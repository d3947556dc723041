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

/** Blocks of 4 KB whose text is looked at in less time than it takes to tell a thread of it. */
const mostBlocks = 1024;
/** The same of paths, which stand close together, for a large answer. */
const mostBlocksOfPaths = 64;
/** Where the index tells at first of no more than so many times as many blocks, it is asked for all that it knows. */
const timesMore = 32;
/** More terms than this are not even looked up here. */
const mostTerms = 64;
/** After so many milliseconds others have their turn; what takes longer is left to a thread where others search. */
const turnMs = 3;
/** What takes longer than this is so in any case: there two threads may take half of the time. */
const mostMs = 100;

interface Running {
  /** Whether nobody else searches, nor did lately. */
  readonly isAlone: boolean;
  readonly signal: AbortSignal;
}

const nothing: JobResult = { files: [], matchCount: 0, fileCount: 0 };

/** What was found; or else what there is to be searched by others, with the most blocks that need to be looked at in each view, where that is known. */
type Tried =
  | { readonly result: JobResult; readonly left?: never; readonly blocks?: never }
  | { readonly result?: never; readonly left: JobRequest; readonly blocks?: readonly number[] };

/** The views in which there may be something, and the most blocks of each that need to be looked at. */
interface Prospects {
  readonly views: readonly JobView[];
  readonly blocks: readonly number[];
}

/** Searches of which the index shows that there is little to be looked at, or nothing: they end here before a thread has begun. */
export class QuickSearches {
  readonly #views: AttachedSnapshots;
  /** Searches that are not over. */
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

  /** Leaves only the views in which there may be something. */
  async run(request: JobRequest, running: Running): Promise<Tried> {
    // How rare a word is depends on all views.
    if (request.question || request.terms.length > mostTerms) return { left: request };
    const isAlone = running.isAlone && this.#begun === 0;
    try {
      const likely = this.#prospects(request);
      const little = this.#littleOf(request, likely, isAlone);
      const result = little && (await this.#search(little, { ...running, isAlone }));
      return result ? { result } : { left: { ...request, views: likely.views }, blocks: likely.blocks };
    } catch {
      running.signal.throwIfAborted();
      // A thread meets the same, and tells what it means.
      return { left: request };
    }
  }

  #prospects(request: JobRequest): Prospects {
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

  /** The same in the views in which there may be something, if all of it can be looked at here; while others search the index is not asked for more to tell it. */
  #littleOf(request: JobRequest, { views, blocks }: Prospects, isAlone: boolean): JobRequest | undefined {
    const { wantsPathsOnly, limits } = request;
    const most = wantsPathsOnly && limits.files > smallAnswerFiles ? mostBlocksOfPaths : mostBlocks;
    const all = blocks.reduce((sum, each) => sum + each, 0);
    const asksMore = isAlone && all <= most * timesMore;
    const likely = all <= most ? views : asksMore ? this.#likelyOf(request, { views, most }) : undefined;
    const isInMemory = ({ view }: JobView): boolean => this.#views.find(view).slices.every((part) => part.isInMemory);
    return likely?.every(isInMemory) ? { ...request, views: likely } : undefined;
  }

  /** Those that have a block by all that the index knows; undefined where they have more than so many. */
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

  /** Undefined where it takes long. */
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
