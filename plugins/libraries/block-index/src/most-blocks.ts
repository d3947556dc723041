import { keepPairs } from './candidates.ts';
import { blocksOf, compiledTerm } from './compiled-term.ts';
import type { Literal, Regex } from './compiled-term.ts';
import type { SearchPlace } from './prepare.ts';

/** Blocks that are fewer are told apart by all trigrams in a few microseconds: a search that ends with nothing takes ten times as long. */
const FEW = 128;

/** No more blocks of a shard than this have a term: the index tells it without looking at text. Throws QueryError and LimitError. */
export function mostBlocks(
  { workspace, shard }: Pick<SearchPlace, 'workspace' | 'shard'>,
  query: Literal | Regex,
): number {
  const plans = compiledTerm(query).plansFor(shard);
  const most = blocksOf(plans, shard);
  if (most > FEW || plans.plan.kind !== 'intersection') return most;
  const { kernel, records, run } = workspace;
  const { lists, pairs } = plans.plan;
  const [first, ...others] = lists;
  // Records are not in use between two searches, and there is room for more.
  let left = kernel.decodeRange(first.at, first.count, 0, shard.blocks, records);
  for (const { at, count } of others) if (left > 0) left = kernel.intersect(records, left, at, count, run);
  return keepPairs(workspace, shard, { ids: records, count: left, pairs });
}
