import type { AttachedSnapshot } from '../snapshot/attached-snapshot.ts';
import { Bits } from './bits.ts';
import { termOf } from './leaf-term.ts';
import type { Job, PathLeaf, TextLeaf } from '../pool/protocol.ts';

/** For which files a leaf of the query is true by their path. */
export const truthOf =
  (view: AttachedSnapshot, { terms }: Job, checkpoint: () => void) =>
  (leaf: TextLeaf | PathLeaf): Bits => {
    const { handle } = view;
    const term = termOf(leaf, terms);
    if (!term || handle.files === 0) return new Bits(handle.files);
    const files = view.withPath(term, checkpoint);
    if (leaf.kind === 'text' || leaf.scope === 'file') return files;
    return files.isEmpty ? files : Bits.all(handle.files);
  };
