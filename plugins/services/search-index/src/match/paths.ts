import type { Job, PathLeaf, Term, TextLeaf } from '../pool/protocol.ts';
import type { AttachedSnapshot } from '../snapshot/attached-snapshot.ts';
import { BitSet } from '../snapshot/bit-set.ts';

/** Tells for which files of a snapshot a leaf of a query is true by their path. */
export const pathPredicate =
  (snapshot: AttachedSnapshot, { terms }: Pick<Job, 'terms'>, checkpoint: () => void) =>
  (leaf: TextLeaf | PathLeaf): BitSet => {
    const { handle } = snapshot;
    const term = termOf(leaf, terms);
    if (!term || handle.files === 0) return new BitSet(handle.files);
    const files = snapshot.withPath(term, checkpoint);
    if (leaf.kind === 'text' || leaf.scope === 'file') return files;
    return files.isEmpty ? files : BitSet.all(handle.files);
  };

const patterns = new WeakMap<PathLeaf, Term>();

/** What a leaf looks for. Memoized, as a term is compiled once for all snapshots. */
export function termOf(leaf: TextLeaf | PathLeaf, terms: readonly Term[]): Term | undefined {
  if (leaf.kind === 'text') return terms[leaf.term];
  const term = patterns.get(leaf) ?? { regex: leaf.pattern, foldCase: true };
  patterns.set(leaf, term);
  return term;
}
