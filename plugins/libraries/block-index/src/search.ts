import { Candidates } from './candidates.ts';
import type { Content } from './content.ts';
import { LimitError } from './errors.ts';
import { Evaluator, Overflow } from './evaluator.ts';
import type { Window } from './evaluator.ts';
import { Matches } from './matches.ts';
import { QueryCompiler } from './query.ts';
import type { Query, Step } from './query.ts';
import type { Bench } from './scanner.ts';
import type { Shard } from './shard.ts';
import { WINDOW } from './workspace.ts';
import type { Workspace } from './workspace.ts';

/** The first window of a combined query should hold about so many candidates of its cheapest part; the next ones grow by GROWTH. */
const FIRST_CANDIDATES = 96;
const LEAST_WINDOW = 256;
const GROWTH = 4;

export interface SearchOptions {
  /** Bit d & 7 of byte d >> 3 says that document d may be found; without it all may. */
  readonly documents?: Uint8Array;
  /** Expect the consumer to stop early: work in small steps first. */
  readonly isEager?: boolean;
  /** Called every few megabytes of text at most; what it throws ends the search. */
  readonly checkpoint?: () => void;
}

/** Where to search: a shard and its content in one workspace. */
export interface SearchPlace {
  readonly workspace: Workspace;
  readonly shard: Shard;
  readonly content: Content;
}

/**
 * Finds the matches of a query in the order of the content, some at a time; all matches of a document that a combined query finds come together.
 * Stop taking results to stop the search; until it ends it holds memory of the workspace. Throws QueryError, LimitError and DamagedShardError.
 */
export function* search(place: SearchPlace, query: Query, options: SearchOptions = {}): Generator<Matches> {
  const { workspace, shard } = place;
  const compiler = new QueryCompiler(workspace, shard);
  const owned: (() => void)[] = [() => compiler.release()];
  try {
    const step = compiler.compile(query);
    const candidates = new Candidates(workspace, shard);
    owned.push(() => candidates.release());
    const filter = options.documents ? writeFilter(place, options.documents) : 0;
    if (filter) owned.push(() => workspace.arena.release(filter));
    const bench: Bench = { ...place, candidates, filter, checkpoint: options.checkpoint ?? (() => undefined) };
    yield* step.kind === 'term'
      ? ofTerm(bench, step, options.isEager === true)
      : ofQuery(bench, step, options.isEager === true);
  } finally {
    for (const release of owned) release();
  }
}

/** All matches of a query at once: for results that are known to be few. */
export function searchAll(place: SearchPlace, query: Query, options: SearchOptions = {}): Matches {
  return Matches.concat([...search(place, query, options)]);
}

function writeFilter({ workspace, shard }: SearchPlace, documents: Uint8Array): number {
  if (documents.length < Math.ceil(shard.documents / 8))
    throw new LimitError(`the filter has ${documents.length} bytes for ${shard.documents} documents`);
  const filter = workspace.arena.allocate(documents.length);
  workspace.arena.u8.set(documents, filter);
  return filter;
}

function* ofTerm(bench: Bench, { term }: Extract<Step, { kind: 'term' }>, isEager: boolean): Generator<Matches> {
  const evaluator = new Evaluator(bench);
  for (const window of windows(bench, WINDOW, 1)) yield* evaluator.term(term, window, isEager);
}

function* ofQuery(bench: Bench, step: Step, isEager: boolean): Generator<Matches> {
  const evaluator = new Evaluator(bench);
  const { blocks } = bench.shard;
  const isWhole = !isEager || step.cost <= FIRST_CANDIDATES;
  const size = isWhole ? WINDOW : Math.max(LEAST_WINDOW, Math.ceil((blocks * FIRST_CANDIDATES) / step.cost));
  for (const window of windows(bench, size, GROWTH)) yield* split(evaluator, step, { bench, window });
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

/** The shard in windows that end at document borders. The largest document fits into the other half of WINDOW. */
function* windows({ shard }: Bench, first: number, growth: number): Generator<Window> {
  const most = WINDOW / 2;
  for (let from = 0, size = Math.min(first, most); from < shard.blocks; size = Math.min(most, size * growth)) {
    const to = shard.documentBorder(Math.min(shard.blocks, from + size));
    yield { from, to };
    from = to;
  }
}
