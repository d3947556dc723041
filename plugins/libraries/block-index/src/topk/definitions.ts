import { ANY_NAME, nameTrigram } from '../format/names.ts';
import { DocumentEvaluator, windows } from '../match/evaluator.ts';
import type { SearchPlace } from '../match/query.ts';
import { Candidates } from '../postings/candidates.ts';
import { planList } from '../postings/plan.ts';
import type { Plan } from '../postings/plan.ts';

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
