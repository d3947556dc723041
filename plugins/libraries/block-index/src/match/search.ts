import { Evaluator } from './evaluator.ts';
import { Matches } from './matches.ts';
import { prepare } from './prepare.ts';
import type { Limits, SearchPlace } from './prepare.ts';
import type { Query, Step } from './query.ts';
import type { Bench } from './scanner.ts';
import { matchesInWindows, windows } from './windows.ts';
import { WINDOW } from '../kernel/workspace.ts';

/** The first window of a combined query should hold about so many candidates of its cheapest part. */
const FIRST_CANDIDATES = 96;
const LEAST_WINDOW = 256;

export interface SearchOptions extends Limits {
  /** Expect the consumer to stop early: work in small steps first. */
  readonly isEager?: boolean;
}

/**
 * Finds the matches of a query in the order of the content, some at a time; all matches of a document that a combined query finds come together.
 * Stop taking results to stop the search; until it ends it holds memory of the workspace. Throws QueryError, LimitError and DamagedShardError.
 */
export function* search(place: SearchPlace, query: Query, options: SearchOptions = {}): Generator<Matches> {
  const prepared = prepare(place, query, options);
  if (!prepared) return;
  const { bench, step, release } = prepared;
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
  for (const window of windows(bench, { first: WINDOW, growth: 1 }))
    for (const matches of evaluator.term(term, window, { isEager })) yield matches.copy();
}

function* ofQuery(bench: Bench, step: Step, isEager: boolean): Generator<Matches> {
  const evaluator = new Evaluator(bench);
  const { blocks } = bench.shard;
  const isWhole = !isEager || step.cost <= FIRST_CANDIDATES;
  const size = isWhole ? WINDOW : Math.max(LEAST_WINDOW, Math.ceil((blocks * FIRST_CANDIDATES) / step.cost));
  for (const matches of matchesInWindows(evaluator, step, { bench, first: size, most: WINDOW })) yield matches.copy();
}
