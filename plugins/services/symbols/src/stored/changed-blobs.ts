import { text } from 'node:stream/consumers';
import { isFileMode } from '@sextant/contracts';
import type { StoredRepository } from '@sextant/contracts';

/** Branches of one repository that are read ahead besides the default one. */
const maxBranches = 50;

export interface ChangedBlob {
  readonly path: string;
  readonly blob: string;
}

/** The commits whose files are parsed ahead: of the default branch, then of those that the operator wants indexed. */
export async function commitsToIndex(repository: StoredRepository, signal: AbortSignal): Promise<string[]> {
  const head = await repository.head(signal);
  if (head === undefined) return [];
  if (repository.branches.length === 0) return [head];
  const patterns = repository.branches.map((glob) => `refs/heads/${glob}`);
  const args = ['for-each-ref', '--format=%(objectname)', `--count=${maxBranches}`, '--end-of-options', ...patterns];
  const commits = (await text(repository.stream({ args, signal }))).split('\n').filter((line) => line !== '');
  return [...new Set([head, ...commits])];
}

/** Which files of a commit are wanted. */
interface Wanting {
  readonly commit: string;
  /** Of those only what is not the same in this one, which may be gone. */
  readonly since: string | undefined;
  readonly isWanted: (path: string) => boolean;
}

export async function changedBlobs(
  repository: StoredRepository,
  wanting: Wanting,
  signal: AbortSignal,
): Promise<ChangedBlob[]> {
  const changed = await blobsSince(repository, wanting, signal).catch(() => undefined);
  signal.throwIfAborted();
  return changed ?? allBlobs(repository, wanting, signal);
}

async function allBlobs(
  repository: StoredRepository,
  { commit, isWanted }: Wanting,
  signal: AbortSignal,
): Promise<ChangedBlob[]> {
  const blobs: ChangedBlob[] = [];
  for await (const entries of repository.tree(commit, { isBackground: true, signal }))
    for (const { mode, id, path } of entries) if (isFileMode(mode) && isWanted(path)) blobs.push({ path, blob: id });
  return blobs;
}

/** Undefined where all are wanted. */
async function blobsSince(
  repository: StoredRepository,
  { commit, since, isWanted }: Wanting,
  signal: AbortSignal,
): Promise<ChangedBlob[] | undefined> {
  if (since === undefined) return undefined;
  const blobs: ChangedBlob[] = [];
  for await (const entries of repository.changes(since, commit, { isBackground: true, signal }))
    for (const { mode, id, path } of entries) if (isFileMode(mode) && isWanted(path)) blobs.push({ path, blob: id });
  return blobs;
}
