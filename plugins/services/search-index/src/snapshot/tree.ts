import { isFileMode } from '@sextant/contracts';
import { SextantError, Turn } from '@sextant/core';
import { MAX_DOCUMENT_BYTES } from '@sextant/library-block-index';

/** The files of one commit in the order of git's tree. */
export interface Tree {
  readonly paths: readonly string[];
  /** Object id of each; undefined for what has no text to search: symbolic links. */
  readonly blobs: readonly (string | undefined)[];
  /** Not a number for what is missing. */
  readonly sizes: readonly number[];
  /** The first object that is missing, where it is not among the blobs. */
  readonly firstMissing?: string | undefined;
}

const [zero, tab] = [0, 9];
const blobType = 'blob ';
const typeAt = '100644 '.length;
const idAt = typeAt + blobType.length;
/** A loop over all files of a tree lets others have the event loop after so many. */
export const filesPerTurn = 256;
/** Of ids that are shared where the same object has many paths. */
const mostShared = 10_000;

/**
 * Reads what `StoredRepository.tree` gives, with sizes or without, however it is cut into pieces. Submodules are left out: their files are in
 * repositories of their own. Throws `too_large` as soon as the paths are more than an index of paths can hold.
 */
export async function readTree(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Tree> {
  const files = new ListedFiles();
  const turn = new Turn();
  let rest: Uint8Array = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes =
      rest.length === 0 ? Buffer.from(piece.buffer, piece.byteOffset, piece.length) : Buffer.concat([rest, piece]);
    rest = bytes.subarray(files.add(bytes));
    await turn.share();
  }
  const { paths, blobs, sizes } = files;
  return { paths, blobs, sizes };
}

class ListedFiles implements Tree {
  readonly paths: string[] = [];
  readonly blobs: (string | undefined)[] = [];
  readonly sizes: number[] = [];
  readonly #ids = new Map<string, string>();
  #pathBytes = 0;

  /** Returns where the record begins that is not whole. */
  add(bytes: Buffer): number {
    let at = 0;
    for (let end = bytes.indexOf(zero); end >= 0; end = bytes.indexOf(zero, at)) {
      this.#addRecord(bytes.subarray(at, end));
      at = end + 1;
    }
    return at;
  }

  #addRecord(record: Buffer): void {
    const middle = record.indexOf(tab);
    const said = record.toString('latin1', 0, middle);
    if (!said.startsWith(blobType, typeAt)) return;
    this.#pathBytes += record.length - middle;
    checkPathBytes(this.#pathBytes);
    const idEnd = said.indexOf(' ', idAt);
    const [id, size] = idEnd < 0 ? [said.slice(idAt)] : [said.slice(idAt, idEnd), said.slice(idEnd)];
    this.paths.push(record.toString('utf8', middle + 1));
    this.blobs.push(isFileMode(said) ? this.#shared(id) : undefined);
    this.sizes.push(Number(size));
  }

  /** The same string for the same id, where it is soon met again: a repository of few objects can have millions of paths. */
  #shared(id: string): string {
    const known = this.#ids.get(id);
    if (known !== undefined) return known;
    if (this.#ids.size >= mostShared) this.#ids.clear();
    this.#ids.set(id, id);
    return id;
  }
}

/** Throws `too_large` where paths of so many bytes, each with its end, are more than their index can hold. */
export function checkPathBytes(bytes: number): void {
  if (bytes <= MAX_DOCUMENT_BYTES) return;
  throw new SextantError(
    'too_large',
    `the repository has more than ${MAX_DOCUMENT_BYTES} bytes of paths at one commit, which is the most that is indexed; ask for single files and folders`,
  );
}
