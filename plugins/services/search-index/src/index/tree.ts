/** The files of one commit in the order of git's tree. */
export interface Tree {
  readonly paths: readonly string[];
  /** Object id of each; undefined for what has no text to search: symbolic links. */
  readonly blobs: readonly (string | undefined)[];
  /** Not a number for what is missing. */
  readonly sizes: readonly number[];
}

const tab = 9;

/** The arguments of the command whose output `parseTree` reads. */
export const treeArguments = (commit: string): string[] => [
  'ls-tree',
  '-r',
  '-z',
  '-l',
  '--full-tree',
  '--end-of-options',
  commit,
];

/** Parses `git ls-tree -r -z -l`. Submodules are left out: their files are in repositories of their own. */
export function parseTree(output: Buffer): Tree {
  const paths: string[] = [];
  const blobs: (string | undefined)[] = [];
  const sizes: number[] = [];
  for (let at = 0; at < output.length; ) {
    const middle = output.indexOf(tab, at);
    const end = output.indexOf(0, middle);
    const [mode = '', type, id, size] = output.toString('latin1', at, middle).split(/ +/);
    if (type === 'blob') {
      paths.push(output.toString('utf8', middle + 1, end));
      blobs.push(mode.startsWith('100') ? id : undefined);
      sizes.push(Number(size));
    }
    at = end + 1;
  }
  return { paths, blobs, sizes };
}
