import { QueryError } from '../errors.ts';
import type { Literal } from '../match/compiled-term.ts';
import { prepare } from '../match/query.ts';
import type { Limits, SearchPlace } from '../match/query.ts';
import { Scanner } from '../match/scanner.ts';
import type { Bench } from '../match/scanner.ts';
import type { Term } from '../match/term.ts';
import { WINDOW } from '../workspace.ts';

interface Counting extends Pick<Limits, 'checkpoint'> {
  /** Ascending. */
  readonly documents: Uint32Array;
  /** Most blocks of a document that are looked at: where the index proposes more, some of them, evenly spread, stand for all. */
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
  const { bench, step, release } = prepared;
  try {
    if (step.kind !== 'term' || step.term.linePlans) throw new QueryError('only texts within a line are counted', 0);
    for (let from = 0, to = 0; from < documents.length; from = to) {
      to = endOfWindow(bench, documents, from);
      const some = { ...counting, documents: documents.subarray(from, to) };
      yield* countIn({ bench, term: step.term, some, counts: counts.subarray(from, to) });
    }
    return counts;
  } finally {
    release();
  }
}

/** The first of the documents whose blocks may not fit into a window with those from this one on. */
function endOfWindow({ shard }: Bench, documents: Uint32Array, from: number): number {
  let to = from;
  for (let blocks = 0; to < documents.length; to++) {
    const range = shard.documentBlocks(documents[to] ?? 0);
    blocks += range.to - range.from;
    if (blocks > WINDOW && to > from) break;
  }
  return to;
}

interface Window {
  readonly bench: Bench;
  readonly term: Term;
  readonly some: Counting;
  readonly counts: Float32Array;
}

function* countIn({ bench, term, some, counts }: Window): Generator<void> {
  const { arena } = bench.workspace;
  const { documents, insideWord } = some;
  const [from, to] = [documents[0] ?? 0, (documents.at(-1) ?? 0) + 1];
  const words = 2 * (to - from);
  const address = arena.allocate(4 * words);
  try {
    arena.words(address, words).fill(0);
    const { count, weights } = propose(bench, term, some);
    yield* new Scanner(bench).counts(term, count, { address, from, to });
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

/** Writes the blocks that are looked at; returns their number, and for how many each of a document stands. */
function propose(
  { shard, candidates, workspace }: Bench,
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
