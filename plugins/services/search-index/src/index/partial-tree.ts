import { buffer } from 'node:stream/consumers';
import { parseTree } from './tree.ts';
import type { Tree } from './tree.ts';

/** The output of a git command. */
export type RunGit = (args: readonly string[], input?: Iterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/**
 * The tree of a commit of which objects are missing, as in a partial clone: there git neither tells the sizes of all files nor goes on
 * after the first that it lacks. What is missing has no text.
 */
export async function partialTree(git: RunGit, commit: string): Promise<Tree> {
  const walk = ['rev-list', '--objects', '--no-walk', '--missing=print', '--end-of-options', commit];
  const missing = new Set(
    [...(await linesOf(git(walk)))].flatMap((line) => (line.startsWith('?') ? [line.slice(1)] : [])),
  );
  const listed = parseTree(await buffer(git(['ls-tree', '-r', '-z', '--full-tree', '--end-of-options', commit])));
  const blobs = listed.blobs.map((blob) => (blob !== undefined && missing.has(blob) ? undefined : blob));
  const ids = [...new Set(blobs.flatMap((blob) => blob ?? []))];
  const check = git(['cat-file', '--batch-check', '--buffer'], [Buffer.from(ids.map((id) => `${id}\n`).join(''))]);
  const sizes = new Map((await linesOf(check)).map((line) => [line.split(' ')[0], Number(line.split(' ')[2] ?? 0)]));
  return { paths: listed.paths, blobs, sizes: blobs.map((blob) => sizes.get(blob) ?? 0) };
}

const linesOf = async (pieces: AsyncIterable<Uint8Array>): Promise<string[]> =>
  (await buffer(pieces)).toString('latin1').split('\n').slice(0, -1);
