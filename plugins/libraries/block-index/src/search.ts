import { LimitError } from './errors.ts';
import { Evaluator, Overflow } from './evaluator.ts';
import type { Window } from './evaluator.ts';
import { Matches } from './matches.ts';
import { prepare, windows } from './prepare.ts';
import type { Limits, SearchPlace } from './prepare.ts';
import type { Query, Step } from './query.ts';
import type { Bench } from './scanner.ts';
import { WINDOW } from './workspace.ts';

/** The first window of a combined query should hold about so many candidates of its cheapest part; the next ones grow by GROWTH. */
const FIRST_CANDIDATES = 96;
const LEAST_WINDOW = 256;
const GROWTH = 4;

export interface SearchOptions extends Limits {
  /** Expect the consumer to stop early: work in small steps first. */
  readonly isEager?: boolean;
}

/**
 * Finds the matches of a query in the order of the content, some at a time; all matches of a document that a combined query finds come together.
 * Stop taking results to stop the search; until it ends it holds memory of the workspace. Throws QueryError, LimitError and DamagedShardError.
 */
export function* search(place: SearchPlace, query: Query, options: SearchOptions = {}): Generator<Matches> {
  const { bench, step, release } = prepare(place, query, options);
  try {
    yield* step.kind === 'term'
      ? ofTerm(bench, step, options.isEager === true)
      : ofQuery(bench, step, options.isEager === true);
  } finally {
    release();
  }
}

/** All matches of a query at once: for results that are known to be few. */
export function searchAll(place: SearchPlace, query: Query, options: SearchOptions = {}): Matches {
  return Matches.concat([...search(place, query, options)]);
}

function* ofTerm(bench: Bench, { term }: Extract<Step, { kind: 'term' }>, isEager: boolean): Generator<Matches> {
  const evaluator = new Evaluator(bench);
  for (const window of windows(bench, { first: WINDOW, growth: 1 })) yield* evaluator.term(term, window, isEager);
}

function* ofQuery(bench: Bench, step: Step, isEager: boolean): Generator<Matches> {
  const evaluator = new Evaluator(bench);
  const { blocks } = bench.shard;
  const isWhole = !isEager || step.cost <= FIRST_CANDIDATES;
  const size = isWhole ? WINDOW : Math.max(LEAST_WINDOW, Math.ceil((blocks * FIRST_CANDIDATES) / step.cost));
  for (const window of windows(bench, { first: size, growth: GROWTH }))
    yield* split(evaluator, step, { bench, window });
}

/** Halves a window whose matches are too many. */
function* split(
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
    yield* split(evaluator, step, { bench, window: { from: window.from, to: middle } });
    yield* split(evaluator, step, { bench, window: { from: middle, to: window.to } });
  }
}
