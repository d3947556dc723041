import type { JobLimits, JobPart, JobView } from '../threads/protocol.ts';

/** A search for so many files is one for a list of all: all of them are shown, which takes as long as to find them. */
export const filesOfLists = 500;
/** What the index tells nothing of counts as much. */
const unknownBlocks = 2 ** 20;

interface Shared {
  readonly views: readonly JobView[];
  readonly limits: Pick<JobLimits, 'files'>;
}

interface Share {
  blocks: number;
  readonly views: JobView[];
}

/** What so many threads begin with, or fewer where there are fewer views; without the blocks of views they stay together. */
export function sharesOf({ views, limits }: Shared, blocks: readonly number[], count: number): JobPart[] {
  if (count < 2 || blocks.length < views.length) return [{ views }];
  const most = views.map((view, at) => ({ view, blocks: Math.min(blocks[at] ?? 0, unknownBlocks) }));
  const largestFirst = most.sort((a, b) => b.blocks - a.blocks);
  const length = Math.min(count, views.length);
  if (limits.files < filesOfLists) return evenShares(largestFirst, length);
  const common = { views: largestFirst.map(({ view }) => view), taken: new Int32Array(new SharedArrayBuffer(4)) };
  return Array.from({ length }, () => common);
}

/** Shares of about as many blocks each. */
function evenShares(largestFirst: readonly { view: JobView; blocks: number }[], length: number): JobPart[] {
  const shares = Array.from({ length }, (): Share => ({ blocks: 0, views: [] }));
  for (const each of largestFirst) {
    const least = shares.reduce((a, b) => (b.blocks < a.blocks ? b : a));
    least.blocks += each.blocks;
    least.views.push(each.view);
  }
  return shares.map(({ views }) => ({ views }));
}
