import { matchesGlob, refsIn } from '@sextant/contracts';
import type { StoredRepository } from '@sextant/contracts';

/** Full hashes of the commits to index: of the default branch, then of at most `most` configured branches. */
export async function branchCommits(
  repository: StoredRepository,
  most: number,
  signal: AbortSignal,
): Promise<string[]> {
  const head = await repository.head(signal);
  const wanted = repository.branches;
  if (wanted.length === 0 || most === 0) return head === undefined ? [] : [head];
  const branches = await refsIn(repository, 'refs/heads', signal);
  const named = wanted.flatMap((glob) => branches.filter(({ name }) => matchesGlob(glob, name)));
  const others = [...new Set(named.map(({ commit }) => commit))].slice(0, most);
  return [...new Set([...(head === undefined ? [] : [head]), ...others])];
}
