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
  const { ofBlocks, plansFor } = compiledTerm(query);
  if (!ofBlocks || !shard.hasKeys) return blocksOf(plansFor(shard), shard);
  // Records are not in use between two searches, and there is room for more.
  const { kernel, records, run } = workspace;
  return kernel.mostBlocks(shard.handle.address, workspace.written(ofBlocks), Math.min(few, CAPACITY), records, run);
}
