import { keepPairs } from './candidates.ts';
import { blocksOf, compiledTerm } from './compiled-term.ts';
import type { Literal, Regex } from './compiled-term.ts';
import type { SearchPlace } from './prepare.ts';
import { CAPACITY } from './workspace.ts';

/** Blocks that are fewer are told apart by all trigrams in a few microseconds: a search that ends with nothing takes ten times as long. */
const FEW = 128;

/**
 * No more blocks of a shard than this have a term: the index tells it without looking at text. Where the rarest trigram has no more than `few`, all of them
 * are asked. Throws QueryError and LimitError.
 */
export function mostBlocks(
  { workspace, shard }: Pick<SearchPlace, 'workspace' | 'shard'>,
  query: Literal | Regex,
  few: number = FEW,
): number {
  const plans = compiledTerm(query).plansFor(shard);
  const most = blocksOf(plans, shard);
  if (most > Math.min(few, CAPACITY) || plans.plan.kind !== 'intersection') return most;
  const { kernel, records, run } = workspace;
  const { lists, pairs } = plans.plan;
  const [first, ...others] = lists;
  // Records are not in use between two searches, and there is room for more.
  let left = kernel.decodeRange(first.at, first.count, 0, shard.blocks, records);
  for (const [i, { at, count }] of others.entries()) {
    if (left > 0) left = kernel.intersect(records, left, at, count, run);
    if (i === 0) left = keepPairs(workspace, shard, { ids: records, count: left, pairs });
  }
  return left;
}
