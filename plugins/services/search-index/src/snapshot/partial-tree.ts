import type { ListTree, RunGit } from '../indexing/git-in.ts';
import { readTree } from './tree.ts';
import type { Tree } from './tree.ts';

/**
 * The tree of a commit of which objects are missing, as in a partial clone: there git neither tells the sizes of all files nor goes on
 * after the first that it lacks. What is missing has no text.
 */
export async function partialTree(git: RunGit, list: ListTree, commit: string): Promise<Tree> {
  const walk = ['rev-list', '--objects', '--no-walk', '--missing=print', '--end-of-options', commit];
  const missing = new Set<string>();
  for await (const line of linesOf(git(walk))) if (line.startsWith('?')) missing.add(line.slice(1));
  const listed = await readTree(list(commit, { wantsSizes: false }));
  const firstMissing = listed.blobs.find((blob) => blob !== undefined && missing.has(blob));
  const blobs = listed.blobs.map((blob) => (blob !== undefined && missing.has(blob) ? undefined : blob));
  const ids = [...new Set(blobs.flatMap((blob) => blob ?? []))];
  const sizes = await sizesOf(git, ids);
  const sizeOf = (blob: string | undefined): number => (blob === undefined ? 0 : (sizes.get(blob) ?? NaN));
  return { paths: listed.paths, blobs, sizes: listed.blobs.map(sizeOf), firstMissing };
}

/** Of the objects that are there. */
export async function sizesOf(git: RunGit, ids: readonly string[]): Promise<Map<string, number>> {
  const check = git(['cat-file', '--batch-check', '--buffer'], [Buffer.from(ids.map((id) => `${id}\n`).join(''))]);
  const sizes = new Map<string, number>();
  for await (const line of linesOf(check)) {
    const [id = '', , size] = line.split(' ');
    if (size !== undefined) sizes.set(id, Number(size));
  }
  return sizes;
}

async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + Buffer.from(piece).toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
