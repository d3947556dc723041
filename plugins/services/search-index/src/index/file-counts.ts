import { pathClasses } from '@sextant/library-search-results';
import type { ShardSet } from './shard-set.ts';
import type { Tree } from './tree.ts';

/** How many files of a commit are searched, and how many are found by their names only. */
export interface FileCounts {
  readonly files: number;
  readonly binary: number;
  readonly tooLarge: number;
  /** Symbolic links, and blobs that a partial clone lacks. */
  readonly withoutText: number;
  /** Searched, and ranked last. */
  readonly generated: number;
}

export const noFiles: FileCounts = { files: 0, binary: 0, tooLarge: 0, withoutText: 0, generated: 0 };

interface Counting {
  readonly shards: ShardSet;
  /** Numbers of the classes of the paths. */
  readonly classes: Uint8Array;
  readonly maxFileBytes: number;
}

const generated = pathClasses.indexOf('generated');

export function countFiles({ paths, blobs, sizes }: Tree, { shards, classes, maxFileBytes }: Counting): FileCounts {
  const counts = { ...noFiles, files: paths.length };
  for (const [file, blob] of blobs.entries()) {
    if (blob !== undefined && shards.place(blob)) counts.generated += classes[file] === generated ? 1 : 0;
    else if ((sizes[file] ?? 0) > maxFileBytes) counts.tooLarge += 1;
    else if (blob !== undefined && shards.isKnown(blob)) counts.binary += 1;
    else counts.withoutText += 1;
  }
  return counts;
}

export const addCounts = (a: FileCounts, b: FileCounts): FileCounts => ({
  files: a.files + b.files,
  binary: a.binary + b.binary,
  tooLarge: a.tooLarge + b.tooLarge,
  withoutText: a.withoutText + b.withoutText,
  generated: a.generated + b.generated,
});
