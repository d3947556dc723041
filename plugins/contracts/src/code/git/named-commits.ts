import { matchesGlob } from './branch-glob.ts';
import type { StoredRepository } from './git-store.ts';

export interface NamedCommit {
  /** Without `refs/heads/` or `refs/tags/`. */
  readonly name: string;
  readonly commit: string;
}

/** The refs below a place that lead to a commit. */
export async function refsIn(
  repository: StoredRepository,
  place: 'refs/heads' | 'refs/tags',
  signal: AbortSignal,
): Promise<NamedCommit[]> {
  const refs = await repository.refs(signal);
  return refs.flatMap(({ name, commit }) =>
    name.startsWith(`${place}/`) ? [{ name: name.slice(place.length + 1), commit }] : [],
  );
}

/** The commits that are indexed before anyone asks: of the default branch, then of at most `most` configured branches. */
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
