import { LimitError } from '../format/errors.ts';
import { Evaluator, Overflow } from './evaluator.ts';
import type { Matches } from './matches.ts';
import { prepare } from './prepare.ts';
import type { Limits, SearchPlace } from './prepare.ts';
import type { Query, Step } from './query.ts';
import type { Bench } from './scanner.ts';
import { WINDOW } from '../kernel/workspace.ts';

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
