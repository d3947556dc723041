import { SextantError, Turn } from '@sextant/core';
import { pathClass, pathClasses } from '@sextant/library-ranking';
import type { LoadedPaths, StoredShard } from '../shards/loaded-shard.ts';
import type { ShardSet } from '../shards/shard-set.ts';
import { noFiles } from './snapshot.ts';
import type { FileCounts, ShardSlice, SnapshotHandle, UnsearchedFile } from './snapshot.ts';
import { checkPathBytes, filesPerTurn } from './tree.ts';
import type { Tree } from './tree.ts';

/** The files of a commit, each mapped to the document that is its text. Threads share the memory of the number arrays. */
export interface SnapshotFiles {
  /** The paths, one a line. */
  readonly text: Uint8Array;
  /** The paths that contain a line end, by file number: in the text it is a space. */
  readonly odd: ReadonlyMap<number, string>;
  /** The class of each path, as an index into `pathClasses`. */
  readonly classes: Uint8Array;
  /** The document of each file, counted over all its shards; `tooLarge` or `withoutText` where its text is not searched. */
  readonly documents: Int32Array;
  /** The shards that hold one of the documents. */
  readonly shards: readonly StoredShard[];
  readonly counts: FileCounts;
  /** The first object that the repository lacks, or cannot read. */
  readonly firstMissing?: string;
}

/** In place of a document's number. */
export const [tooLarge, withoutText] = [-2, -1];
export const generated = pathClasses.indexOf('generated');

export interface SnapshotFilesOptions {
  /** The shards of the repository. */
  readonly set: ShardSet;
  readonly maxFileBytes: number;
}

/** Arrays in memory that threads share. */
export const sharedArrays = {
  bytes: (length: number): Uint8Array<SharedArrayBuffer> => new Uint8Array(new SharedArrayBuffer(length)),
  signed: (length: number): Int32Array<SharedArrayBuffer> => new Int32Array(new SharedArrayBuffer(4 * length)),
  unsigned: (length: number): Uint32Array<SharedArrayBuffer> => new Uint32Array(new SharedArrayBuffer(4 * length)),
};

const nowhere = -1;

/** Looks up the text of every file of a tree. Throws `too_large` where its paths are too many bytes, or too many of them contain a line end. */
export async function buildFiles(tree: Tree, { set, maxFileBytes }: SnapshotFilesOptions): Promise<SnapshotFiles> {
  const files = tree.paths.length;
  const [classes, documents] = [sharedArrays.bytes(files), sharedArrays.signed(files)];
  const counts = { ...noFiles, files };
  let firstMissing: string | undefined;
  const turn = new Turn();
  // A document's number depends on the shards before its own, which are known only after all files.
  const numbers = new Map(set.shards.map((shard, number) => [shard, number]));
  const shardOf = new Int32Array(files).fill(nowhere);
  for (const [file, path] of tree.paths.entries()) {
    if (file % filesPerTurn === 0) await turn.share();
    const [blob, size] = [tree.blobs[file], tree.sizes[file] ?? 0];
    const place = blob === undefined ? undefined : set.place(blob);
    classes[file] = pathClasses.indexOf(pathClass(path));
    documents[file] = place?.document ?? (size > maxFileBytes ? tooLarge : withoutText);
    if (place) shardOf[file] = numbers.get(place.shard) ?? nowhere;
    const reason = place ? undefined : whyUnsearched(blob, { size, set, maxFileBytes });
    if (reason === 'missing') firstMissing ??= blob;
    if (reason) counts[reason] += 1;
    else if (classes[file] === generated) counts.generated += 1;
  }
  const used = new Set(shardOf);
  const shards = set.shards.filter((_, number) => used.has(number));
  const bases = basesOf(shards);
  const baseOf = set.shards.map((shard) => bases.get(shard) ?? 0);
  for (const [file, number] of shardOf.entries())
    if (number !== nowhere) documents[file] = (documents[file] ?? 0) + (baseOf[number] ?? 0);
  const missing = firstMissing !== undefined && { firstMissing };
  return { ...(await pathText(tree.paths)), classes, documents, shards, counts, ...missing };
}

