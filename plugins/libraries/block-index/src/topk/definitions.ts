import { ANY_NAME, nameTrigram } from '../format/names.ts';
import { Evaluator, windows } from '../match/evaluator.ts';
import type { SearchPlace } from '../match/query.ts';
import { Candidates } from '../postings/candidates.ts';

/**
 * Documents with a line that may define a name of ASCII letters, digits and underscores, by the index alone. All others define it nowhere. Only for
 * shards that were built with `definitions`.
 */
export function documentsDefining(place: SearchPlace, name: string): Uint32Array[] {
  const { workspace, shard } = place;
  const lists = [nameTrigram(name), ANY_NAME].flatMap((trigram) => shard.list(trigram) ?? []);
  if (lists.length === 0) return [];
  const candidates = new Candidates(workspace, shard);
  try {
    const context = { ...place, candidates, filter: 0, checkpoint: () => undefined };
    const evaluator = new Evaluator(context);
    return [...windows(context)].map((window) => evaluator.documentsOf({ kind: 'union', lists }, window));
  } finally {
    candidates.release();
  }
}
