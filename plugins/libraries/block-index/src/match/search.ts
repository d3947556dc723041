import { WINDOW } from '../workspace.ts';
import { DocumentEvaluator, matchesOfDocuments, Overflow, tooMany, windows } from './evaluator.ts';
import type { CompiledSearch, Window } from './evaluator.ts';
import type { Matches } from './matches.ts';
import { prepare } from './query.ts';
import type { Limits, DocumentQuery, SearchPlace } from './query.ts';
import { ANY_LINE, WORDS_OF_LINES } from './scanner.ts';
import type { ShardTerm } from './term.ts';

export interface SearchOptions extends Limits {
  /** Whether only the documents that match are wanted: some of their matches are enough. */
  readonly wantsDocuments?: boolean;
}

/**
 * Yields the matches of a query in content order, some at a time. The matches of a document come together for a combined query.
 * Ending the generator stops the search; until then it holds memory of the workspace.
 * Throws QueryError, LimitError and DamagedShardError.
 */
export function* search(place: SearchPlace, query: DocumentQuery, options: SearchOptions = {}): Generator<Matches> {
  const prepared = prepare(place, query, options);
  if (!prepared) return;
  const { context, compiled, release } = prepared;
  const evaluator = new DocumentEvaluator(context);
  if (options.wantsDocuments) evaluator.lines = compiled.kind === 'term' ? ANY_LINE : WORDS_OF_LINES;
  const compiledSearch = { context, compiled, evaluator };
  try {
    const found =
      compiled.kind === 'term' ? matchesOfTerm(compiledSearch, compiled.term) : matchesInWindows(compiledSearch);
    for (const matches of found) yield matches.copy();
  } finally {
    release();
  }
}

function* matchesOfTerm({ context, evaluator }: CompiledSearch, term: ShardTerm): Generator<Matches> {
  for (const window of windows(context)) yield* evaluator.term(term, window);
}

/** Target number of matches of a window. It limits memory and lets other searches run. */
const TARGET_MATCHES = 100_000;
/** Blocks of the first window, and of the smallest. */
const [FIRST_BLOCKS, MIN_BLOCKS] = [256, 64];
const GROWTH = 4;

/** Yields the matches of a query by windows, which shrink where there are many matches. A result is valid until the next one. */
function* matchesInWindows(compiledSearch: CompiledSearch): Generator<Matches> {
  const { context } = compiledSearch;
  const { shard } = context;
  const limit = WINDOW / 2;
  for (let from = 0, size = FIRST_BLOCKS; from < shard.blocks; ) {
    const to = shard.documentBorder(Math.min(shard.blocks, from + size));
    let found = 0;
    context.checkpoint();
    for (const matches of matchesInWindow(compiledSearch, { from, to })) {
      found += matches.length;
      yield matches;
    }
    const share = Math.floor((size * TARGET_MATCHES) / Math.max(1, found));
    size = Math.min(limit, size * GROWTH, Math.max(MIN_BLOCKS, share));
    from = to;
  }
}

/** The matches in a window, which is halved if they are too many to hold at once. Throws LimitError. */
function* matchesInWindow(compiledSearch: CompiledSearch, { from, to }: Window): Generator<Matches> {
  const { compiled, context, evaluator } = compiledSearch;
  try {
    const matches = evaluator.matches(compiled, { from, to });
    if (matches.length > 0) yield matches;
  } catch (error) {
    if (!(error instanceof Overflow)) throw error;
    const middle = context.shard.documentBorder(Math.ceil((from + to) / 2));
    if (middle >= to || middle <= from) throw tooMany(error);
    yield* matchesInWindow(compiledSearch, { from, to: middle });
    yield* matchesInWindow(compiledSearch, { from: middle, to });
  }
}

/**
 * Yields the matches in some documents, which must be ascending. Reads their blocks instead of decoding the posting lists, so it is for
 * few documents. Throws QueryError, LimitError and DamagedShardError.
 */
export function* searchDocuments(
  place: SearchPlace,
  query: DocumentQuery,
  { documents, checkpoint }: { documents: Uint32Array } & Pick<Limits, 'checkpoint'>,
): Generator<Matches> {
  if (documents.length === 0) return;
  const prepared = prepare(place, query, checkpoint ? { checkpoint } : {});
  if (!prepared) return;
  const { context, compiled, release } = prepared;
  try {
    yield* matchesOfDocuments({ context, compiled, evaluator: new DocumentEvaluator(context) }, documents);
  } finally {
    release();
  }
}
