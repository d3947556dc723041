import type { StoredRepository } from '@sextant/contracts';

/** Full hashes of the commits to index: of the default branch first, then of the configured ones, at most so many. */
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

/** Whether a name fits a pattern: `*` stands for any text and `?` for one character. Takes at most length × length steps. */
export function matchesGlob(glob: string, name: string): boolean {
  let [g, n] = [0, 0];
  let [star, from] = [-1, 0];
  while (n < name.length) {
    if (glob[g] === '*') [star, from, g] = [g, n, g + 1];
    else if (glob[g] === '?' || glob[g] === name[n]) [g, n] = [g + 1, n + 1];
    else if (star >= 0) [from, n, g] = [from + 1, from + 1, star + 1];
    else return false;
  }
  while (glob[g] === '*') g += 1;
  return g === glob.length;
}
