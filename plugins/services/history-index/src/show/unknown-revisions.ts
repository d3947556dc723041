import { SextantError, didYouMean } from '@sextant/core';
import type { GitStore } from '@sextant/contracts';
import type { RepositoryAnswer } from './answer.ts';

/** Names of refs that a suggestion is looked for among. */
const mostNames = 20_000;

interface Looking {
  readonly store: GitStore;
  readonly signal: AbortSignal;
}

/** A revision that only some repositories have is a note; one that none has is an error, with the nearest that there is. */
export async function refuseUnknownRevisions(
  answers: readonly RepositoryAnswer<unknown>[],
  looking: Looking,
): Promise<void> {
  const searched = answers.filter(({ leftOut }) => leftOut === undefined);
  const missing = searched[0]?.unknownRevisions.filter((revision) =>
    searched.every(({ unknownRevisions }) => unknownRevisions.includes(revision)),
  );
  if (!missing || missing.length === 0) return;
  const names = missing.map((revision) => `"${clip(revision)}"`).join(', ');
  const known = await refNames(searched, looking);
  const hint = didYouMean(missing[0]?.replace(/^\^/, '') ?? '', known.slice(0, mostNames));
  throw new SextantError('not_found', `revision ${names} not found; list_refs shows the branches and tags.${hint}`);
}

/** One whose refs cannot be read has nothing to suggest. */
async function refNames(
  answers: readonly RepositoryAnswer<unknown>[],
  { store, signal }: Looking,
): Promise<readonly string[]> {
  const read = await Promise.allSettled(answers.map(async ({ repo }) => (await store.find(repo)?.refs(signal)) ?? []));
  const refs = read.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  return refs.map(({ name }) => name.replace(/^refs\/(?:heads|tags)\//, ''));
}

const clip = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
