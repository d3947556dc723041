import { removedMode, submoduleMode } from './tree-changes.ts';
import type { Change } from './tree-changes.ts';

const [zero, tab] = [0, 9];

/** What `git ls-tree -r -z -l` prints of a tree, made of what it printed of another one. Throws where a size is not known. */
export function changedListing(
  listing: Buffer,
  changes: readonly Change[],
  sizes: ReadonlyMap<string, number>,
): Buffer {
  const parts: Buffer[] = [];
  let [next, kept] = [0, 0];
  for (let at = 0; at < listing.length && next < changes.length; ) {
    const end = listing.indexOf(zero, at);
    const path = listing.toString('latin1', listing.indexOf(tab, at) + 1, end);
    for (let change = changes[next]; change && change.path <= path; change = changes[(next += 1)]) {
      parts.push(listing.subarray(kept, at), entryOf(change, sizes));
      kept = change.path === path ? end + 1 : at;
    }
    at = end + 1;
  }
  return Buffer.concat([...parts, listing.subarray(kept), ...changes.slice(next).map((each) => entryOf(each, sizes))]);
}

function entryOf(change: Change, sizes: ReadonlyMap<string, number>): Buffer {
  const { mode, id, path } = change;
  if (mode === removedMode) return Buffer.alloc(0);
  if (mode === submoduleMode) return Buffer.from(`${mode} commit ${id} -\t${path}\0`, 'latin1');
  const size = sizes.get(id);
  if (size === undefined) throw new Error(`git does not tell the size of ${id}`);
  return Buffer.from(`${mode} blob ${id} ${size}\t${path}\0`, 'latin1');
}
