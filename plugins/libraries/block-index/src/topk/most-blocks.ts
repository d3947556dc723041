import { blocksOf, compiledTerm } from '../match/compiled-term.ts';
import type { Literal, Regex, Text } from '../match/compiled-term.ts';
import type { SearchPlace } from '../match/query.ts';
import { ANY_LINE } from '../match/scanner.ts';
import { CAPACITY } from '../workspace.ts';

/** Blocks that are fewer are told apart by all trigrams in a few microseconds: a search that ends with nothing takes ten times as long. */
const FEW = 128;
/** Of no more than so many the text is looked at, too: that takes about a microsecond each, and most have the trigrams of an identifier in other words. */
const FEWEST = 32;

interface ShardWithText extends Pick<SearchPlace, 'workspace' | 'shard'> {
  /** Where its text is in memory; absent or 0: it is not there. */
  readonly text?: number;
}

/**
 * No more blocks of a shard than this have a term: mostly the index tells it without looking at text. Where the rarest trigram has no more than `few`, all of
 * them are asked. Throws QueryError and LimitError.
 */
export function mostBlocks(
  { workspace, shard, text = 0 }: ShardWithText,
  query: Literal | Regex,
  few: number = FEW,
): number {
  const { what, ofBlocks, plansFor } = compiledTerm(query);
  if (!ofBlocks || !shard.hasTrigrams) return blocksOf(plansFor(shard), shard);
  // Records are not in use between two searches, and there is room for more.
  const { kernel, records, run } = workspace;
  const needs = workspace.written(ofBlocks);
  const most = kernel.mostBlocks(shard.handle.address, needs, Math.min(few, CAPACITY), records, run);
  const isLookedAt = most <= Math.min(few, FEWEST) && 'bytes' in what && text !== 0;
  return isLookedAt && !stands(what, { workspace, shard, text }, most) ? 0 : most;
}

/** Whether a text stands in any of the blocks whose ids are the first records. */
function stands(what: Text, { workspace, shard, text }: Required<ShardWithText>, blocks: number): boolean {
  const { arena, bases, kernel, records } = workspace;
  arena.words(bases, blocks).fill(text);
  const needle = workspace.needleOf(what);
  needle.begin(ANY_LINE);
  const out = records + FEWEST * 4;
  return (
    kernel.scanLiteral(shard.handle.address, records, blocks, bases, 0, needle.address, out, CAPACITY - FEWEST) > 0
  );
}
