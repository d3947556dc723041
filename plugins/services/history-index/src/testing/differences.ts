import type { CommitRequest, History } from '@sextant/contracts';
import { gitLog } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { pickaxeDifferences } from './pickaxe.ts';
import { RandomRequests } from './random-requests.ts';
import type { RandomRequestsOptions } from './random-requests.ts';

/** A search that finds other commits than git does. */
export interface Difference {
  readonly request: CommitRequest;
  readonly extra: readonly string[];
  readonly lacking: readonly string[];
  readonly notes: readonly string[];
}

/** Compares random searches of the repository that is served as `r` with `git log`, and a quarter as many with `git log -S`, commit by commit. */
export async function differencesFromGit(
  history: History,
  options: RandomRequestsOptions & { readonly searches: number },
): Promise<{ found: number; differences: Difference[] }> {
  const requests = new RandomRequests(options);
  const differences: Difference[] = [];
  let found = 0;
  for (let i = 0; i < options.searches; i += 1) {
    const request = requests.next();
    const wanted = gitLog(options.repository, request);
    const { results, notes } = await history.commits(callerOf('alice'), request, new AbortController().signal);
    const ours = results.map(({ commit }) => commit);
    found += wanted.length;
    const [inGit, inOurs] = [new Set(wanted), new Set(ours)];
    const extra = ours.filter((hash) => !inGit.has(hash));
    const lacking = wanted.filter((hash) => !inOurs.has(hash));
    if (extra.length + lacking.length + notes.length > 0) differences.push({ request, extra, lacking, notes });
  }
  for (let i = 0; i < options.searches / 4; i += 1) {
    const { word, request } = requests.nextWord();
    const pickaxe = await pickaxeDifferences(history, word, { ...options, revisions: request.revisions });
    found += pickaxe.found;
    if (pickaxe.differing.length > 0)
      differences.push({ request, extra: [], lacking: pickaxe.differing, notes: ['-S'] });
  }
  return { found, differences };
}
