import { ANY_NAME, nameTrigram } from '../format/names.ts';
import { ANY_LINE, DocumentEvaluator, WORDS_OF_LINES, matchesOfDocuments, steps, windows } from './evaluator.ts';
import type { CompiledSearch, Window } from './evaluator.ts';
import type { Matches } from './matches.ts';
import { searching } from './query.ts';
import type { Limits, DocumentQuery, SearchPlace } from './query.ts';
import { Candidates } from '../postings/candidates.ts';
import { planList } from '../postings/plan.ts';
import type { Plan } from '../postings/plan.ts';

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
  yield* searching([place, query, options], function* ({ context, compiled }) {
    const evaluator = new DocumentEvaluator(context);
    if (options.wantsDocuments) evaluator.lines = compiled.kind === 'term' ? ANY_LINE : WORDS_OF_LINES;
    for (const window of windows(context))
      for (const matches of matchesInWindow({ compiled, evaluator }, window))
        if (matches.length > 0) yield matches.copy();
  });
}

/** Blocks of one step of a combination. Few matches are held at once, and other searches may run in between. */
const STEP_BLOCKS = 256;

/** The matches of a query in a window: of a combination, in the documents that the index proposes. */
function* matchesInWindow(compiledSearch: CompiledSearch, window: Window): Generator<Matches> {
  const { compiled, evaluator } = compiledSearch;
  const { context } = evaluator;
  if (compiled.kind === 'term') return yield* evaluator.term(compiled.term, window);
  context.checkpoint();
  for (const documents of steps(context, evaluator.candidates(compiled, window), STEP_BLOCKS))
    yield* matchesOfDocuments(compiledSearch, documents);
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
  yield* searching([place, query, checkpoint ? { checkpoint } : {}], ({ context, compiled }) =>
    matchesOfDocuments({ compiled, evaluator: new DocumentEvaluator(context) }, documents),
  );
}

/**
 * Documents with a line that may define a name of ASCII letters, digits and underscores, by the index alone. All others define it nowhere. Only for
 * shards that were built with `definitions`.
 */
export function documentsDefining(place: SearchPlace, name: string): Uint32Array[] {
  const { workspace, shard } = place;
  const lists = [nameTrigram(name), ANY_NAME].flatMap((trigram) => shard.list(trigram) ?? []);
  if (lists.length === 0) return [];
  const plan: Plan = { kind: 'any', parts: lists.map(planList) };
  const candidates = new Candidates(workspace, shard);
  try {
    const context = { ...place, candidates, filter: 0, checkpoint: () => undefined };
    const evaluator = new DocumentEvaluator(context);
    return [...windows(context)].map((window) => evaluator.documentsOf(plan, window));
  } finally {
    candidates.release();
  }
}
