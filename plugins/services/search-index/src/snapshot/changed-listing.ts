import { removedMode, submoduleMode } from './tree-changes.ts';
import type { Change } from './tree-changes.ts';

const [zero, tab] = [0, 9];
/** What git says of a file that it lacks. */
const sizeOfMissing = ' BAD\t';

/**
 * What `git ls-tree -r -z -l` prints of a tree, made of what it printed of another one, which comes in any pieces. Throws where a size is not
 * known; something that was missing then may be there now.
 */
export async function* changedListing(
  listing: AsyncIterable<Buffer>,
  changes: readonly Change[],
  sizes: ReadonlyMap<string, number>,
): AsyncGenerator<Buffer, void, void> {
  let next = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of listing) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const parts: Buffer[] = [];
    let [at, kept] = [0, 0];
    for (let end = bytes.indexOf(zero); end >= 0; end = bytes.indexOf(zero, at)) {
      const path = next < changes.length ? bytes.toString('latin1', bytes.indexOf(tab, at) + 1, end) : '';
      for (let change = changes[next]; change && change.path <= path; change = changes[(next += 1)]) {
        parts.push(bytes.subarray(kept, at), entryOf(change, sizes));
        kept = change.path === path ? end + 1 : at;
      }
      at = end + 1;
    }
    if (bytes.subarray(0, at).includes(sizeOfMissing)) throw new Error('git lacked a file of the other tree');
    rest = bytes.subarray(at);
    yield Buffer.concat([...parts, bytes.subarray(kept, at)]);
  }
  yield Buffer.concat(changes.slice(next).map((each) => entryOf(each, sizes)));
}

function entryOf(change: Change, sizes: ReadonlyMap<string, number>): Buffer {
  const { mode, id, path } = change;
  if (mode === removedMode) return Buffer.alloc(0);
  if (mode === submoduleMode) return Buffer.from(`${mode} commit ${id} -\t${path}\0`, 'latin1');
  const size = sizes.get(id);
  if (size === undefined) throw new Error(`git does not tell the size of ${id}`);
  return Buffer.from(`${mode} blob ${id} ${size}\t${path}\0`, 'latin1');
}
