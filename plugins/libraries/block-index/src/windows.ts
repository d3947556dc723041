import { LimitError } from './errors.ts';
import { Overflow } from './evaluator.ts';
import type { Evaluator, Window } from './evaluator.ts';
import type { Matches } from './matches.ts';
import type { Step } from './query.ts';
import type { Bench } from './scanner.ts';
import { WINDOW } from './workspace.ts';

/** The shard in windows that end at document borders. The largest document fits into the other half of WINDOW. */
export function* windows({ shard }: Bench, { first, growth }: { first: number; growth: number }): Generator<Window> {
  const most = WINDOW / 2;
  for (let from = 0, size = Math.min(first, most); from < shard.blocks; size = Math.min(most, size * growth)) {
    const to = shard.documentBorder(Math.min(shard.blocks, from + size));
    yield { from, to };
    from = to;
  }
}

/** The matches of a query in a window, which is halved when they are too many at once. Throws LimitError. */
export function* matchesOf(
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
