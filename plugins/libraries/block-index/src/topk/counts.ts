import { QueryError } from '../errors.ts';
import { EVERY_LINE, Scanner, steps, windows } from '../match/evaluator.ts';
import type { Literal } from '../match/compiled-term.ts';
import { searching } from '../match/query.ts';
import type { CompiledQuery, Limits, SearchContext, SearchPlace, ShardTerm } from '../match/query.ts';
import { emptyMatch } from '../match/matches.ts';
import type { BlockPlan } from '../postings/plan.ts';
import { WINDOW } from '../workspace.ts';

/**
 * For each document, an upper bound of the number of its blocks that have a text, from the index alone; 255 stands for 255 or more. Small documents share
 * blocks. Yields between steps. Throws QueryError and LimitError.
 */
export function* countBlocks(
  place: SearchPlace,
  literal: Literal,
  limits: Pick<Limits, 'checkpoint'> = {},
): Generator<void, Uint8Array> {
  const { workspace, shard } = place;
  const { arena, kernel } = workspace;
  const bytes = shard.documents;
  const found = yield* searching([place, literal, limits], function* ({ context, compiled }) {
    const counts = arena.allocate(bytes);
    try {
      arena.u8.fill(0, counts, counts + bytes);
      for (const { from, to } of windows(context)) {
        context.checkpoint();
        const blocks = context.candidates.fill(planOf(compiled), from, to);
        kernel.countBlocks(shard.handle.address, context.candidates.ids, blocks, counts);
        yield;
      }
      return arena.u8.slice(counts, counts + bytes);
    } finally {
      arena.release(counts);
    }
  });
  return found ?? new Uint8Array(bytes);
}

const planOf = (compiled: CompiledQuery): BlockPlan =>
  compiled.kind === 'term' && compiled.term.plan.kind !== 'lines' ? compiled.term.plan : { kind: 'every' };

interface CountOptions extends Pick<Limits, 'checkpoint'> {
  /** Ascending. */
  readonly documents: Uint32Array;
  /** Most blocks of a document that are read. Of more, some that are evenly spread stand for all. */
  readonly mostBlocks: number;
  /** The value of a match that does not begin a word; other matches count 1. */
  readonly insideWord: number;
}

/**
 * How often a text within a line stands in each of some documents. Yields between steps. Throws QueryError, LimitError and
 * DamagedShardError.
 */
export function* countMatches(
  place: SearchPlace,
  literal: Literal,
  options: CountOptions,
): Generator<void, Float32Array> {
  const { documents, checkpoint } = options;
  const counts = new Float32Array(documents.length);
  yield* searching([place, literal, checkpoint ? { checkpoint } : {}], function* ({ context, compiled }) {
    if (compiled.kind !== 'term' || compiled.term.plan.kind === 'lines')
      throw new QueryError('only texts within a line are counted', 0);
    const { term } = compiled;
    let done = 0;
    for (const step of steps(context, documents, WINDOW)) {
      const some = { ...options, documents: step };
      yield* countIn({
        context,
        term,
        plan: planOf(compiled),
        some,
        counts: counts.subarray(done, done + step.length),
      });
      done += step.length;
    }
  });
  return counts;
}

/** A match for all, as there may be very many. */
const reused = emptyMatch();

interface CountWindow {
  readonly context: SearchContext;
  readonly term: ShardTerm;
  readonly plan: BlockPlan;
  readonly some: CountOptions;
  readonly counts: Float32Array;
}

function* countIn({ context, term, plan, some, counts }: CountWindow): Generator<void> {
  const { documents, insideWord } = some;
  const places = new Map(Array.from(documents, (document, i) => [document, i]));
  const [atStart, inside] = [new Uint32Array(documents.length), new Uint32Array(documents.length)];
  const { count, weights } = propose(context, plan, some);
  for (const matches of new Scanner(context).blocks(term, count, EVERY_LINE)) {
    for (let k = 0; k < matches.length; k++) {
      const { document, isWordStart } = matches.at(k, reused);
      // Blocks are shared with documents that are not counted.
      const i = places.get(document) ?? documents.length;
      const counters = isWordStart ? atStart : inside;
      if (i < documents.length) counters[i] = (counters[i] ?? 0) + 1;
    }
    yield;
  }
  for (const [i, weight] of weights.entries())
    counts[i] = weight > 0 ? ((atStart[i] ?? 0) + insideWord * (inside[i] ?? 0)) * weight : 0;
}

/** Writes the blocks that are read. Returns their number, and for how many blocks each one of a document stands. */
function propose(
  { shard, candidates, workspace }: SearchContext,
  plan: BlockPlan,
  { documents, mostBlocks }: CountOptions,
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
