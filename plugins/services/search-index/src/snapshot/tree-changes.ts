import { isBlobMode, isFileMode, removedMode } from '@sextant/contracts';
import type { ChangedEntry } from '@sextant/contracts';
import type { Tree } from './tree.ts';

/** How bytes of a path that are not UTF-8 are shown: its place among other paths is not known then. */
const replacement = '\u{fffd}';

/** Whether a path is what git has, and not only how that is shown. */
export const isExactPath = (path: string): boolean => !path.includes(replacement);

/** The new entries of changed files, as a tree. An unknown size is NaN. */
export function treeOf(changes: readonly ChangedEntry[], sizes: ReadonlyMap<string, number>): Tree {
  const files = changes.filter(({ mode }) => isBlobMode(mode));
  return {
    paths: files.map(({ path }) => path),
    blobs: files.map(({ mode, id }) => (isFileMode(mode) ? id : undefined)),
    sizes: files.map(({ id }) => sizes.get(id) ?? Number.NaN),
  };
}

/** The tree after changes, which are in the order of git. Undefined where that cannot be told from the tree before. */
export function changedTree(
  before: Tree,
  changes: readonly ChangedEntry[],
  sizes: ReadonlyMap<string, number>,
): Tree | undefined {
  if (!before.paths.every(isExactPath) || !changes.every(({ path }) => isExactPath(path))) return undefined;
  const paths: string[] = [];
  const blobs: (string | undefined)[] = [];
  const known: number[] = [];
  let from = 0;
  const copyUntil = (end: number): void => {
    for (; from < end; from += 1) {
      paths.push(before.paths[from] ?? '');
      blobs.push(before.blobs[from]);
      known.push(before.sizes[from] ?? Number.NaN);
    }
  };
  for (const { mode, id, path } of changes) {
    const { at, isThere } = placeOf(before.paths, path, from);
    copyUntil(at);
    if (isThere) from += 1;
    if (mode === removedMode || !isBlobMode(mode)) continue;
    paths.push(path);
    blobs.push(isFileMode(mode) ? id : undefined);
    known.push(sizes.get(id) ?? Number.NaN);
  }
  copyUntil(before.paths.length);
  return { paths, blobs, sizes: known };
}

/** The first path that is not before another one, and whether it is that. */
function placeOf(paths: readonly string[], path: string, from: number): { at: number; isThere: boolean } {
  const bytes = Buffer.from(path);
  let low = from;
  for (let high = paths.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (Buffer.from(paths[middle] ?? '').compare(bytes) < 0) low = middle + 1;
    else high = middle;
  }
  return { at: low, isThere: paths[low] === path };
}
