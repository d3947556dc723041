import { rfc3339 } from '@sextant/contracts';
import type { Commit, HistoryResult, LeftOutRepository, ParsedQuery } from '@sextant/contracts';
import type { CommitRecord } from '../git/commit-record.ts';
import { leftOutNotes } from './search-failures.ts';
import type { Reach } from '../match/git-search.ts';

/** What one repository answered. */
export interface RepositoryAnswer<T> extends Reach {
  readonly repo: string;
  readonly found: readonly T[];
  readonly unknownRevisions: readonly string[];
  readonly isShallow: boolean;
  /** Commits that are not in the index, yet or because they are too large for it, and were looked at by git. */
  readonly notIndexed: number;
  /** Commits whose changes git could not compare in its limits; nobody looked at them. */
  readonly beyondLimits: number;
  /** Why it could not be searched. */
  readonly leftOut?: LeftOutRepository;
}

export interface Answers<T> {
  readonly query: ParsedQuery;
  readonly count: number;
  readonly notes: readonly string[];
  readonly answers: readonly RepositoryAnswer<T>[];
}

/** The answers of all repositories as one, newest first. Throws `unavailable` where none could be searched. */
export function merged<T extends { readonly date: string }>({
  query,
  count,
  notes,
  answers,
}: Answers<T>): HistoryResult<T> {
  const found = answers.flatMap((answer) => answer.found);
  const results = found.toSorted((a, b) => Date.parse(b.date) - Date.parse(a.date)).slice(0, count);
  const leftOut = answers.flatMap((answer) => answer.leftOut ?? []);
  const isLimited = found.length > count || leftOut.length > 0 || answers.some(isIncomplete);
  const all = [
    ...notes,
    ...leftOutNotes(leftOut, answers.length - leftOut.length + found.length),
    ...answers.flatMap(notesOf),
  ];
  return { query, results, totalCount: found.length, isLimited, notes: all };
}

const isIncomplete = ({ isLate, unreadable, beyondLimits }: RepositoryAnswer<unknown>): boolean =>
  isLate || unreadable + beyondLimits > 0;

function notesOf(answer: RepositoryAnswer<unknown>): string[] {
  const { repo, isLate, unreadable, beyondLimits, isShallow, unknownRevisions, notIndexed } = answer;
  return [
    ...unknownRevisions.map((revision) => `${repo} has no revision "${revision}".`),
    ...(notIndexed > 0
      ? [
          `${commits(notIndexed)} of ${repo} ${notIndexed === 1 ? 'is' : 'are'} not in the index, as new or too large; git itself looked.`,
        ]
      : []),
    ...(isLate ? [`${repo} was not searched to the end in time; narrow the dates, authors or revisions.`] : []),
    ...(beyondLimits > 0
      ? [`The changes of ${commits(beyondLimits)} of ${repo} are too large to be compared and were not searched.`]
      : []),
    ...(unreadable > 0 ? [`The changes of ${commits(unreadable)} of ${repo} are not here and were not searched.`] : []),
    ...(isShallow ? [`The history of ${repo} is cut: it is a shallow clone.`] : []),
  ];
}

const commits = (count: number): string => (count === 1 ? '1 commit' : `${count} commits`);

/** Characters of the first line of a message that callers see as its title. */
const longestTitle = 1000;

/** A commit as callers see it. */
export const commitOf = (repo: string, { hash, mapped, time, message }: CommitRecord): Commit => ({
  repo,
  commit: hash,
  author: mapped,
  date: rfc3339(time),
  title: message.slice(0, longestTitle).split('\n', 1)[0] ?? '',
  message,
});
