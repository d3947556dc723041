import { isFileMode } from '@sextant/contracts';

/** The files of one commit in the order of git's tree. */
export interface Tree {
  readonly paths: readonly string[];
  /** Object id of each; undefined for what has no text to search: symbolic links. */
  readonly blobs: readonly (string | undefined)[];
  /** Not a number for what is missing. */
  readonly sizes: readonly number[];
}

const tab = 9;
const blobType = 'blob ';
const typeAt = '100644 '.length;
const idAt = typeAt + blobType.length;

/** Parses all that `StoredRepository.tree` gives, with sizes or without. Submodules are left out: their files are in repositories of their own. */
export function parseTree(output: Buffer): Tree {
  const paths: string[] = [];
  const blobs: (string | undefined)[] = [];
  const sizes: number[] = [];
  for (let at = 0; at < output.length; ) {
    const middle = output.indexOf(tab, at);
    const end = output.indexOf(0, middle);
    const said = output.toString('latin1', at, middle);
    if (said.startsWith(blobType, typeAt)) {
      const idEnd = said.indexOf(' ', idAt);
      const [id, size] = idEnd < 0 ? [said.slice(idAt)] : [said.slice(idAt, idEnd), said.slice(idEnd)];
      paths.push(output.toString('utf8', middle + 1, end));
      blobs.push(isFileMode(said) ? id : undefined);
      sizes.push(Number(size));
    }
    at = end + 1;
  }
  return { paths, blobs, sizes };
}
