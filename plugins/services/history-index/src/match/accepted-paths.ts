import { LRUCache } from 'lru-cache';
import type { CommitPredicate } from './commit-predicate.ts';
import type { Clause } from '../request/wanted.ts';
import type { CommitShardReader } from '../shards/commit-shard-reader.ts';
import { BitSet } from './bits.ts';

/** Predicates that are remembered for each shard: those that were asked for last. */
const mostKnown = 4;

/** Which of a shard's paths meet conditions: a shard has many paths, and the same ones are often asked for again. */
export class AcceptedPaths {
  readonly #known = new WeakMap<CommitShardReader, LRUCache<string, BitSet>>();

  of(reader: CommitShardReader, clauses: readonly Clause[], conditions: CommitPredicate): BitSet {
    const known = this.#known.get(reader) ?? new LRUCache<string, BitSet>({ max: mostKnown });
    this.#known.set(reader, known);
    const key = JSON.stringify(clauses);
    const accepted = known.get(key) ?? test(reader, conditions);
    known.set(key, accepted);
    return accepted;
  }
}

function test({ tables: { paths } }: CommitShardReader, conditions: CommitPredicate): BitSet {
  const accepted = new BitSet(paths.length);
  paths.forEach((path, number) => {
    if (conditions.acceptsPath(path)) accepted.add(number);
  });
  return accepted;
}
