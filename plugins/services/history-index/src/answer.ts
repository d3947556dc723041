import { existingRevisions, rfc3339 } from '@sextant/contracts';
import type {
  Commit,
  CommitRecord,
  GitStore,
  HistoryOrder,
  HistoryResult,
  LeftOutRepository,
  ParsedQuery,
} from '@sextant/contracts';
import { SextantError, cut } from '@sextant/core';
import { answerLimits } from './limits.ts';
import type { Completeness } from './match/git-search.ts';
import { leftOutNotes } from './search-failures.ts';

/** The answer of one repository. */
export interface RepositoryAnswer<T> extends Completeness {
  readonly repo: string;
  readonly found: readonly T[];
  readonly unknownRevisions: readonly string[];
  readonly isShallow: boolean;
  /** Commits that git searched, because they are not in the index yet or too large for it. */
  readonly notIndexed: number;
  /** Commits that were not searched, because git cannot compare their changes within its limits. */
  readonly beyondLimits: number;
  /** Why the repository could not be searched. */
  readonly leftOut?: LeftOutRepository;
}

export interface Answers<T> {
  readonly query: ParsedQuery;
  readonly count: number;
  readonly order: HistoryOrder;
  readonly notes: readonly string[];
  readonly answers: readonly RepositoryAnswer<T>[];
}

/** Merges the answers of all repositories, in the order that was asked for. Throws `unavailable` where none could be searched. */
export function merged<T extends { readonly date: string }>({
  query,
  count,
  order,
  notes,
  answers,
}: Answers<T>): HistoryResult<T> {
  const found = answers.flatMap((answer) => answer.found);
  const sign = order === 'oldest' ? 1 : -1;
  const results = found.toSorted((a, b) => sign * (Date.parse(a.date) - Date.parse(b.date))).slice(0, count);
  const leftOut = answers.flatMap((answer) => answer.leftOut ?? []);
  const isLimited = found.length > count || leftOut.length > 0 || answers.some(isIncomplete);
  const all = [
    ...notes,
    ...leftOutNotes(leftOut, answers.length - leftOut.length + found.length),
    ...answers.flatMap(notesOf),
  ];
  return { query, results, totalCount: found.length, isLimited, notes: all };
}

const isIncomplete = ({ isLate, unreadable, notCompared, beyondLimits }: RepositoryAnswer<unknown>): boolean =>
  isLate || unreadable + notCompared.length + beyondLimits > 0;

function notesOf(answer: RepositoryAnswer<unknown>): string[] {
  const { repo, isLate, unreadable, why, notCompared, beyondLimits, isShallow, unknownRevisions, notIndexed } = answer;
  const notes = [
    notIndexed > 0 &&
      `${commits(notIndexed)} of ${repo} ${notIndexed === 1 ? 'is' : 'are'} not in the index, as new or too large; git itself looked.`,
    isLate && `${repo} was not searched to the end in time; narrow the dates, authors or revisions.`,
    beyondLimits > 0 &&
      `The changes of ${commits(beyondLimits)} of ${repo} are too large to be compared and were not searched.`,
    unreadable > 0 &&
      `The changes of ${commits(unreadable)} of ${repo} are not here and were not searched${why === undefined ? '' : ` (${why})`}.`,
    notCompared.length > 0 &&
      `Left out of ${repo}, because git could not compare ${notCompared.length === 1 ? 'it' : 'them'} in time: ${named(notCompared)}.`,
    isShallow &&
      `The history of ${repo} is cut: it is a shallow clone. Older commits, and what the first ones here changed, were not searched.`,
  ];
  const unknown = unknownRevisions.map((revision) => `${repo} has no revision "${revision}".`);
  return [...unknown, ...notes.filter((note) => note !== false)];
}

/** The first names, and how many more there are. */
export const named = (names: readonly string[], most = answerLimits.named): string =>
  names.slice(0, most).join(', ') + (names.length > most ? ` and ${names.length - most} more` : '');

const commits = (count: number): string => (count === 1 ? '1 commit' : `${count} commits`);

/** A commit as callers see it. */
export const commitOf = (repo: string, { hash, mapped, authored, time, message }: CommitRecord): Commit => ({
  repo,
  commit: hash,
  author: mapped,
  date: rfc3339(time),
  authorDate: rfc3339(authored),
  title: message.slice(0, answerLimits.title).split('\n', 1)[0] ?? '',
  message,
});

/** Throws `not_found` for a revision that no repository has, and suggests the nearest name. One that only some have is a note. */
export async function refuseUnknownRevisions(
  answers: readonly RepositoryAnswer<unknown>[],
  { store, signal }: { store: GitStore; signal: AbortSignal },
): Promise<void> {
  const searched = answers.filter(({ leftOut }) => leftOut === undefined);
  const missing = searched[0]?.unknownRevisions.filter((revision) =>
    searched.every(({ unknownRevisions }) => unknownRevisions.includes(revision)),
  );
  if (!missing || missing.length === 0) return;
  const names = missing.map((revision) => `"${cut(revision, 100)}"`).join(', ');
  const found = await Promise.all(searched.map(({ repo }) => store.find(repo)));
  const repositories = found.filter((repository) => repository !== undefined);
  const hint = await existingRevisions(missing[0]?.replace(/^\^/, '') ?? '', repositories, signal);
  throw new SextantError('not_found', `revision ${names} not found; ${hint}${olderMayBeMissing(searched)}`);
}

function olderMayBeMissing(searched: readonly RepositoryAnswer<unknown>[]): string {
  const cutShort = searched.filter(({ isShallow }) => isShallow).map(({ repo }) => repo);
  return cutShort.length === 0
    ? ''
    : ` The server has only the later part of the history of ${named(cutShort)} (a shallow clone), so an older commit may exist.`;
}
