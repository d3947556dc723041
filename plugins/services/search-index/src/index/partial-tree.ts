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
  const sizes = await sizesOf(git, ids);
  const sizeOf = (blob: string | undefined): number => (blob === undefined ? 0 : (sizes.get(blob) ?? NaN));
  return { paths: listed.paths, blobs, sizes: listed.blobs.map(sizeOf) };
}

/** Of the objects that are there. */
export async function sizesOf(git: RunGit, ids: readonly string[]): Promise<Map<string, number>> {
  const check = git(['cat-file', '--batch-check', '--buffer'], [Buffer.from(ids.map((id) => `${id}\n`).join(''))]);
  const sizes = new Map<string, number>();
  for (const line of await linesOf(check)) {
    const [id = '', , size] = line.split(' ');
    if (size !== undefined) sizes.set(id, Number(size));
  }
  return sizes;
}

const linesOf = async (pieces: AsyncIterable<Uint8Array>): Promise<string[]> =>
  (await buffer(pieces)).toString('latin1').split('\n').slice(0, -1);
