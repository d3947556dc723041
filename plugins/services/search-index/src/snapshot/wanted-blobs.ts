import { Turn } from '@sextant/core';
import { pathClass } from '@sextant/library-ranking';
import type { PathClass } from '@sextant/library-ranking';
import { filesPerTurn } from './tree.ts';
import type { Tree } from './tree.ts';

const order = [
  'source',
  'declaration',
  'configuration',
  'documentation',
  'example',
  'test',
  'generated',
] as const satisfies readonly PathClass[];

export interface Wanting {
  readonly maxFileBytes: number;
  readonly isWanted: (blob: string) => boolean;
}

/** Blobs of trees that are wanted, each once, the most useful first: what is searched together stands together. */
export async function wantedBlobs(trees: readonly Tree[], { maxFileBytes, isWanted }: Wanting): Promise<string[]> {
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
