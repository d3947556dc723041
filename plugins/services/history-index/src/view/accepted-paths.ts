import type { Conditions } from '../search/conditions.ts';
import type { Clause } from '../request/wanted.ts';
import type { ShardReader } from '../store/shard-reader.ts';
import { Bits } from './bits.ts';

/** Conditions that are remembered of each shard. */
const mostKnown = 4;

/** Which of a shard's paths meet conditions: a shard has many paths, and the same ones are often asked for again. */
export class AcceptedPaths {
  readonly #known = new WeakMap<ShardReader, Map<string, Bits>>();

  of(reader: ShardReader, clauses: readonly Clause[], conditions: Conditions): Bits {
    const known = this.#known.get(reader) ?? new Map<string, Bits>();
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

function test({ tables: { paths } }: ShardReader, conditions: Conditions): Bits {
  const accepted = new Bits(paths.length);
  paths.forEach((path, number) => {
    if (conditions.acceptsPath(path)) accepted.add(number);
  });
  return accepted;
}
