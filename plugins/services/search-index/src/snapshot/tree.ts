import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { isFileMode } from '@sextant/contracts';
import type { ListedEntry } from '@sextant/contracts';
import { SextantError, Turn } from '@sextant/core';
import { MAX_DOCUMENT_BYTES } from '@sextant/library-block-index';

/** The files of one commit in the order of git's tree. */
export interface Tree {
  readonly paths: readonly string[];
  /** Object id of each; undefined for what has no text to search: symbolic links. */
  readonly blobs: readonly (string | undefined)[];
  /** Bytes; not a number where git lacks the object. */
  readonly sizes: readonly number[];
}

/** A loop over all files of a tree lets others have the event loop after so many. */
export const filesPerTurn = 256;
/** Most ids that are kept to be shared: one object may have many paths. */
const mostShared = 10_000;

/** Collects the files of a tree. Throws `too_large` as soon as the paths are more than an index of paths can hold. */
class TreeBuilder implements Tree {
  readonly paths: string[] = [];
  readonly blobs: (string | undefined)[] = [];
  readonly sizes: number[] = [];
  readonly #ids = new Map<string, string>();
  #pathBytes = 0;

  add(path: string, blob: string | undefined, size: number): void {
    this.#pathBytes += Buffer.byteLength(path) + 1;
    checkPathBytes(this.#pathBytes);
    this.paths.push(path);
    this.blobs.push(blob === undefined ? undefined : this.#shared(blob));
    this.sizes.push(size);
  }

  get tree(): Tree {
    const { paths, blobs, sizes } = this;
    return { paths, blobs, sizes };
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

/** Reads what `StoredRepository.tree` gives. Submodules are left out: their files are in repositories of their own. */
export async function readTree(batches: AsyncIterable<readonly ListedEntry[]>): Promise<Tree> {
  const builder = new TreeBuilder();
  const turn = new Turn();
  for await (const entries of batches) {
    for (const { mode, type, id, size, path } of entries)
      if (type === 'blob') builder.add(path, isFileMode(mode) ? id : undefined, size);
    await turn.share();
  }
  return builder.tree;
}

/** Whether git has all objects of a tree. */
export const isWhole = ({ sizes }: Tree): boolean => !sizes.some(Number.isNaN);

/** A whole tree in little memory: a few objects can have millions of paths, which pack to almost nothing. */
export async function packTree({ paths, blobs, sizes }: Tree): Promise<Buffer> {
  const turn = new Turn();
  const packing = createZstdCompress();
  const packed = buffer(packing);
  for (let from = 0; from < paths.length; from += filesPerTurn) {
    await turn.share();
    const columns = [paths, blobs, sizes].map((column) => column.slice(from, from + filesPerTurn));
    if (!packing.write(`${JSON.stringify(columns)}\n`)) await once(packing, 'drain');
  }
  packing.end();
  return packed;
}

/** Throws for what was not packed by `packTree`. */
export async function unpackTree(packed: Buffer): Promise<Tree> {
  const builder = new TreeBuilder();
  const turn = new Turn();
  const unpacking = createZstdDecompress();
  unpacking.setEncoding('utf8').end(packed);
  let rest = '';
  for await (const piece of unpacking) {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      // Not checked again: the tree was checked before it was stored, and has a checksum.
      const [paths, blobs, sizes] = JSON.parse(line) as [string[], (string | null)[], number[]];
      for (const [file, path] of paths.entries()) builder.add(path, blobs[file] ?? undefined, sizes[file] ?? 0);
      await turn.share();
    }
  }
  if (rest !== '') throw new SyntaxError('a stored tree ends within a line');
  return builder.tree;
}

/** Throws `too_large` where paths of so many bytes, each with its end, are more than their index can hold. */
export function checkPathBytes(bytes: number): void {
  if (bytes <= MAX_DOCUMENT_BYTES) return;
  throw new SextantError(
    'too_large',
    `the repository has more than ${MAX_DOCUMENT_BYTES} bytes of paths at one commit, which is the most that is indexed; ask for single files and folders`,
  );
}
