import { leavesOf, notSearched, partNotSearched } from '@sextant/contracts';
import type { Query } from '@sextant/contracts';
import { SextantError, isSextantError } from '@sextant/core';
import type { ErrorCode } from '@sextant/core';
import type { Parts } from './nodes.ts';

/** Failures of one part that say nothing of the others. */
const ofPart: readonly ErrorCode[] = ['not_found', 'unavailable', 'timeout', 'too_large'];

/** What the parts of an answer lack. */
export interface Lacking {
  /** Sentences for the caller about repositories that were not searched. */
  readonly notes: readonly string[];
  /** Repositories of parts that lack each revision of the request. */
  readonly withoutRevision: readonly string[];
  /** Nodes that did not answer. */
  readonly missing: readonly string[];
  /** Throws why nothing was found, where that may be because not everything was searched. */
  throwUnlessFound(results: number): void;
}

/**
 * What was not answered, beside what was. Throws a failure that concerns the request itself, and where no part answered, the
 * failure of the first.
 */
export function lackingIn({ answers, failures, missing }: Parts<unknown>): Lacking {
  const errors = failures.map(({ error, repositories }) => {
    if (!isSextantError(error) || !ofPart.includes(error.code)) throw error;
    return { error, repositories };
  });
  const silentNodes = missing.nodes.filter((node) => !missing.misunderstood.includes(node));
  const reason = [
    ...(silentNodes.length > 0 ? [`its code nodes do not answer: ${silentNodes.join(', ')}`] : []),
    ...(missing.misunderstood.length > 0
      ? [
          `this host does not understand what its code nodes answer: ${missing.misunderstood.join(', ')}; its log says more`,
        ]
      : []),
  ].join('; ');
  const lost = missing.repositories.map((repo) => ({ repo, reason }));
  const [lostNote] = notSearched(lost);
  const silent =
    lostNote === undefined
      ? undefined
      : new SextantError('unavailable', `nothing was found, and not all was searched. ${lostNote}`, {
          retryAfterSeconds: 2,
        });
  const soon = errors.find(({ error }) => error.retryAfterSeconds !== undefined)?.error ?? silent;
  if (answers.length === 0) {
    const first = soon ?? errors[0]?.error;
    if (first) throw first;
  }
  const left = errors.filter(({ error }) => error.code !== 'not_found');
  return {
    notes: [...left.map(({ error }) => partNotSearched(error)), ...(lostNote === undefined ? [] : [lostNote])],
    withoutRevision: errors.flatMap(({ error, repositories }) => (error.code === 'not_found' ? repositories : [])),
    missing: missing.nodes,
    throwUnlessFound(results) {
      if (results === 0 && soon) throw soon;
    },
  };
}

/** Each sentence once, in the order of the parts. */
export const notesOf = (answers: readonly { readonly notes: readonly string[] }[]): string[] => [
  ...new Set(answers.flatMap(({ notes }) => notes)),
];

/** Revisions that some repositories lack. Of a commit nobody expects that all have it. */
export function revisionNotes(query: Query, { withoutRevision }: Lacking): string[] {
  if (withoutRevision.length === 0) return [];
  const revisions = new Set(leavesOf(query).flatMap(({ leaf }) => (leaf.kind === 'rev' ? leaf.revisions : [])));
  return [...revisions]
    .filter((revision) => !/^[0-9a-f]{7,64}$/i.test(revision))
    .map((revision) => `Not every repository has the revision "${revision}".`);
}
