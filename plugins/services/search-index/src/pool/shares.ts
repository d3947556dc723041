import type { JobView } from './protocol.ts';

/** What the index tells nothing of counts as much. */
const unknownBlocks = 2 ** 20;

interface Share {
  blocks: number;
  readonly views: JobView[];
}

/** Views in so many shares (fewer where there are fewer views) of about as many blocks each; without their blocks they stay together. */
export function sharesOf(views: readonly JobView[], blocks: readonly number[], count: number): JobView[][] {
  if (count < 2 || blocks.length < views.length) return [[...views]];
  const shares = Array.from({ length: Math.min(count, views.length) }, (): Share => ({ blocks: 0, views: [] }));
  const most = views.map((view, at) => ({ view, blocks: Math.min(blocks[at] ?? 0, unknownBlocks) }));
  for (const each of most.sort((a, b) => b.blocks - a.blocks)) {
    const least = shares.reduce((a, b) => (b.blocks < a.blocks ? b : a));
    least.blocks += each.blocks;
    least.views.push(each.view);
  }
  return shares.map((share) => share.views);
}
