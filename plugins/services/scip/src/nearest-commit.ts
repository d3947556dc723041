import { text } from 'node:stream/consumers';
import type { StoredRepository } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';

/** Commits from one to an ancestor of it beyond which an index tells too little. */
const farthest = 1000;
const rememberedChoices = 1000;

/** Finds the nearest ancestor or descendant of a commit among others. */
export class NearestCommits {
  readonly #chosen = new LRUCache<string, { readonly commit: string | undefined }>({ max: rememberedChoices });

  async choose(
    repository: StoredRepository,
    { commit, among }: { commit: string; among: readonly string[] },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    if (among.includes(commit)) return commit;
    if (among.length === 0) return undefined;
    const key = [repository.name, commit, ...among.toSorted()].join('\0');
    const known = this.#chosen.get(key) ?? { commit: await nearest(repository, { commit, among }, signal) };
    this.#chosen.set(key, known);
    return known.commit;
  }
}

async function nearest(
  repository: StoredRepository,
  { commit, among }: { commit: string; among: readonly string[] },
  signal: AbortSignal,
): Promise<string | undefined> {
  const ancestors = await ancestorsOf(repository, commit, signal);
  let best: { commit: string; distance: number } | undefined;
  for (const candidate of among) {
    const distance = ancestors.get(candidate) ?? (await ancestorsOf(repository, candidate, signal)).get(commit);
    if (distance !== undefined && (!best || distance < best.distance)) best = { commit: candidate, distance };
  }
  return best?.commit;
}

/** The commits before one, with how many lie between; none for a commit that is not there (any more). */
async function ancestorsOf(
  repository: StoredRepository,
  commit: string,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const verify = ['rev-parse', '--verify', '--quiet', `${commit}^{commit}`];
  const there = await text(repository.stream({ args: verify, signal })).catch(() => '');
  signal.throwIfAborted();
  if (there === '') return new Map();
  const args = ['rev-list', `--max-count=${farthest}`, '--end-of-options', commit];
  const output = await text(repository.stream({ args, signal }));
  return new Map(output.split('\n').map((hash, distance) => [hash, distance]));
}
