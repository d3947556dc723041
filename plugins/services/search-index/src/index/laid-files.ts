import { SextantError } from '@sextant/core';
import { pathClass, pathClasses } from '@sextant/library-search-results';
import type { StoredShard } from '../threads/protocol.ts';
import { noFiles } from './file-counts.ts';
import type { FileCounts } from './file-counts.ts';
import type { DocumentPlace, ShardSet } from './shard-set.ts';
import type { Tree } from './tree.ts';

/** The files of a commit, laid over the shards that hold their text. Its arrays are memory that all threads see. */
export interface LaidFiles {
  /** A path a line. */
  readonly text: Uint8Array;
  /** The paths that have a line end, by the numbers of their files: in the text it is a space. */
  readonly odd: ReadonlyMap<number, string>;
  /** Numbers of the classes of the paths, as `pathClasses` lists them. */
  readonly classes: Uint8Array;
  /** The document of each file, counted over all parts; negative for one whose text is not searched: see `tooLarge`. */
  readonly documents: Int32Array;
  /** The shards that have one of the documents. */
  readonly parts: readonly StoredShard[];
  readonly counts: FileCounts;
}

/** Instead of the number of a document: of a file that is too large, and of one without text. */
export const [tooLarge, withoutText] = [-2, -1];

export interface Laying {
  readonly shards: ShardSet;
  readonly maxFileBytes: number;
}

/** An array that all threads see. */
export const sharedNumbers = {
  bytes: (length: number): Uint8Array<SharedArrayBuffer> => new Uint8Array(new SharedArrayBuffer(length)),
  signed: (length: number): Int32Array<SharedArrayBuffer> => new Int32Array(new SharedArrayBuffer(4 * length)),
  unsigned: (length: number): Uint32Array<SharedArrayBuffer> => new Uint32Array(new SharedArrayBuffer(4 * length)),
};

export function layFiles(tree: Tree, { shards, maxFileBytes }: Laying): LaidFiles {
  const classes = classesOf(tree.paths);
  const places = tree.blobs.map((blob) => (blob === undefined ? undefined : shards.place(blob)));
  const used = new Set(places.map((place) => place?.shard));
  const parts = shards.shards.filter((shard) => used.has(shard));
  return {
    ...pathText(tree.paths),
    classes,
    documents: documentsOf(tree, { places, maxFileBytes, bases: basesOf(parts) }),
    parts,
    counts: countFiles(tree, { places, classes, shards, maxFileBytes }),
  };
}

/** The number of the first document of each shard, counted over all of them. */
export function basesOf(shards: readonly StoredShard[]): ReadonlyMap<StoredShard, number> {
  let base = 0;
  return new Map(
    shards.map((shard) => {
      base += shard.loaded.documents;
      return [shard, base - shard.loaded.documents];
    }),
  );
}

/** Paths with line ends: every thread has these, where others are bytes that all threads see. */
const mostOdd = 20_000;

export function pathText(paths: readonly string[]): Pick<LaidFiles, 'text' | 'odd'> {
  const odd = new Map<number, string>();
  for (const [file, path] of paths.entries()) if (path.includes('\n')) odd.set(file, path);
  if (odd.size > mostOdd)
    throw new SextantError(
      'too_large',
      `the repository has ${odd.size} paths with line ends at one commit, and at most ${mostOdd} are indexed; ask for single files and folders`,
    );
  const lines = odd.size === 0 ? paths : paths.map((path) => path.replaceAll('\n', ' '));
  return { text: Buffer.from(lines.map((path) => `${path}\n`).join('')), odd };
}

function classesOf(paths: readonly string[]): Uint8Array {
  const classes = sharedNumbers.bytes(paths.length);
  for (const [file, path] of paths.entries()) classes[file] = pathClasses.indexOf(pathClass(path));
  return classes;
}

interface Placing {
  readonly places: readonly (DocumentPlace | undefined)[];
  readonly bases: ReadonlyMap<StoredShard, number>;
  readonly maxFileBytes: number;
}

function documentsOf({ sizes }: Tree, { places, bases, maxFileBytes }: Placing): Int32Array {
  const documents = sharedNumbers.signed(places.length);
  for (const [file, place] of places.entries())
    if (place) documents[file] = (bases.get(place.shard) ?? 0) + place.document;
    else documents[file] = (sizes[file] ?? 0) > maxFileBytes ? tooLarge : withoutText;
  return documents;
}

interface Counting extends Laying {
  readonly places: readonly unknown[];
  readonly classes: Uint8Array;
}

export const generated = pathClasses.indexOf('generated');

function countFiles({ paths, blobs, sizes }: Tree, { places, classes, shards, maxFileBytes }: Counting): FileCounts {
  const counts = { ...noFiles, files: paths.length };
  for (const [file, blob] of blobs.entries()) {
    if (places[file] !== undefined) counts.generated += classes[file] === generated ? 1 : 0;
    else if ((sizes[file] ?? 0) > maxFileBytes) counts.tooLarge += 1;
    else if (blob !== undefined && shards.isKnown(blob)) counts.binary += 1;
    else if (blob === undefined && !Number.isNaN(sizes[file])) counts.withoutText += 1;
    else counts.missing += 1;
  }
  return counts;
}
