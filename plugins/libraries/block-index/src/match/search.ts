import { LimitError } from '../errors.ts';
import { WINDOW } from '../workspace.ts';
import { Evaluator, Overflow } from './evaluator.ts';
import type { Window } from './evaluator.ts';
import { Matches } from './matches.ts';
import { prepare } from './query.ts';
import type { Limits, Query, SearchPlace, Step } from './query.ts';
import type { Bench } from './scanner.ts';

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

/** What a query is evaluated with. */
export interface Visiting {
  readonly bench: Bench;
  readonly step: Step;
  readonly evaluator: Evaluator;
}

/** The matches in some documents, ascending: for few, whose blocks are looked at without going through the index. Throws QueryError, LimitError and DamagedShardError. */
export function* searchDocuments(
  place: SearchPlace,
  query: Query,
  { documents, checkpoint }: { documents: Uint32Array } & Pick<Limits, 'checkpoint'>,
): Generator<Matches> {
  if (documents.length === 0) return;
  const prepared = prepare(place, query, checkpoint ? { checkpoint } : {});
  if (!prepared) return;
  const { bench, step, release } = prepared;
  try {
    yield* matchesIn({ bench, step, evaluator: new Evaluator(bench) }, documents);
  } finally {
    release();
  }
}

/** The matches in some documents, in parts that are neither too wide for the index nor too many for memory. */
export function* matchesIn(visiting: Visiting, documents: Uint32Array): Generator<Matches> {
  const { evaluator, step, bench } = visiting;
  const { from } = bench.shard.documentBlocks(documents[0] ?? 0);
  const { to } = bench.shard.documentBlocks(documents.at(-1) ?? 0);
  try {
    if (to - from > WINDOW) throw new Overflow();
    yield evaluator.matches(step, { from, to }, documents);
  } catch (error) {
    if (!(error instanceof Overflow)) throw error;
    if (documents.length < 2)
      throw new LimitError('a document has too many matches to combine; search for something rarer', { cause: error });
    const middle = documents.length >> 1;
    yield* matchesIn(visiting, documents.subarray(0, middle));
    yield* matchesIn(visiting, documents.subarray(middle));
  }
}
