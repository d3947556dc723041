import { posix } from 'node:path';
import type { SourceTree } from '@sextant/contracts';
import { folderOf } from '../paths.ts';

/** The files whose path is `end`, or ends with it behind a slash. */
export const filesEnding = (tree: Pick<SourceTree, 'named'>, end: string): string[] =>
  tree.named(posix.basename(end)).filter((path) => path === end || path.endsWith(`/${end}`));

/** Most manifests of one repository that are read. */
const maxManifests = 500;

/** The texts of manifests with their folders. The text of one that cannot be read is empty. */
export async function manifestsIn(
  tree: SourceTree,
  paths: readonly string[],
): Promise<{ readonly folder: string; readonly text: string }[]> {
  const manifests = [];
  for (const path of paths.slice(0, maxManifests))
    manifests.push({ folder: folderOf(path), text: (await tree.read(path)) ?? '' });
  return manifests;
}
