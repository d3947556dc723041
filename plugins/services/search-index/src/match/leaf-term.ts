import type { PathLeaf, Term, TextLeaf } from '../pool/protocol.ts';

const patterns = new WeakMap<PathLeaf, Term>();

/** What a leaf looks for: the same for all views, so that it is compiled once. */
export function termOf(leaf: TextLeaf | PathLeaf, terms: readonly Term[]): Term | undefined {
  if (leaf.kind === 'text') return terms[leaf.term];
  const term = patterns.get(leaf) ?? { regex: leaf.pattern, foldCase: true };
  patterns.set(leaf, term);
  return term;
}
