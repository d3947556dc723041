import { QueryError } from '../errors.ts';
import { blocksOf, compiledTerm } from '../match/compiled-term.ts';
import type { Literal, Regex, Text } from '../match/compiled-term.ts';
import { prepare } from '../match/query.ts';
import type { Limits, SearchPlace, CompiledQuery } from '../match/query.ts';
import { ANY_LINE, Scanner } from '../match/scanner.ts';
import type { SearchContext } from '../match/scanner.ts';
import { windows } from '../match/search.ts';
import type { Term } from '../match/term.ts';
import type { Plan } from '../postings/plan.ts';
import { CAPACITY, WINDOW } from '../workspace.ts';

/** So few blocks are checked for all trigrams of a term, which is faster than to begin a search that finds nothing. */
const FEW = 128;
/** The text of so few blocks is read, too: mostly other words have the trigrams of an identifier. */
const FEWEST = 32;

interface ShardWithText extends Pick<SearchPlace, 'workspace' | 'shard'> {
  /** The address of its text; absent or 0 where it is not in memory. */
  readonly text?: number;
}

/**
 * An upper bound of the number of blocks of a shard that have a term, mostly from the index alone. If the rarest trigram has at most `few` blocks, all
 * trigrams are checked. Throws QueryError and LimitError.
 */
export function mostBlocks(
  { workspace, shard, text = 0 }: ShardWithText,
  query: Literal | Regex,
  few: number = FEW,
): number {
  const { what, blockRequirement, plansFor } = compiledTerm(query);
  if (!blockRequirement || !shard.hasTrigrams) return blocksOf(plansFor(shard), shard);
  // The memory for records is free between two searches, and large enough.
  const { kernel, records, run } = workspace;
  const needs = workspace.written(blockRequirement);
  const most = kernel.mostBlocks(shard.handle.address, needs, Math.min(few, CAPACITY), records, run);
  const isRead = most <= Math.min(few, FEWEST) && 'bytes' in what && text !== 0;
  return isRead && !isInBlocks(what, { workspace, shard, text }, most) ? 0 : most;
}

/** Whether a text stands in any of the blocks whose ids are the first records. */
function isInBlocks(what: Text, { workspace, shard, text }: Required<ShardWithText>, blocks: number): boolean {
  const { arena, bases, kernel, records } = workspace;
  arena.words(bases, blocks).fill(text);
  const needle = workspace.needleOf(what);
  needle.begin(ANY_LINE);
  const out = records + FEWEST * 4;
  return (
    kernel.scanLiteral(shard.handle.address, records, blocks, bases, 0, needle.address, out, CAPACITY - FEWEST) > 0
  );
}

/**
 * For each document, an upper bound of the number of its blocks that have a text, from the index alone; 255 stands for 255 or more. Small documents share
 * blocks. Yields between steps. Throws QueryError and LimitError.
 */
export function* countBlocks(
  place: SearchPlace,
  literal: Literal,
  limits: Pick<Limits, 'checkpoint'> = {},
): Generator<void, Uint8Array> {
  const prepared = prepare(place, literal, limits);
  if (!prepared) return new Uint8Array(place.shard.documents);
  const { context, compiled, release } = prepared;
  const { arena, kernel } = place.workspace;
  const bytes = place.shard.documents;
  const counts = arena.allocate(bytes);
  try {
    arena.u8.fill(0, counts, counts + bytes);
    for (const { from, to } of windows(context, { first: WINDOW, growth: 1 })) {
      context.checkpoint();
      const found = context.candidates.fill(planOf(compiled), from, to);
      kernel.countBlocks(place.shard.handle.address, context.candidates.ids, found, counts);
      yield;
    }
    return arena.u8.slice(counts, counts + bytes);
  } finally {
    arena.release(counts);
    release();
  }
}

const planOf = (compiled: CompiledQuery): Plan => (compiled.kind === 'term' ? compiled.term.plan : { kind: 'every' });

