import { pathClass } from '@sextant/library-search-results';
import type { PathClass } from '@sextant/library-search-results';
import type { Tree } from './tree.ts';

const order: readonly PathClass[] = [
  'source',
  'declaration',
  'configuration',
  'documentation',
  'example',
  'test',
  'generated',
];

export interface Wanting {
  readonly maxFileBytes: number;
  readonly isWanted: (blob: string) => boolean;
}

/** Blobs of a tree that are wanted, each once, the most useful first: what is searched together stands together. */
export function wantedBlobs({ paths, blobs, sizes }: Tree, { maxFileBytes, isWanted }: Wanting): string[] {
  const byClass = new Map<PathClass, Set<string>>(order.map((each) => [each, new Set()]));
  for (const [file, blob] of blobs.entries())
    if (blob !== undefined && (sizes[file] ?? 0) <= maxFileBytes && isWanted(blob))
      byClass.get(pathClass(paths[file] ?? ''))?.add(blob);
  return [...new Set(order.flatMap((each) => [...(byClass.get(each) ?? [])]))];
}

/** Those of several trees, each once. */
export const wantedOfAll = (trees: readonly Tree[], wanting: Wanting): string[] => [
  ...new Set(trees.flatMap((tree) => wantedBlobs(tree, wanting))),
];

/** All that are not too large, in no order: to tell how useful a file is takes longer than all else. */
export function blobsOfAll(trees: readonly Tree[], maxFileBytes: number): ReadonlySet<string> {
  const all = new Set<string>();
  for (const { blobs, sizes } of trees)
    for (let file = 0; file < blobs.length; file += 1) {
      const blob = blobs[file];
      if (blob !== undefined && (sizes[file] ?? 0) <= maxFileBytes) all.add(blob);
    }
  return all;
}
