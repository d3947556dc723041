/** A file that differs between two trees; the bytes of its path each as a character. */
export interface Change {
  readonly path: string;
  /** Of the new tree; zeros where the file is not in it. */
  readonly mode: string;
  readonly id: string;
}

const [zero, tab] = [0, 9];
const [submodule, nothing] = ['160000', '000000'];

/** The arguments of the command whose output `parseChanges` reads. */
export const changeArguments = (before: string, commit: string): string[] => [
  'diff-tree',
  '-r',
  '-z',
  '--raw',
  '--no-renames',
  '--end-of-options',
  before,
  commit,
];

export function parseChanges(output: Buffer): Change[] {
  const fields = output.toString('latin1').split('\0').slice(0, -1);
  const changes: Change[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [, mode = '', , id = ''] = (fields[i] ?? '').split(' ');
    changes.push({ path: fields[i + 1] ?? '', mode, id });
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Whether the size of what is there now is to be asked for. */
export const hasSize = ({ mode }: Change): boolean => mode !== submodule && mode !== nothing;

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
  if (mode === nothing) return Buffer.alloc(0);
  if (mode === submodule) return Buffer.from(`${mode} commit ${id} -\t${path}\0`, 'latin1');
  const size = sizes.get(id);
  if (size === undefined) throw new Error(`git does not tell the size of ${id}`);
  return Buffer.from(`${mode} blob ${id} ${size}\t${path}\0`, 'latin1');
}
