import { isFileMode } from '@sextant/contracts';
import type { ListedEntry } from '@sextant/contracts';
import { SextantError, Turn } from '@sextant/core';
import { MAX_DOCUMENT_BYTES } from '@sextant/library-block-index';
import { pathClass } from '@sextant/library-ranking';
import type { PathClass } from '@sextant/library-ranking';

/** The files of one commit in the order of git's tree. */
export interface Tree {
  readonly paths: readonly string[];
  /** Object id of each; undefined for what has no text to search: symbolic links. */
  readonly blobs: readonly (string | undefined)[];
  /** Bytes; not a number where git lacks the object. */
  readonly sizes: readonly number[];
}

/** Files after which a loop over a tree gives way to other work of the event loop. */
export const filesPerTurn = 256;
/** Most ids that are kept to be shared: one object may have many paths. */
const mostShared = 10_000;

/**
 * Reads what `StoredRepository.tree` gives. Submodules are left out: their files are in repositories of their own. Throws
 * `too_large` as soon as the paths are more than an index of paths can hold.
 */
export async function readTree(batches: AsyncIterable<readonly ListedEntry[]>): Promise<Tree> {
  const tree = { paths: [] as string[], blobs: [] as (string | undefined)[], sizes: [] as number[] };
  /** The same string for the same id, where it is soon met again: a repository of few objects can have millions of paths. */
  const ids = new Map<string, string>();
  const turn = new Turn();
  let bytes = 0;
  for await (const entries of batches) {
    for (const { mode, type, id, size, path } of entries) {
      if (type !== 'blob') continue;
      bytes += Buffer.byteLength(path) + 1;
      checkPathBytes(bytes);
      if (ids.size >= mostShared) ids.clear();
      const shared = ids.get(id) ?? id;
      ids.set(id, shared);
      tree.paths.push(path);
      tree.blobs.push(isFileMode(mode) ? shared : undefined);
      tree.sizes.push(size);
    }
    await turn.share();
  }
  return tree;
}

/** Whether git has all objects of a tree. */
export const isWhole = ({ sizes }: Tree): boolean => !sizes.some(Number.isNaN);

/** Throws `too_large` where paths, each with its line end, have more bytes than their index can hold. */
export function checkPathBytes(bytes: number): void {
  if (bytes <= MAX_DOCUMENT_BYTES) return;
  throw new SextantError(
    'too_large',
    `the repository has more than ${MAX_DOCUMENT_BYTES} bytes of paths at one commit, which is the most that is indexed; ask for single files and folders`,
  );
}

/** The most useful first. */
const order = [
  'source',
  'declaration',
  'configuration',
  'documentation',
  'example',
  'test',
  'generated',
] as const satisfies readonly PathClass[];

export interface BlobFilter {
  readonly maxFileBytes: number;
  readonly isWanted: (blob: string) => boolean;
}

/** The wanted blobs of trees, each once. The most useful classes come first, so that a search reads neighbouring text. */
export async function wantedBlobs(trees: readonly Tree[], { maxFileBytes, isWanted }: BlobFilter): Promise<string[]> {
  const turn = new Turn();
  const all = new Set<string>();
  for (const { paths, blobs, sizes } of trees) {
    const byClass = new Map<PathClass, Set<string>>(order.map((each) => [each, new Set()]));
    const best = byClass.get(order[0]);
    for (const [file, blob] of blobs.entries()) {
      if (file % filesPerTurn === 0) await turn.share();
      // The size of one that is missing is not a number.
      if (blob === undefined || !((sizes[file] ?? 0) <= maxFileBytes) || best?.has(blob) || !isWanted(blob)) continue;
      byClass.get(pathClass(paths[file] ?? ''))?.add(blob);
    }
    for (const each of order) for (const blob of byClass.get(each) ?? []) all.add(blob);
  }
  return [...all];
}

/** All that are not too large, in no order: to tell how useful a file is takes longer than all else. */
export async function blobsOfAll(trees: readonly Tree[], maxFileBytes: number): Promise<ReadonlySet<string>> {
  const turn = new Turn();
  const all = new Set<string>();
  for (const { blobs, sizes } of trees)
    for (const [file, blob] of blobs.entries()) {
      if (file % filesPerTurn === 0) await turn.share();
      if (blob !== undefined && (sizes[file] ?? 0) <= maxFileBytes) all.add(blob);
    }
  return all;
}
