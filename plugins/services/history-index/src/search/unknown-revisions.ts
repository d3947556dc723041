import type { StoredRepository } from '@sextant/contracts';
import { SextantError, didYouMean } from '@sextant/core';
import type { RepositoryAnswer } from './answer.ts';

/** Names of refs that a suggestion is looked for among. */
const mostNames = 20_000;

interface Searched {
  readonly answers: readonly RepositoryAnswer<unknown>[];
  readonly repositories: readonly StoredRepository[];
}

/** A revision that only some repositories have is a note; one that none has is an error, with the nearest that there is. */
export async function refuseUnknownRevisions(searched: Searched, signal: AbortSignal): Promise<void> {
  const { answers, repositories } = searched;
  const [first] = answers;
  const missing = first?.unknownRevisions.filter((revision) =>
    answers.every(({ unknownRevisions }) => unknownRevisions.includes(revision)),
  );
  if (!missing || missing.length === 0) return;
  const refs = await Promise.all(repositories.map((repository) => repository.refs(signal)));
  const known = refs.flatMap((each) => each.map(({ name }) => name.replace(/^refs\/(?:heads|tags)\//, '')));
  const names = missing.map((revision) => `"${clip(revision)}"`).join(', ');
  const hint = didYouMean(missing[0]?.replace(/^\^/, '') ?? '', known.slice(0, mostNames));
  throw new SextantError('not_found', `revision ${names} not found; list_refs shows the branches and tags.${hint}`);
}

const clip = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
