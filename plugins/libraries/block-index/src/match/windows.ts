import { LimitError } from '../format/errors.ts';
import { Overflow } from './evaluator.ts';
import type { Evaluator, Window } from './evaluator.ts';
import type { Matches } from './matches.ts';
import type { Step } from './query.ts';
import type { Bench } from './scanner.ts';
import { WINDOW } from '../kernel/workspace.ts';

/** The shard in windows that end at document borders. The largest document fits into the other half of WINDOW. */
export function* windows({ shard }: Bench, { first, growth }: { first: number; growth: number }): Generator<Window> {
  const most = WINDOW / 2;
  for (let from = 0, size = Math.min(first, most); from < shard.blocks; size = Math.min(most, size * growth)) {
    const to = shard.documentBorder(Math.min(shard.blocks, from + size));
    yield { from, to };
    from = to;
  }
}

/** Matches of a window, about, however many there are: so others have their turn, and little memory is needed. */
const MANY = 100_000;
const LEAST = 64;
const GROWTH = 4;

/** The matches of a query in windows of so many blocks, of fewer where there are many matches; each is good until the next is asked for. */
export function* matchesInWindows(
  evaluator: Evaluator,
  step: Step,
  { bench, first, most }: { bench: Bench; first: number; most: number },
): Generator<Matches> {
  const { shard } = bench;
  const limit = Math.min(most, WINDOW / 2);
  for (let from = 0, size = Math.min(first, limit); from < shard.blocks; ) {
    const to = shard.documentBorder(Math.min(shard.blocks, from + size));
    let found = 0;
    bench.checkpoint();
    for (const matches of matchesOf(evaluator, step, { bench, window: { from, to } })) {
      found += matches.length;
      yield matches;
    }
    size = Math.min(limit, size * GROWTH, Math.max(LEAST, Math.floor((size * MANY) / Math.max(1, found))));
    from = to;
  }
}

/** The matches of a query in a window, which is halved when they are too many at once. Throws LimitError. */
function* matchesOf(
  evaluator: Evaluator,
  step: Step,
  { bench, window }: { bench: Bench; window: Window },
): Generator<Matches> {
  try {
    const matches = evaluator.matches(step, window);
    if (matches.length > 0) yield matches;
  } catch (error) {
    if (!(error instanceof Overflow)) throw error;
    const middle = bench.shard.documentBorder(Math.ceil((window.from + window.to) / 2));
    if (middle >= window.to || middle <= window.from)
      throw new LimitError('a document has too many matches to combine; search for something rarer', { cause: error });
    yield* matchesOf(evaluator, step, { bench, window: { from: window.from, to: middle } });
    yield* matchesOf(evaluator, step, { bench, window: { from: middle, to: window.to } });
  }
}
