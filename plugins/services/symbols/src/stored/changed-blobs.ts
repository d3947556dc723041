import { text } from 'node:stream/consumers';
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

/** The files of a commit, or those of them that are not the same in another; that one may be gone. */
export async function changedBlobs(
  repository: StoredRepository,
  { commit, since }: { commit: string; since: string | undefined },
  signal: AbortSignal,
): Promise<ChangedBlob[]> {
  const changed =
    since === undefined ? undefined : await blobsSince(repository, [since, commit], signal).catch(() => undefined);
  signal.throwIfAborted();
  return changed ?? allBlobs(repository, commit, signal);
}

async function allBlobs(repository: StoredRepository, commit: string, signal: AbortSignal): Promise<ChangedBlob[]> {
  const args = ['ls-tree', '-r', '-z', '--full-tree', '--end-of-options', commit];
  return (await text(repository.stream({ args, signal }))).split('\0').flatMap((entry) => {
    const [, mode = '', blob = '', path = ''] = /^(\d+) blob (\w+)\t([^]*)$/.exec(entry) ?? [];
    return isFile(mode) ? [{ path, blob }] : [];
  });
}

async function blobsSince(
  repository: StoredRepository,
  commits: readonly string[],
  signal: AbortSignal,
): Promise<ChangedBlob[]> {
  const options = ['-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--end-of-options'];
  const args = ['diff-tree', ...options, ...commits];
  const fields = (await text(repository.stream({ args, signal }))).split('\0');
  return fields.flatMap((field, index) => {
    const [, mode = '', blob = ''] = /^:\d+ (\d+) \w+ (\w+) \w/.exec(field) ?? [];
    return isFile(mode) ? [{ path: fields[index + 1] ?? '', blob }] : [];
  });
}

/** Symbolic links and submodules are none. */
const isFile = (mode: string): boolean => mode.startsWith('100');
