import { pathClass, pathClasses } from '@sextant/library-search-results';
import type { LoadedPaths, StoredShard, ViewHandle, ViewPart } from '../threads/protocol.ts';
import type { ShardSet } from './shard-set.ts';
import type { Tree } from './tree.ts';

let lastId = 0;

/** The paths of a tree as one text, a line each, and where each begins. A line end within a path is shown elsewhere. */
export function pathText({ paths }: Tree): { text: Buffer; starts: Uint32Array; odd: Map<number, string> } {
  const odd = new Map<number, string>();
  const starts = shared(Uint32Array, paths.length + 1);
  const parts = paths.map((path, index) => {
    if (path.includes('\n')) odd.set(index, path);
    return Buffer.from(`${path.replaceAll('\n', ' ')}\n`);
  });
  let at = 0;
  for (const [index, part] of parts.entries()) {
    starts[index] = at;
    at += part.length;
  }
  starts[paths.length] = at;
  return { text: Buffer.concat(parts), starts, odd };
}

export interface ViewSources {
  readonly tree: Tree;
  readonly shards: ShardSet;
  readonly paths: LoadedPaths;
  readonly pathStarts: Uint32Array;
  readonly oddPaths: ReadonlyMap<number, string>;
}

/** Lays the files of a commit over the shards that hold their text. */
export function makeView({ tree, shards, paths, pathStarts, oddPaths }: ViewSources): ViewHandle {
  const bases = basesOf(shards.shards);
  const total = shards.shards.reduce((sum, { loaded }) => sum + loaded.documents, 0);
  const documents = shared(Int32Array, tree.paths.length).fill(-1);
  const fileStarts = shared(Uint32Array, total + 1);
  const used = new Set<StoredShard>();
  for (const [file, blob] of tree.blobs.entries()) {
    const place = blob === undefined ? undefined : shards.place(blob);
    if (!place) continue;
    used.add(place.shard);
    const document = (bases.get(place.shard) ?? 0) + place.document;
    documents[file] = document;
    fileStarts[document + 1] = (fileStarts[document + 1] ?? 0) + 1;
  }
  for (let i = 1; i <= total; i += 1) fileStarts[i] = (fileStarts[i] ?? 0) + (fileStarts[i - 1] ?? 0);
  lastId += 1;
  return {
    id: lastId,
    files: tree.paths.length,
    paths,
    pathStarts,
    oddPaths,
    classes: classesOf(tree.paths),
    documents,
    fileStarts,
    filesOf: filesByDocument(documents, fileStarts),
    parts: shards.shards
      .filter((shard) => used.has(shard))
      .map((shard): ViewPart => ({ ...shard.loaded, name: shard.name, base: bases.get(shard) ?? 0 })),
  };
}

function basesOf(shards: readonly StoredShard[]): Map<StoredShard, number> {
  let base = 0;
  return new Map(
    shards.map((shard) => {
      base += shard.loaded.documents;
      return [shard, base - shard.loaded.documents];
    }),
  );
}

function filesByDocument(documents: Int32Array, fileStarts: Uint32Array): Uint32Array {
  const next = fileStarts.slice();
  const files = shared(Uint32Array, fileStarts.at(-1) ?? 0);
  for (const [file, document] of documents.entries()) {
    if (document < 0) continue;
    const at = next[document] ?? 0;
    files[at] = file;
    next[document] = at + 1;
  }
  return files;
}

function classesOf(paths: readonly string[]): Uint8Array {
  const classes = new Uint8Array(new SharedArrayBuffer(paths.length));
  for (const [file, path] of paths.entries()) classes[file] = pathClasses.indexOf(pathClass(path));
  return classes;
}

/** An array that all threads see. */
function shared<T>(kind: new (buffer: SharedArrayBuffer) => T, length: number): T {
  return new kind(new SharedArrayBuffer(4 * length));
}