function whyUnsearched(
  blob: string | undefined,
  { size, set, maxFileBytes }: SnapshotFilesOptions & { readonly size: number },
): 'tooLarge' | 'binary' | 'withoutText' | 'missing' {
  if (size > maxFileBytes) return 'tooLarge';
  if (blob !== undefined && set.isKnown(blob)) return 'binary';
  return blob === undefined && !Number.isNaN(size) ? 'withoutText' : 'missing';
}

/** The number of the first document of each shard, counted over all of them. */
export function basesOf(shards: readonly StoredShard[]): ReadonlyMap<StoredShard, number> {
  let base = 0;
  return new Map(
    shards.map((shard) => {
      base += shard.documents;
      return [shard, base - shard.documents];
    }),
  );
}

/** Paths with line ends are strings in every thread, where others are shared bytes. */
const mostOdd = 20_000;

export async function pathText(paths: readonly string[]): Promise<Pick<SnapshotFiles, 'text' | 'odd'>> {
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
  // Paths that are not UTF-8 have grown.
  checkPathBytes(bytes);
  if (odd.size > mostOdd)
    throw new SextantError(
      'too_large',
      `the repository has ${odd.size} paths with line ends at one commit, and at most ${mostOdd} are indexed; ask for single files and folders`,
    );
  return { text: Buffer.concat(lines, bytes), odd };
}

const lineEnd = 10;
const linesPerTurn = 10_000;
let lastId = 0;

/** The data that threads need to search the files of a commit. */
export async function buildHandle(files: SnapshotFiles, paths: LoadedPaths): Promise<SnapshotHandle> {
  const { documents, shards, text, odd, classes } = files;
  const total = shards.reduce((sum, { documents: count }) => sum + count, 0);
  lastId += 1;
  return {
    id: lastId,
    files: documents.length,
    paths,
    pathStarts: await lineStarts(text, documents.length),
    oddPaths: odd,
    classes,
    documents,
    ...filesByDocument(documents, total),
    slices: [...basesOf(shards)].map(([shard, base]): ShardSlice => {
      const { name, handle, content, documents: count } = shard;
      return { name, handle, content, documents: count, base };
    }),
  };
}

/** The start of each line, and the end of the last one. */
export async function lineStarts(text: Uint8Array, lines: number): Promise<Uint32Array> {
  const turn = new Turn();
  const starts = sharedArrays.unsigned(lines + 1);
  for (let line = 0; line < lines; line += 1) {
    if (line % linesPerTurn === 0) await turn.share();
    starts[line + 1] = text.indexOf(lineEnd, starts[line]) + 1;
  }
  return starts;
}

function filesByDocument(documents: Int32Array, total: number): Pick<SnapshotHandle, 'fileStarts' | 'filesOf'> {
  const fileStarts = sharedArrays.unsigned(total + 1);
  for (const document of documents) if (document >= 0) fileStarts[document + 1] = (fileStarts[document + 1] ?? 0) + 1;
  for (let i = 1; i <= total; i += 1) fileStarts[i] = (fileStarts[i] ?? 0) + (fileStarts[i - 1] ?? 0);
  const next = fileStarts.slice();
  const filesOf = sharedArrays.unsigned(fileStarts[total] ?? 0);
  for (const [file, document] of documents.entries()) {
    if (document < 0) continue;
    const at = next[document] ?? 0;
    filesOf[at] = file;
    next[document] = at + 1;
  }
  return { fileStarts, filesOf };
}

/** A small repository can have millions of files without text, and hints need some of them. */
const mostUnsearched = 20_000;

const decoder = new TextDecoder();

/** The first files whose text is in no shard. It makes no object for any other file, as each start does this for all files. */
export function unsearchedFiles(
  { documents, text, odd }: SnapshotFiles,
  { pathStarts }: SnapshotHandle,
): UnsearchedFile[] {
  const found: UnsearchedFile[] = [];
  for (let file = 0; file < documents.length && found.length < mostUnsearched; file += 1) {
    const document = documents[file] ?? 0;
    if (document >= 0) continue;
    const line = text.subarray(pathStarts[file], (pathStarts[file + 1] ?? 0) - 1);
    found.push({ path: odd.get(file) ?? decoder.decode(line), isTooLarge: document === tooLarge });
  }
  return found;
}
