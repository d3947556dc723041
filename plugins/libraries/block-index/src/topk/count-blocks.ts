import type { Literal } from '../match/compiled-term.ts';
import { prepare } from '../match/query.ts';
import type { Limits, SearchPlace, Step } from '../match/query.ts';
import { windows } from '../match/search.ts';
import type { Plan } from '../postings/plan.ts';
import { WINDOW } from '../workspace.ts';

/**
 * For each document, how many of its blocks may hold a text, by the index alone: never too few, and too many where small documents share
 * a block; 255 are as many or more. Yields between steps. Throws QueryError and LimitError.
 */
export function* countBlocks(
  place: SearchPlace,
  literal: Literal,
  limits: Pick<Limits, 'checkpoint'> = {},
): Generator<void, Uint8Array> {
  const prepared = prepare(place, literal, limits);
  if (!prepared) return new Uint8Array(place.shard.documents);
  const { bench, step, release } = prepared;
  const { arena, kernel } = place.workspace;
  const bytes = place.shard.documents;
  const counts = arena.allocate(bytes);
  try {
    arena.u8.fill(0, counts, counts + bytes);
    for (const { from, to } of windows(bench, { first: WINDOW, growth: 1 })) {
      bench.checkpoint();
      const found = bench.candidates.fill(planOf(step), from, to);
      kernel.countBlocks(place.shard.handle.address, bench.candidates.ids, found, counts);
      yield;
    }
    return arena.u8.slice(counts, counts + bytes);
  } finally {
    arena.release(counts);
    release();
  }
}

const planOf = (step: Step): Plan => (step.kind === 'term' ? step.term.plan : { kind: 'every' });
