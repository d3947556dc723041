import { SextantError, Turn } from '@sextant/core';
import { pathClass, pathClasses } from '@sextant/library-search-results';
import type { StoredShard } from '../pool/protocol.ts';
import { noFiles } from './file-counts.ts';
import type { FileCounts } from './file-counts.ts';
import type { ShardSet } from '../shards/shard-set.ts';
import { checkPathBytes, filesPerTurn } from './tree.ts';
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
  /** The first object that the repository lacks, or cannot give. */
  readonly firstMissing?: string;
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

export async function layFiles(tree: Tree, { shards, maxFileBytes }: Laying): Promise<LaidFiles> {
  const files = tree.paths.length;
  const [classes, documents] = [sharedNumbers.bytes(files), sharedNumbers.signed(files)];
  const counts = { ...noFiles, files };
  let firstMissing: string | undefined;
  const turn = new Turn();
  // Which of the shards has a file is known before which of them are parts.
  const numbers = new Map(shards.shards.map((shard, number) => [shard, number]));
  const shardOf = new Int32Array(files).fill(nowhere);
  for (const [file, path] of tree.paths.entries()) {
    if (file % filesPerTurn === 0) await turn.share();
    const [blob, size] = [tree.blobs[file], tree.sizes[file] ?? 0];
    const place = blob === undefined ? undefined : shards.place(blob);
    classes[file] = pathClasses.indexOf(pathClass(path));
    documents[file] = place?.document ?? (size > maxFileBytes ? tooLarge : withoutText);
    if (place) shardOf[file] = numbers.get(place.shard) ?? nowhere;
    const counted = place ? undefined : whyWithoutText(blob, { size, shards, maxFileBytes });
    if (counted === 'missing') firstMissing ??= blob;
    if (counted) counts[counted] += 1;
    else if (classes[file] === generated) counts.generated += 1;
  }
  const used = new Set(shardOf);
  const parts = shards.shards.filter((_, number) => used.has(number));
  const bases = basesOf(parts);
  const baseOf = shards.shards.map((shard) => bases.get(shard) ?? 0);
  for (const [file, number] of shardOf.entries())
    if (number !== nowhere) documents[file] = (documents[file] ?? 0) + (baseOf[number] ?? 0);
  const missing = firstMissing !== undefined && { firstMissing };
  return { ...(await pathText(tree.paths)), classes, documents, parts, counts, ...missing };
}

const nowhere = -1;

function whyWithoutText(
  blob: string | undefined,
  { size, shards, maxFileBytes }: Laying & { readonly size: number },
): 'tooLarge' | 'binary' | 'withoutText' | 'missing' {
  if (size > maxFileBytes) return 'tooLarge';
  if (blob !== undefined && shards.isKnown(blob)) return 'binary';
  return blob === undefined && !Number.isNaN(size) ? 'withoutText' : 'missing';
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

export async function pathText(paths: readonly string[]): Promise<Pick<LaidFiles, 'text' | 'odd'>> {
  const turn = new Turn();
  const odd = new Map<number, string>();
  const lines: Buffer[] = [];
  let bytes = 0;
  for (let from = 0; from < paths.length; from += filesPerTurn) {
    await turn.share();
    const some = paths.slice(from, from + filesPerTurn);
    for (const [file, path] of some.entries())
      if (path.includes('\n')) {
        odd.set(from + file, path);
        some[file] = path.replaceAll('\n', ' ');
      }
    lines.push(Buffer.from(`${some.join('\n')}\n`));
    bytes += lines.at(-1)?.length ?? 0;
  }
  // What is no UTF-8 takes more room as text.
  checkPathBytes(bytes);
  if (odd.size > mostOdd)
    throw new SextantError(
      'too_large',
      `the repository has ${odd.size} paths with line ends at one commit, and at most ${mostOdd} are indexed; ask for single files and folders`,
    );
  return { text: Buffer.concat(lines, bytes), odd };
}

export const generated = pathClasses.indexOf('generated');