interface Counting extends Pick<Limits, 'checkpoint'> {
  /** Ascending. */
  readonly documents: Uint32Array;
  /** Most blocks of a document that are read. Of more, some that are evenly spread stand for all. */
  readonly mostBlocks: number;
  /** What a match counts that does not begin a word; others count 1. */
  readonly insideWord: number;
}

/**
 * How often a text within a line stands in each of some documents. Yields between steps. Throws QueryError, LimitError and
 * DamagedShardError.
 */
export function* countMatches(place: SearchPlace, literal: Literal, counting: Counting): Generator<void, Float32Array> {
  const { documents, checkpoint } = counting;
  const counts = new Float32Array(documents.length);
  const prepared = prepare(place, literal, checkpoint ? { checkpoint } : {});
  if (!prepared) return counts;
  const { context, compiled, release } = prepared;
  try {
    if (compiled.kind !== 'term' || compiled.term.linePlans)
      throw new QueryError('only texts within a line are counted', 0);
    for (let from = 0, to = 0; from < documents.length; from = to) {
      to = endOfWindow(context, documents, from);
      const some = { ...counting, documents: documents.subarray(from, to) };
      yield* countIn({ context, term: compiled.term, some, counts: counts.subarray(from, to) });
    }
    return counts;
  } finally {
    release();
  }
}

/** The end of the documents from this one on whose blocks fit into a window together. */
function endOfWindow({ shard }: SearchContext, documents: Uint32Array, from: number): number {
  let to = from;
  for (let blocks = 0; to < documents.length; to++) {
    const range = shard.documentBlocks(documents[to] ?? 0);
    blocks += range.to - range.from;
    if (blocks > WINDOW && to > from) break;
  }
  return to;
}

interface Window {
  readonly context: SearchContext;
  readonly term: Term;
  readonly some: Counting;
  readonly counts: Float32Array;
}

function* countIn({ context, term, some, counts }: Window): Generator<void> {
  const { arena } = context.workspace;
  const { documents, insideWord } = some;
  const [from, to] = [documents[0] ?? 0, (documents.at(-1) ?? 0) + 1];
  const words = 2 * (to - from);
  const address = arena.allocate(4 * words);
  try {
    arena.words(address, words).fill(0);
    const { count, weights } = propose(context, term, some);
    yield* new Scanner(context).counts(term, count, { address, from, to });
    const found = arena.words(address, words);
    for (const [i, document] of documents.entries()) {
      const at = 2 * (document - from);
      const [atStart = 0, inside = 0] = [found[at], found[at + 1]];
      if (atStart + inside > 0) counts[i] = (atStart + insideWord * inside) * (weights[i] ?? 1);
    }
  } finally {
    arena.release(address);
  }
}

/** Writes the blocks that are read. Returns their number, and for how many blocks each one of a document stands. */
function propose(
  { shard, candidates, workspace }: SearchContext,
  { plan }: Term,
  { documents, mostBlocks }: Counting,
): { count: number; weights: Float32Array } {
  const ranges = Array.from(documents, (document) => shard.documentBlocks(document));
  let last = -1;
  let count = 0;
  // Small documents share a block.
  const put = (block: number): void => {
    if (block > last) candidates.put(count++, block);
    last = Math.max(last, block);
  };
  for (const { from, to } of ranges) for (let block = from; block < to; block++) put(block);
  const proposed = workspace.arena.words(candidates.ids, candidates.keep(plan, count)).slice();
  [last, count] = [-1, 0];
  const weights = new Float32Array(documents.length);
  let next = 0;
  for (const [i, { from, to }] of ranges.entries()) {
    while (next > 0 && (proposed[next - 1] ?? 0) >= from) next--;
    while ((proposed[next] ?? from) < from) next++;
    const first = next;
    while ((proposed[next] ?? to) < to) next++;
    const all = next - first;
    const wanted = Math.min(all, mostBlocks);
    weights[i] = all / wanted;
    for (let k = 0; k < wanted; k++) put(proposed[first + Math.floor((k * all) / wanted)] ?? 0);
  }
  return { count, weights };
}
