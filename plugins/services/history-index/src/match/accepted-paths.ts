import type { CommitPredicate } from './commit-predicate.ts';
import type { Clause } from '../request/wanted.ts';
import type { CommitShardReader } from '../shards/commit-shard-reader.ts';
import { BitSet } from './bits.ts';

/** CommitPredicate that are remembered of each shard. */
const mostKnown = 4;

/** Which of a shard's paths meet conditions: a shard has many paths, and the same ones are often asked for again. */
export class AcceptedPaths {
  readonly #known = new WeakMap<CommitShardReader, Map<string, BitSet>>();

  of(reader: CommitShardReader, clauses: readonly Clause[], conditions: CommitPredicate): BitSet {
    const known = this.#known.get(reader) ?? new Map<string, BitSet>();
    this.#known.set(reader, known);
    const key = JSON.stringify(clauses);
    const accepted = known.get(key) ?? test(reader, conditions);
    // A map is in the order of insertion: the first is the one that was not asked for longest.
    known.delete(key);
    known.set(key, accepted);
    const [oldest] = known.keys();
    if (known.size > mostKnown && oldest !== undefined) known.delete(oldest);
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
